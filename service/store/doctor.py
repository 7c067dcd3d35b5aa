"""Does the database hold what it must? Every promise about rows, checked by reading them all again."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, and_, func, or_, select, text
from sqlalchemy.sql.elements import ColumnElement

from service.store import lifecycles, tasks
from service.store.database import Database
from service.store.dialects import unhurried
from service.store.streams import StreamRow, list_page
from service.store.tables import assignments, attempts, documents, erasures, events, threads
from service.store.tables import tasks as task_table


class Finding(NamedTuple):
    """A promise that is broken; stream: its name, or None if the whole database is concerned."""

    code: str
    stream: str | None
    detail: str


Check = Callable[[Connection, StreamRow], Iterator[tuple[str, str]]]


def examine(database: Database) -> list[Finding]:
    """Everything that is wrong, from one consistent view; an empty list is a clean bill of health."""
    with database.read() as connection:
        unhurried(connection)
        found = [Finding(code, None, detail) for code, detail in _database(connection)]
        for stream in list_page(connection, limit=1_000_000):
            for check in CHECKS:
                found += [Finding(code, stream.name, detail) for code, detail in check(connection, stream)]
    return found


def _database(connection: Connection) -> Iterator[tuple[str, str]]:
    if connection.dialect.name == "sqlite":
        for row in connection.execute(text("PRAGMA integrity_check")):
            if row[0] != "ok":
                yield "file_damaged", row[0]
        for row in connection.execute(text("PRAGMA foreign_key_check")):
            yield "orphan", f"a row of {row[0]} belongs to no stream"
    left = select(erasures.c.seq).where(erasures.c.task_id == task_table.c.id).exists()
    waiting = (task_table.c.type == "erasure", task_table.c.status.in_(tasks.UNFINISHED), ~left)
    for task_id in connection.scalars(select(task_table.c.id).where(*waiting)):
        yield "task_stuck", f"{task_id} has nothing left to erase and is not finished"


def _documents(connection: Connection, stream: StreamRow) -> Iterator[tuple[str, str]]:
    own = documents.c.stream_id == stream.id
    there, last = connection.execute(select(func.count(), func.max(documents.c.seq)).where(own)).one()
    if there != stream.accepted - stream.removed:
        yield "documents_missing", f"{stream.accepted} accepted, {stream.removed} removed, but {there} are there"
    if (last or 0) > stream.accepted:
        yield "seq_ahead", f"document {last} lies beyond the last accepted, {stream.accepted}"
    if not 0 <= stream.cursor <= stream.accepted:
        yield "cursor_ahead", f"the cursor is {stream.cursor} of {stream.accepted} accepted"
    twice = select(documents.c.id).where(own, documents.c.id.is_not(None)).group_by(documents.c.id)
    for number in _count(connection, twice.having(func.count() > 1)):
        yield "id_twice", f"{number} ids occur more than once"


def _assignments(connection: Connection, stream: StreamRow) -> Iterator[tuple[str, str]]:
    handled = (documents.c.stream_id == stream.id, documents.c.seq <= stream.cursor, documents.c.id.is_not(None))
    for number in _count(connection, select(documents.c.seq).where(*handled, ~_same(assignments, documents))):
        yield "unassigned", f"{number} handled documents have no assignment"
    mine = select(assignments.c.seq).where(assignments.c.stream_id == stream.id)
    for number in _count(connection, mine.where(assignments.c.seq > stream.cursor)):
        yield "assigned_ahead", f"{number} assignments lie beyond the cursor"
    for number in _count(
        connection, mine.where(~_same(documents, assignments, documents.c.time == assignments.c.time))
    ):
        yield "orphan", f"{number} assignments have no document of their time"
    thread = select(threads.c.thread).where(threads.c.stream_id == stream.id, threads.c.thread == assignments.c.thread)
    lost = or_(
        and_(assignments.c.state == "quarantined", assignments.c.thread.is_not(None)),
        and_(assignments.c.state.in_(["provisional", "settled"]), ~thread.exists()),
        and_(assignments.c.state == "late", assignments.c.thread.is_not(None), ~thread.exists()),
    )
    for number in _count(connection, mine.where(lost)):
        yield "no_thread", f"{number} assignments name no thread that exists"
    for table in (attempts, erasures):
        for number in _count(
            connection, select(table.c.seq).where(table.c.stream_id == stream.id, ~_same(documents, table))
        ):
            yield "orphan", f"{number} {table.name} have no document"


def _sizes(connection: Connection, stream: StreamRow) -> Iterator[tuple[str, str]]:
    """Thread sizes, counted again from the assignments; a late document is in no thread's size."""
    own = (assignments.c.stream_id == stream.id, assignments.c.state.in_(("provisional", "settled")))
    window = func.count().filter(assignments.c.state == "provisional")
    query = select(assignments.c.thread, func.count(), window).where(*own).group_by(assignments.c.thread)
    counted = {thread: (size, inside) for thread, size, inside in connection.execute(query)}
    columns = (threads.c.thread, threads.c.size, threads.c.window_size)
    for thread, *stored in connection.execute(select(*columns).where(threads.c.stream_id == stream.id)):
        size, inside = counted.get(thread, (0, 0))
        if [size, inside] != stored:
            yield (
                "thread_size",
                f"thread {thread} says {stored[0]} ({stored[1]} in the window), but has {size} ({inside})",
            )


def _events(connection: Connection, stream: StreamRow) -> Iterator[tuple[str, str]]:
    own = events.c.stream_id == stream.id
    query = select(func.count(), func.min(events.c.seq), func.max(events.c.seq)).where(own)
    there, first, last = connection.execute(query).one()
    if (there, first or 1, last or 0) != (stream.next_event - 1, 1, stream.next_event - 1):
        yield "event_gap", f"{there} events from {first} to {last}, but the next is {stream.next_event}"


def _counters(connection: Connection, stream: StreamRow) -> Iterator[tuple[str, str]]:
    waiting = select(erasures.c.seq).where(erasures.c.stream_id == stream.id)
    number = next(_count(connection, waiting), 0)
    if number != stream.pending_erasures:
        yield "erasure_count", f"{stream.pending_erasures} erasures are said to wait, but {number} do"
    for table, column in ((assignments, "since"), (threads, "version"), (events, "model_version")):
        newer = select(table.c.stream_id).where(table.c.stream_id == stream.id, table.c[column] > stream.model_version)
        for number in _count(connection, newer):
            yield "version_ahead", f"{number} {table.name} are newer than model version {stream.model_version}"
    if stream.lease_epoch < 0 or (stream.lease_owner is not None and stream.lease_epoch == 0):
        yield "lease_epoch", f"the lease has an owner but the epoch {stream.lease_epoch}"


CHECKS: tuple[Check, ...] = (_documents, _assignments, _sizes, _events, lifecycles.differences, _counters)


def _same(table: Table, other: Table, *more: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether the table has a row for the same document."""
    same = (table.c.stream_id == other.c.stream_id, table.c.seq == other.c.seq)
    return select(table.c.seq).where(*same, *more).exists()


def _count(connection: Connection, query: Select[Any]) -> Iterator[int]:
    """The number of rows, unless it is 0."""
    number = connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()
    if number:
        yield number
