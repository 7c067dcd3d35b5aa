"""Keys, stored answers, workers, secrets and chains."""

import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from service.store import chains, idempotency, keys, secrets, workers
from service.store.database import Database
from service.store.idempotency import StoredAnswer
from service.store.keys import KeyRow
from service.store.problems import Conflict
from service.store.tables import keys as table
from service.store.workers import WorkerRow
from tests.rows import T0, new_stream


def _authenticate(database: Database, secret: str, now: int = T0) -> KeyRow | None:
    with database.read() as connection:
        return keys.authenticate(connection, secret, now)


def test_a_key_opens_until_it_is_revoked(database: Database) -> None:
    with database.read() as connection:
        assert not keys.any_active(connection, T0)
    with database.write() as connection:
        key, secret = keys.create(connection, "ci", ["ingest", "read"], T0 + 10)
    assert _authenticate(database, secret) == key
    assert key.scopes == ("ingest", "read")
    assert _authenticate(database, secret, T0 + 10) is None
    with database.write() as connection:
        assert keys.any_active(connection, T0)
        assert not keys.any_active(connection, T0 + 10)
        assert keys.revoke(connection, key.id, T0)
        assert not keys.revoke(connection, key.id, T0)
        assert not keys.any_active(connection, T0)
        assert [row.revoked_at for row in keys.list_all(connection)] == [T0]
    assert _authenticate(database, secret) is None


def _with_checksum(body: str) -> str:
    return f"{body}_{zlib.crc32(body.encode()):08x}"


def test_other_secrets_open_nothing(database: Database) -> None:
    strange = _with_checksum(f"threadline_{'0' * 26}_{'a' * 43}")
    assert _authenticate(database, strange) is None  # not even a pepper yet
    with database.write() as connection:
        _, secret = keys.create(connection, "ci", ["read"])
    body = secret.rpartition("_")[0]
    wrong = _with_checksum(body[:-1] + ("a" if body[-1] != "a" else "b"))
    for other in (
        "",
        "threadline",
        secret[:-1],
        secret + "0",
        secret.upper(),
        f"{body}_00000000",
        wrong,
        strange,
        "é" * 90,
    ):
        assert _authenticate(database, other) is None


def test_only_a_keyed_hash_is_stored(database: Database) -> None:
    with database.write() as connection:
        key, secret = keys.create(connection, "ci", ["read"])
        row = connection.execute(select(table)).one()
    assert len(secret) == len("threadline_") + 26 + 1 + 43 + 1 + 8
    random = secret.split("_")[2]
    assert random not in repr(row)
    assert len(row.digest) == 32
    assert key.id.removeprefix("key_") in secret


def test_use_is_noted_to_the_minute(database: Database) -> None:
    with database.write() as connection:
        key, secret = keys.create(connection, "ci", ["read"])
        assert keys.needs_touch(key, T0)
        keys.touch(connection, key, T0 + 61_000_000)
    used = _authenticate(database, secret)
    assert used is not None
    assert used.last_used_at == T0 + 60_000_000
    assert not keys.needs_touch(used, T0 + 119_000_000)
    assert keys.needs_touch(used, T0 + 120_000_000)


def test_an_answer_is_stored_once(database: Database) -> None:
    answer = StoredAnswer("key", b"\x00" * 32, 202, '{"accepted": 1}', None, T0)
    with database.write() as connection:
        assert idempotency.get(connection, "key") is None
        idempotency.put(connection, answer)
    with database.read() as connection:
        assert idempotency.get(connection, "key") == answer
    with pytest.raises(Conflict, match="same request") as conflict, database.write() as connection:
        idempotency.put(connection, answer._replace(status=200))
    assert conflict.value.code == "idempotency_in_flight"
    with database.write() as connection:
        assert idempotency.prune(connection, T0) == 0
        assert idempotency.prune(connection, T0 + 1) == 1


def test_ids_are_redacted_as_they_are(database: Database) -> None:
    """An id with characters that LIKE, JSON or case would confuse takes only itself out."""
    stream = new_stream(database)
    response = '{"items": ["a_b", "axb", "A_B", "a_bc", "q\\"uote"]}'
    with database.write() as connection:
        idempotency.put(connection, StoredAnswer("key", b"", 202, response, stream.id, T0))
        idempotency.redact(connection, stream.id, ["a_b", 'q"uote'])
        stored = idempotency.get(connection, "key")
    assert stored is not None
    assert stored.response == '{"items": ["erased", "axb", "A_B", "a_bc", "erased"]}'


def test_all_get_the_same_secret(database: Database) -> None:
    def ask(_: int) -> bytes:
        with database.write() as connection:
            return secrets.get_or_create(connection, "salt")

    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(ask, range(8)))
    assert len(made) == 1
    with database.read() as connection:
        assert {secrets.get(connection, "salt")} == made
        assert secrets.get(connection, "other") is None


def test_workers_come_and_go(database: Database) -> None:
    worker = WorkerRow("w", "http://127.0.0.1:1", "token", "host", 1, T0, False)
    with database.write() as connection:
        assert not workers.beat(connection, "w", T0)
        workers.announce(connection, worker)
        workers.announce(connection, worker._replace(address="http://127.0.0.1:2"))
        workers.announce(connection, worker._replace(id="draining", draining=True, seen_at=T0 + 9))
        assert workers.beat(connection, "w", T0 + 5)
        assert [row.id for row in workers.alive(connection, T0 + 5)] == ["w", "draining"]
        assert [row.id for row in workers.alive(connection, T0 + 6)] == ["draining"]
        assert workers.forget(connection, T0 + 9) == 1
        workers.leave(connection, "draining")
        assert workers.alive(connection, 0) == []


def test_a_chain_keeps_its_snapshot_until_it_is_dropped(database: Database) -> None:
    stream = new_stream(database)
    with database.write() as connection:
        assert chains.load(connection, stream.id) is None
        chains.save_chain(connection, stream.id, b"one")
        chains.save_snapshot(connection, stream.id, b"\x00\xff", 7, 3, T0)
        chains.save_chain(connection, stream.id, b"two")
        assert chains.load(connection, stream.id) == (b"two", b"\x00\xff", 7, 3, T0)
        chains.drop_snapshot(connection, stream.id)
        assert chains.load(connection, stream.id) == (b"two", None, None, None, None)
