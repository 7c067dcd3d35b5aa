"""Streams: names, settings, leases and the fence, and what is left after they are deleted."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from sqlalchemy import func, select

from service.store import attempts, documents, leases, owners, purge, streams, tasks
from service.store.database import Database
from service.store.doctor import examine
from service.store.problems import Conflict, Fenced, NotFound
from service.store.tables import metadata
from service.store.tables import streams as table
from tests.rows import DAY, OWNER, T0, handle, new_document, new_stream, post, read_stream

OTHER = "elsewhere/2/2/b"


def test_names_are_unique_and_settings_have_versions(database: Database) -> None:
    stream = new_stream(database)
    with pytest.raises(Conflict, match="exists") as conflict:
        new_stream(database)
    assert conflict.value.code == "stream_exists"
    with database.write() as connection:
        changed = streams.change(connection, stream.id, {"model": "crp", "ü": [1.5, None]}, 1)
    assert changed == read_stream(database, stream)
    assert (changed.version, changed.settings) == (2, {"model": "crp", "ü": [1.5, None]})
    with pytest.raises(Conflict, match="meanwhile"), database.write() as connection:
        streams.change(connection, stream.id, {}, 1)
    with database.read() as connection:
        assert streams.find(connection, "mail") == changed
        assert streams.find(connection, "nothing") is None
    with pytest.raises(NotFound), database.write() as connection:
        streams.change(connection, "str_nothing", {}, None)


def test_a_deleted_stream_leaves_nothing(database: Database) -> None:
    stream, other = new_stream(database), new_stream(database, "other")
    for each in (stream, other):
        post(database, each, [new_document(f"d{number}") for number in range(30)])
        handle(database, each)
    with database.write() as connection:
        documents.request_erasure(connection, stream.id, ["d1"], T0)
        task_id = streams.mark_deleted(connection, stream.id)
        with pytest.raises(Fenced):
            leases.guard(connection, stream.id, OWNER, 1, cursor=0)
        assert leases.acquire(connection, stream.id, OTHER, None, DAY, T0) is None
    with database.read() as connection:
        assert streams.find(connection, "mail") is None
        assert streams.find(connection, stream.id) is None
        task = tasks.next_deletion(connection)
    assert task is not None
    assert (task.id, task.stream_id, task.status) == (task_id, stream.id, "enqueued")
    new_stream(database)  # the name is free at once
    rounds, done = 0, False
    while not done:
        rounds += 1
        with database.write() as connection:
            done = purge.purge_some(connection, stream.id, rows=7)
            if done:
                tasks.finish(connection, task_id)
    assert rounds > 5
    with database.read() as connection:
        for rows in metadata.sorted_tables:
            if "stream_id" in rows.c and rows.name != "tasks":
                left = select(func.count()).select_from(rows).where(rows.c.stream_id == stream.id)
                assert connection.execute(left).scalar_one() == 0, rows.name
        assert connection.execute(select(func.count()).where(table.c.id == stream.id)).scalar_one() == 0
        assert tasks.next_deletion(connection) is None
        assert len(documents.list_page(connection, other.id, limit=100)) == 30


def test_a_lease_is_held_by_one(database: Database) -> None:
    stream = new_stream(database)
    with database.write() as connection:
        assert leases.acquire(connection, stream.id, OWNER, "http://a", 10, T0) == (1, None)
        assert leases.acquire(connection, stream.id, OTHER, "http://b", 10, T0 + 9) is None
        assert leases.renew(connection, stream.id, OWNER, 1, 10, T0 + 9)
        assert leases.acquire(connection, stream.id, OTHER, "http://b", 10, T0 + 18) is None
        assert leases.acquire(connection, stream.id, OTHER, "http://b", 10, T0 + 19) == (2, OWNER)
        assert not leases.renew(connection, stream.id, OWNER, 1, 10, T0 + 19)
        assert not leases.release(connection, stream.id, OWNER, 1)
        assert leases.release(connection, stream.id, OTHER, 2)
        assert leases.acquire(connection, stream.id, OWNER, None, 10, T0) == (3, None)
        assert leases.acquire(connection, stream.id, OWNER, None, 10, T0) == (4, None)


def test_a_worker_that_lost_its_lease_writes_nothing(database: Database) -> None:
    stream = new_stream(database)
    with database.write() as connection:
        leases.acquire(connection, stream.id, OWNER, None, 10, T0)
        leases.acquire(connection, stream.id, OTHER, None, 10, T0 + 10)
    with pytest.raises(Fenced), database.write() as connection:
        leases.guard(connection, stream.id, OWNER, 1, cursor=5, statistics={})
    with pytest.raises(Fenced), database.write() as connection:
        leases.guard(connection, stream.id, OTHER, 1)
    with database.write() as connection:
        leases.guard(connection, stream.id, OTHER, 2, model_version=3, statistics={"window": 1})
        leases.guard(connection, stream.id, OTHER, 2)
    after = read_stream(database, stream)
    assert (after.cursor, after.model_version, after.statistics) == (0, 3, {"window": 1})


@pytest.fixture
def child() -> Iterator[subprocess.Popen[str]]:
    program = "import sys; from service.store.owners import new_owner; print(new_owner(), flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", program]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def test_the_lease_of_a_dead_process_is_taken_at_once(database: Database, child: subprocess.Popen[str]) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document("a")])
    assert child.stdout is not None
    owner, mine = child.stdout.readline().strip(), owners.new_owner()
    with database.write() as connection:
        leases.acquire(connection, stream.id, owner, None, DAY, T0)
        assert not owners.is_dead(owner)
        assert leases.acquire(connection, stream.id, mine, None, DAY, T0) is None
        assert leases.work(connection, T0, mine) == []
        assert leases.work(connection, T0, owner) == [stream.id]
    child.kill()
    child.wait()
    assert owners.is_dead(owner)
    with database.write() as connection:
        assert leases.work(connection, T0, mine) == [stream.id]
        assert leases.acquire(connection, stream.id, mine, None, DAY, T0) == (2, owner)


def test_owners_elsewhere_are_never_taken_for_dead() -> None:
    own = owners.new_owner()
    host, process, start, _ = own.split("/")
    assert int(process) == os.getpid()
    assert not owners.is_dead(own)
    assert owners.is_dead(f"{host}/{process}/{start}0/x")
    assert not owners.is_dead(f"elsewhere/{process}/{start}0/x")
    assert not owners.is_dead("anything")


def test_work_is_given_to_the_stream_most_behind(database: Database) -> None:
    quiet, some, most = (new_stream(database, name) for name in ("quiet", "some", "most"))
    post(database, some, [new_document(None)])
    post(database, most, [new_document(None)] * 3)
    with database.write() as connection:
        assert leases.work(connection, T0, OWNER) == [most.id, some.id]
        leases.acquire(connection, most.id, OTHER, None, DAY, T0)
        assert leases.work(connection, T0, OWNER) == [some.id]
    handle(database, some)  # handled, but not at rest
    with database.write() as connection:
        assert leases.work(connection, T0, OWNER) == [some.id]
        leases.guard(connection, some.id, OWNER, 1, swept_at=T0)
        assert leases.work(connection, T0, OWNER) == []
        documents.request_erasure(connection, some.id, [], T0)
        assert leases.work(connection, T0, OWNER) == []
        row = documents.list_page(connection, some.id, limit=1)[0]
        documents.request_erasure(connection, some.id, [row.id], T0)
        assert leases.work(connection, T0, OWNER) == [some.id]
    assert read_stream(database, quiet).pending == 0


def test_attempts_and_a_second_chance(database: Database) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document("good"), new_document("bad")])
    handle(database, stream)
    with database.write() as connection:
        assert [attempts.record(connection, stream.id, 2) for _ in range(3)] == [1, 2, 3]
        attempts.note(connection, stream.id, 2, "ValueError")
        assert attempts.reason(connection, stream.id, 2) == "ValueError"
        assert attempts.reason(connection, stream.id, 1) is None
        assert attempts.counts(connection, stream.id) == {2: 3}
    with pytest.raises(Conflict, match="quarantined"), database.write() as connection:
        attempts.retry(connection, stream.id, 2, T0)
    with pytest.raises(NotFound), database.write() as connection:
        attempts.retry(connection, stream.id, 9, T0)
    rows = metadata.tables["assignments"]
    with database.write() as connection:
        connection.execute(rows.update().where(rows.c.seq == 2).values(state="quarantined", thread=None))
        assert attempts.retry(connection, stream.id, 2, T0) == 3
        assert attempts.counts(connection, stream.id) == {}
        retried = documents.get(connection, stream.id, "bad")
    assert retried is not None
    assert (retried.seq, retried.state) == (3, "pending")
    handle(database, stream)
    assert examine(database) == []
