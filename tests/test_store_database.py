"""Transactions: all or nothing, durable, consistent for readers, and failures in the store's own words."""

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from service import times
from service.store import documents, streams
from service.store.database import PRAGMAS, Database
from service.store.problems import DiskFull, Refused, Unavailable
from tests.rows import new_document, new_stream, post, read_stream


def test_a_failed_transaction_leaves_nothing(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as connection:
        streams.create(connection, "mail", {"x": 1 / len(streams.list_page(connection, 1))})
    with database.read() as connection:
        assert streams.count(connection) == 0


def test_a_read_is_one_view(database: Database) -> None:
    new_stream(database)
    with database.read() as connection:
        assert streams.count(connection) == 1
        new_stream(database, "other")
        assert streams.count(connection) == 1
    with database.read() as connection:
        assert streams.count(connection) == 2


def test_time_is_the_database_s(database: Database) -> None:
    with database.read() as connection:
        first, second = database.now(connection), database.now(connection)
    assert first <= second
    assert abs(second - times.now()) < 60_000_000


def test_writes_take_the_lock_first(sqlite_url: str) -> None:
    """Another process would get "locked" at once if a write began as a read."""
    database = Database(sqlite_url)
    other = sqlite3.connect(make_url(sqlite_url).database or "", timeout=0, isolation_level=None)
    with database.write(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")
    other.execute("BEGIN IMMEDIATE")
    other.execute("ROLLBACK")
    other.close()
    database.dispose()


def test_writers_and_readers_do_not_meet_locks(database: Database) -> None:
    stream = new_stream(database)
    start = threading.Barrier(8)

    def use(user: int) -> None:
        start.wait()
        for _ in range(20):
            if user % 2:
                post(database, stream, [new_document(None)] * 5)
            else:
                read_stream(database, stream)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(8)))
    assert read_stream(database, stream).accepted == 4 * 20 * 5


def test_sqlite_is_set_up_to_survive_loss_of_power(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with database.read() as connection:
        value = {name: connection.execute(text(f"PRAGMA {name}")).scalar_one() for name in _pragma_names()}
    database.dispose()
    assert (value["journal_mode"], value["synchronous"], value["foreign_keys"], value["secure_delete"]) == (
        "wal",
        2,
        1,
        1,
    )


def _pragma_names() -> list[str]:
    return [pragma.removeprefix("PRAGMA ").partition("=")[0] for pragma in PRAGMAS]


def test_a_full_disk_is_said_and_passes(sqlite_url: str) -> None:
    database = Database(sqlite_url, pool=1)
    stream = new_stream(database)
    with database.read() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        connection.execute(text(f"PRAGMA max_page_count={pages + 4}"))
    with pytest.raises(DiskFull):
        post(database, stream, [new_document(None, "long text " * 10_000)])
    with database.read() as connection:
        assert documents.list_page(connection, stream.id, limit=1) == []
        connection.execute(text("PRAGMA max_page_count=1000000"))
    assert post(database, stream, [new_document(None, "long text " * 10_000)])[0].status == "accepted"
    database.dispose()


def test_a_database_that_is_not_there(tmp_path: Path) -> None:
    for url in (f"sqlite:///{tmp_path / 'no' / 'such.db'}", f"postgresql+psycopg://nobody@/none?host={tmp_path}"):
        database = Database(url)
        with pytest.raises(Unavailable, match="does not answer"), database.read():
            pass
        database.dispose()
    with pytest.raises(ValueError, match="must be sqlite"):
        Database("mysql://host/name")


def test_a_lost_connection_heals(postgres_url: str) -> None:
    database, killer = Database(postgres_url, pool=1), Database(postgres_url, pool=1)
    stream = new_stream(database)
    with pytest.raises(Unavailable), database.write() as connection:
        _cut_others(killer, documents.ingest(connection, stream.id, [new_document("a")], 0, pending_limit=9))
    assert post(database, stream, [new_document("a")])[0].status == "accepted"
    _cut_others(killer)
    assert post(database, stream, [new_document("b")])[0].seq == 2
    for each in (database, killer):
        each.dispose()


def _cut_others(database: Database, *_: object) -> None:
    others = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
    with database.write() as connection:
        connection.execute(text(f"SELECT pg_terminate_backend(pid) {others}"))


@pytest.mark.parametrize(("setting", "value"), [("synchronous_commit", "off"), ("synchronous_commit", "local")])
def test_a_server_that_does_not_wait_for_its_disk_is_refused(postgres_url: str, setting: str, value: str) -> None:
    url = make_url(postgres_url).update_query_dict({"options": f"-c {setting}={value}"})
    database = Database(url.render_as_string(hide_password=False))
    with pytest.raises(Unavailable, match="set it to on"), database.read():
        pass
    database.dispose()


def test_no_text_of_a_document_gets_into_an_error(database: Database) -> None:
    stream = new_stream(database)
    broken = new_document("a", "a secret")._replace(time=None)  # type: ignore[arg-type]
    with pytest.raises(Refused, match=r"(?i)null") as error:
        post(database, stream, [broken])
    assert "secret" not in str(error.value)


def test_reads_do_not_wait_for_a_write(database: Database) -> None:
    new_stream(database)
    with database.write() as connection:
        streams.create(connection, "other", {})
        began = time.monotonic()
        with database.read() as reading:
            assert streams.count(reading) == 1
        assert time.monotonic() - began < 4
