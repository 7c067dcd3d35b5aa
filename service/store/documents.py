"""Documents out: one, a page, those that wait; each with what the model says of it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, case, literal, select, tuple_
from sqlalchemy.sql.elements import ColumnElement

from service.store import streams as stream_rows
from service.store import tasks
from service.store.dialects import one_each
from service.store.idempotency import redact
from service.store.ingest import NewDocument, OnConflict, Outcome, hide, ingest, request, stored
from service.store.tables import assignments, documents, streams
from service.store.tombstones import bury

__all__ = [
    "DocumentRow",
    "NewDocument",
    "OnConflict",
    "Outcome",
    "PendingRow",
    "by_seqs",
    "get",
    "ingest",
    "list_page",
    "pending_after",
    "request_erasure",
    "titles",
]
CHUNK = 5_000
PENDING = "pending"


class DocumentRow(NamedTuple):
    """state: pending, provisional, settled, late or quarantined; metadata, words and parts are JSON."""

    seq: int
    id: str
    time: int
    arrived_at: int
    title: str | None
    author: str | None
    text: str | None
    vector: bytes | None
    metadata: str | None
    digest: bytes
    state: str
    thread: int | None
    probability: float | None
    since: int | None
    words: str | None
    parts: str | None
    error: str | None


class PendingRow(NamedTuple):
    """What the worker needs of a document that waits."""

    seq: int
    time: int
    arrived_at: int
    title: str | None
    text: str | None
    vector: bytes | None
    author: str | None
    metadata: str | None


WAITING = tuple(documents.c[name] for name in PendingRow._fields)
STATE: ColumnElement[str] = case((assignments.c.seq.is_(None), literal(PENDING)), else_=assignments.c.state)
COLUMNS: tuple[ColumnElement[Any], ...] = (
    *(documents.c[name] for name in DocumentRow._fields[:10]),
    STATE.label("state"),
    *(assignments.c[name] for name in DocumentRow._fields[11:]),
)
SAME = (assignments.c.stream_id == documents.c.stream_id) & (assignments.c.seq == documents.c.seq)


def get(connection: Connection, stream_id: str, document_id: str) -> DocumentRow | None:
    rows = _rows(connection, _visible(stream_id).where(documents.c.id == document_id))
    return rows[0] if rows else None


def by_seqs(connection: Connection, stream_id: str, seqs: Sequence[int]) -> list[DocumentRow]:
    """In the order of arrival; documents that were erased are left out."""
    found: list[DocumentRow] = []
    asked = sorted(set(seqs))
    for start in range(0, len(asked), CHUNK):
        some = documents.c.seq.in_(asked[start : start + CHUNK])
        found += _rows(connection, _visible(stream_id).where(some).order_by(documents.c.seq))
    return found


def titles(connection: Connection, stream_id: str, seqs: Sequence[int]) -> dict[int, str]:
    """The titles of those of the documents that have one."""
    titled = (documents.c.stream_id == stream_id, documents.c.id.is_not(None), documents.c.title.is_not(None))
    query = select(documents.c.seq, documents.c.title).where(*titled)
    found: dict[int, str] = {}
    for start in range(0, len(seqs), CHUNK):
        some = one_each(connection, query, documents.c.seq, seqs[start : start + CHUNK])
        found.update((seq, title) for seq, title in connection.execute(some))
    return found


def list_page(
    connection: Connection,
    stream_id: str,
    *,
    time_from: int | None = None,
    time_to: int | None = None,
    thread: int | None = None,
    state: str | None = None,
    limit: int,
    after: tuple[int, int] | None = None,
    newest_first: bool = False,
) -> list[DocumentRow]:
    """By time, then arrival; from inclusive, to exclusive; after: (time, seq) of the last one seen."""
    source = assignments if thread is not None or state not in (None, PENDING) else documents
    place = tuple_(source.c.time, source.c.seq)
    query = _visible(stream_id).where(source.c.stream_id == stream_id).limit(limit)
    if thread is not None:
        query = query.where(assignments.c.thread == thread)
    if state == PENDING:
        cursor = select(streams.c.cursor).where(streams.c.id == stream_id).scalar_subquery()
        query = query.where(documents.c.seq > cursor, assignments.c.seq.is_(None))
    elif state is not None:
        query = query.where(assignments.c.state == state)
    if time_from is not None:
        query = query.where(source.c.time >= time_from)
    if time_to is not None:
        query = query.where(source.c.time < time_to)
    if after is not None:
        query = query.where(place < after if newest_first else place > after)
    order = [column.desc() if newest_first else column for column in (source.c.time, source.c.seq)]
    return _rows(connection, query.order_by(*order))


def pending_after(connection: Connection, stream_id: str, cursor: int, limit: int) -> list[PendingRow]:
    """The next documents to handle. Fewer than limit: nothing else waits up to the stream's next_seq now."""
    waiting = (documents.c.stream_id == stream_id, documents.c.seq > cursor, documents.c.id.is_not(None))
    query = select(*WAITING).where(*waiting).order_by(documents.c.seq).limit(limit)
    return [PendingRow._make(row) for row in connection.execute(query).all()]


def request_erasure(connection: Connection, stream_id: str, ids: Sequence[str], now: int) -> str:
    """At once nobody can read the documents; the worker erases them. Returns the task. Unknown ids are passed over."""
    stream_rows.lock(connection, stream_id)
    asked = dict.fromkeys(ids)
    found = {document_id: place.seq for document_id, place in stored(connection, stream_id, asked).items()}
    task_id = tasks.enqueue(
        connection, "erasure", stream_id, {"requested": len(asked), "documents": len(found), "erased": 0}
    )
    hide(connection, stream_id, list(found.values()))
    bury(connection, stream_id, found, now)
    redact(connection, stream_id, list(found))
    request(connection, stream_id, sorted(found.values()), task_id, now)
    if not found:
        tasks.finish(connection, task_id)
    return task_id


def _visible(stream_id: str) -> Select[Any]:
    joined = documents.outerjoin(assignments, SAME)
    return select(*COLUMNS).select_from(joined).where(documents.c.stream_id == stream_id, documents.c.id.is_not(None))


def _rows(connection: Connection, query: Select[Any]) -> list[DocumentRow]:
    return [DocumentRow._make(row) for row in connection.execute(query)]
