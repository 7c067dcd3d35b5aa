"""The doctor finds each fault that is planted, and nothing in a healthy database."""

import sqlite3
from typing import Any

import pytest
from sqlalchemy import Table, delete, insert, literal, make_url, select, update

from service.store import documents, tasks
from service.store.database import Database
from service.store.doctor import examine
from service.store.tables import assignments, attempts, erasures, events, streams, threads
from service.store.tables import documents as document_table
from tests.rows import T0, handle, new_document, new_stream, post

BORN = {"type": "thread.born", "occurred_at": T0, "recorded_at": T0, "thread": 1, "model_version": 1}


def _change(table: Table, **values: Any) -> Any:
    return update(table).values(**values)


def _third(table: Table) -> Any:
    return delete(table).where(table.c.seq == 3)


FAULTS: dict[str, tuple[Any, set[str]]] = {
    "a document is lost": (_third(document_table), {"documents_missing", "orphan"}),
    "a number is beyond the last": (
        _change(document_table, seq=99).where(document_table.c.seq == 4),
        {"seq_ahead", "orphan"},
    ),
    "the cursor is beyond the last": (_change(streams, cursor=9), {"cursor_ahead", "unassigned"}),
    "the cursor fell back": (_change(streams, cursor=2), {"assigned_ahead"}),
    "an assignment is lost": (_third(assignments), {"unassigned", "thread_size"}),
    "an assignment has another time": (_change(assignments, time=0).where(assignments.c.seq == 3), {"orphan"}),
    "an assignment has no thread": (
        _change(assignments, thread=None).where(assignments.c.seq == 3),
        {"no_thread", "thread_size"},
    ),
    "an assignment has an unknown thread": (
        _change(assignments, thread=7).where(assignments.c.seq == 3),
        {"no_thread", "thread_size"},
    ),
    "a quarantined document has a thread": (_change(assignments, state="quarantined"), {"no_thread", "thread_size"}),
    "a size is wrong": (_change(threads, size=5), {"thread_size"}),
    "a window is wrong": (_change(threads, window_size=1), {"thread_size"}),
    "a thread without birth": (
        _change(events, type="document.moved"),
        {"thread_events"},
    ),
    "a death that nobody told": (_change(threads, state="dead"), {"thread_events"}),
    "a merge that nobody told": (_change(threads, merged_into=2), {"thread_events"}),
    "a thread is lost": (delete(threads), {"no_thread", "thread_events"}),
    "an event is lost": (delete(events), {"event_gap", "thread_events"}),
    "an event has a wrong number": (_change(events, seq=2), {"event_gap"}),
    "the next event is wrong": (_change(streams, next_event=3), {"event_gap"}),
    "rows of the future": (_change(streams, model_version=0), {"version_ahead"}),
    "an owner without epoch": (_change(streams, lease_epoch=0), {"lease_epoch"}),
    "erasures were miscounted": (_change(streams, pending_erasures=1), {"erasure_count"}),
    "an attempt at nothing": (
        insert(attempts).from_select(["stream_id", "seq", "count"], select(streams.c.id, literal(9), literal(1))),
        {"orphan"},
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_planted_fault_is_found(database: Database, fault: str) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document(f"d{number}") for number in range(4)])
    handle(database, stream)
    post(database, stream, [new_document("pending")])
    assert examine(database) == []
    statement, codes = FAULTS[fault]
    with database.write() as connection:
        connection.execute(statement)
    found = examine(database)
    assert {finding.code for finding in found} == codes
    assert {finding.stream for finding in found} == {"mail"}


def test_an_erasure_task_that_cannot_end(database: Database) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document("a")])
    with database.write() as connection:
        documents.request_erasure(connection, stream.id, ["a"], T0)
    assert examine(database) == []
    with database.write() as connection:
        connection.execute(delete(erasures))
        connection.execute(_change(streams, pending_erasures=0))
    assert [finding.code for finding in examine(database)] == ["task_stuck"]
    with database.write() as connection:
        tasks.fail(connection, tasks.list_page(connection, 1)[0].id, "given up")
    assert examine(database) == []


@pytest.mark.parametrize(
    ("told", "healthy"),
    [
        (["thread.died", "thread.revived"], True),
        (["thread.dormant", "thread.revived"], True),
        (["thread.dormant"], False),
        (["thread.merged"], False),
        (["thread.born"], False),
        (["thread.split"], False),
    ],
)
def test_events_tell_the_state(database: Database, told: list[str], healthy: bool) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document("a")])
    handle(database, stream)
    with database.write() as connection:
        rows = [BORN | {"stream_id": stream.id, "seq": seq, "type": kind} for seq, kind in enumerate(told, 2)]
        connection.execute(insert(events), rows)
        connection.execute(_change(streams, next_event=2 + len(told)))
    assert [finding.code for finding in examine(database)] == ([] if healthy else ["thread_events"])


def test_a_damaged_file_is_found(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with database.write() as connection:
        connection.exec_driver_sql("PRAGMA writable_schema=ON")
        connection.exec_driver_sql("DELETE FROM sqlite_schema WHERE name = 'ix_tasks_status_enqueued_at'")
    database.dispose()
    assert {finding.code for finding in examine(database)} == {"file_damaged"}
    database.dispose()


def test_rows_of_no_stream_are_found(sqlite_url: str) -> None:
    raw = sqlite3.connect(make_url(sqlite_url).database or "")  # which does not watch foreign keys
    raw.execute("INSERT INTO attempts (stream_id, seq, count) VALUES ('str_none', 1, 1)")
    raw.commit()
    raw.close()
    database = Database(sqlite_url)
    assert [finding.code for finding in examine(database)] == ["orphan"]
    database.dispose()
