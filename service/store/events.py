"""Lifecycle events: a log per stream without gaps."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from service.store.tables import documents, events, streams


class NewEvent(NamedTuple):
    """other: the thread merged into, split from or, for a moved document, left; document: its seq."""

    type: str
    occurred_at: int
    recorded_at: int
    thread: int | None
    other: int | None
    document: int | None
    model_version: int


class EventRow(NamedTuple):
    """document_id is None for a document that was erased."""

    seq: int
    type: str
    occurred_at: int
    recorded_at: int
    thread: int | None
    other: int | None
    document: int | None
    model_version: int
    document_id: str | None


def append(connection: Connection, stream_id: str, first_seq: int, rows: Sequence[NewEvent]) -> int:
    """Number the events from first_seq (the stream's next_event) on; returns the next_event after them."""
    numbered = [{"stream_id": stream_id, "seq": seq} | row._asdict() for seq, row in enumerate(rows, first_seq)]
    if numbered:
        connection.execute(insert(events), numbered)
    return first_seq + len(rows)


def after(
    connection: Connection,
    stream_id: str,
    seq: int,
    limit: int,
    types: Sequence[str] | None = None,
    *,
    newest_before: int | None = None,
    time_from: int | None = None,
    time_to: int | None = None,
) -> list[EventRow]:
    """In their sequence; with newest_before the other way round, from the last one before that number on.

    time_from, time_to: only those that occurred from then to before then."""
    own = (documents.c.stream_id == events.c.stream_id) & (documents.c.seq == events.c.document)
    columns = [events.c[name] for name in EventRow._fields[:-1]]
    query = select(*columns, documents.c.id).select_from(events.outerjoin(documents, own))
    query = query.where(events.c.stream_id == stream_id, events.c.seq > seq).limit(limit)
    if newest_before is None:
        query = query.order_by(events.c.seq)
    else:
        query = query.where(events.c.seq < newest_before).order_by(events.c.seq.desc())
    if time_from is not None:
        query = query.where(events.c.occurred_at >= time_from)
    if time_to is not None:
        query = query.where(events.c.occurred_at < time_to)
    if types is not None:
        query = query.where(events.c.type.in_(types))
    return [EventRow._make(row) for row in connection.execute(query)]


def last_seq(connection: Connection, stream_id: str) -> int:
    """0 before the first."""
    query = select(streams.c.next_event - 1).where(streams.c.id == stream_id)
    return connection.execute(query).scalar_one_or_none() or 0
