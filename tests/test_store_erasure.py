"""Erasure: gone for readers at once, from every row when the worker is done, and from SQLite's files after that."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select, update

from service.store import chains, documents, erasures, events, idempotency, tasks, threads
from service.store.database import Database
from service.store.doctor import examine
from service.store.events import NewEvent
from service.store.idempotency import StoredAnswer
from service.store.streams import StreamRow
from service.store.tables import events as event_table
from service.store.tables import metadata
from service.store.tables import streams as stream_table
from tests.rows import T0, handle, new_document, new_stream, new_thread, post, read_stream

CANARY = "zyzzyva"


def _erase_as_worker(database: Database, stream: StreamRow) -> list[erasures.ErasureRow]:
    """What the worker writes once the engine has let the documents go."""
    with database.write() as connection:
        waiting = erasures.pending(connection, stream.id, 100)
        erasures.finish(connection, stream.id, [row.seq for row in waiting])
        left = len(documents.list_page(connection, stream.id, thread=1, limit=1000))
        threads.upsert_rows(connection, stream.id, [new_thread(1, left)])
        chains.save_chain(connection, stream.id, b"without it")
    return waiting


def _with_canary(database: Database) -> StreamRow:
    """A stream in which one document's id, text, words and title are in as many places as they can be."""
    stream = new_stream(database)
    secret = new_document(f"id-{CANARY}", f"text {CANARY} " * 400, title=f"title {CANARY}")
    post(database, stream, [new_document("plain"), secret._replace(author=CANARY, metadata=json.dumps({"k": CANARY}))])
    handle(database, stream)
    answer = json.dumps({"items": [{"id": "plain"}, {"id": f"id-{CANARY}"}]})
    with database.write() as connection:
        threads.upsert_rows(connection, stream.id, [new_thread(1, 2, CANARY, [CANARY])])
        chains.save_chain(connection, stream.id, CANARY.encode())
        chains.save_snapshot(connection, stream.id, CANARY.encode() * 3000, 2, 1, T0)
        idempotency.put(connection, StoredAnswer("key", b"body", 202, answer, stream.id, T0))
        moved = NewEvent("document.moved", T0, T0, 1, 1, 2, 1)
        events.append(connection, stream.id, 2, [moved])
        connection.execute(update(stream_table).values(next_event=3))
    return stream


def _rows_with_canary(database: Database) -> list[str]:
    found = []
    with database.read() as connection:
        for table in metadata.sorted_tables:
            found += [table.name for row in connection.execute(select(table)) if CANARY in repr(tuple(row))]
    return found


def test_erasure_reaches_every_row(database: Database) -> None:
    stream = _with_canary(database)
    assert set(_rows_with_canary(database)) == {"documents", "assignments", "threads", "chains", "idempotency"}
    with database.write() as connection:
        task_id = documents.request_erasure(connection, stream.id, [f"id-{CANARY}", "unknown"], T0)
    with database.read() as connection:
        assert documents.get(connection, stream.id, f"id-{CANARY}") is None
        assert [row.id for row in documents.list_page(connection, stream.id, limit=9)] == ["plain"]
        assert [row.document_id for row in events.after(connection, stream.id, 1, 9)] == [None]
        task = tasks.get(connection, task_id)
    assert task is not None
    assert (task.status, task.details) == ("enqueued", {"requested": 2, "documents": 1, "erased": 0})
    waiting = _erase_as_worker(database, stream)
    assert [(row.seq, row.thread, row.state, CANARY in (row.words or "")) for row in waiting] == [
        (2, 1, "provisional", True)
    ]
    assert _rows_with_canary(database) == []
    with database.read() as connection:
        task = tasks.get(connection, task_id)
        assert connection.scalars(select(event_table.c.document)).all() == [None, None]
        stored = idempotency.get(connection, "key")
    assert task is not None
    assert (task.status, task.details["erased"]) == ("succeeded", 1)
    assert stored is not None
    assert json.loads(stored.response) == {"items": [{"id": "plain"}, {"id": "erased"}]}
    assert read_stream(database, stream).pending_erasures == 0
    assert examine(database) == []


def test_erased_bytes_leave_the_files_of_sqlite(sqlite_url: str, tmp_path: Path) -> None:
    database = Database(sqlite_url)
    stream = _with_canary(database)

    def files_with_canary() -> list[str]:
        return [file.name for file in tmp_path.iterdir() if CANARY.encode() in file.read_bytes()]

    assert files_with_canary() == ["threadline.db-wal"]
    assert database.scrub()
    assert files_with_canary() == ["threadline.db"]
    with database.write() as connection:
        documents.request_erasure(connection, stream.id, [f"id-{CANARY}"], T0)
    _erase_as_worker(database, stream)
    with database.read() as connection:
        connection.execute(select(stream_table)).all()
        assert files_with_canary() != []
    assert database.scrub()
    assert files_with_canary() == []
    database.dispose()


def test_a_reader_in_the_way_is_told(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    new_stream(database)
    with database.read() as connection:
        connection.execute(select(stream_table)).all()
        new_stream(database, "other")
        assert not database.scrub()
    assert database.scrub()
    database.dispose()


def test_a_late_retry_brings_nothing_back(database: Database) -> None:
    stream, other = new_stream(database), new_stream(database, "other")
    post(database, stream, [new_document("a"), new_document("b")])
    with database.write() as connection:
        documents.request_erasure(connection, stream.id, ["a"], T0)
    assert post(database, stream, [new_document("a")]) == [("rejected", "a", None, "erased")]
    handle(database, stream)
    _erase_as_worker(database, stream)
    assert post(database, stream, [new_document("a")], "replace") == [("rejected", "a", None, "erased")]
    assert post(database, other, [new_document("a")]) == [("accepted", "a", 1, None)]
    assert examine(database) == []


@pytest.mark.parametrize("handled", [False, True])
def test_erasing_in_two_parts(database: Database, handled: bool) -> None:
    """A task ends when its last document is gone, also when some were never handled."""
    stream = new_stream(database)
    post(database, stream, [new_document(name) for name in "abcd"])
    if handled:
        handle(database, stream)
    with database.write() as connection:
        task_id = documents.request_erasure(connection, stream.id, ["a", "b", "c"], T0)
        erasures.finish(connection, stream.id, [1, 2])
        task = tasks.get(connection, task_id)
    assert task is not None
    assert (task.status, task.details["erased"]) == ("processing", 2)
    with database.write() as connection:
        assert [row.seq for row in erasures.pending(connection, stream.id, 9)] == [3]
        erasures.finish(connection, stream.id, [3])
        task = tasks.get(connection, task_id)
    assert task is not None
    assert (task.status, task.details["erased"]) == ("succeeded", 3)
    assert read_stream(database, stream).removed == 3


def test_nothing_to_erase_is_a_finished_task(database: Database) -> None:
    stream = new_stream(database)
    with database.write() as connection:
        task = tasks.get(connection, documents.request_erasure(connection, stream.id, ["none"], T0))
    assert task is not None
    assert task.status == "succeeded"
