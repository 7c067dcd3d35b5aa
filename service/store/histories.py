"""A thread over time, and the lifespans of all."""

from typing import NamedTuple

from sqlalchemy import Connection, func, select
from sqlalchemy.sql.elements import ColumnElement

from service.store.tables import assignments, threads
from service.store.threads import LIFESPAN, Filter, Lifespan, filtered


class Bucket(NamedTuple):
    """start: a moment; documents: how many of the thread fall between it and the next."""

    start: int
    documents: int


def documents_per_bucket(
    connection: Connection, stream_id: str, thread: int, time_from: int, time_to: int, width: int
) -> list[Bucket]:
    """Buckets of that width from time_from on; empty ones are left out."""
    number = (assignments.c.time - time_from) // width
    query = select(number.label("number"), func.count().label("documents")).where(
        *_of(stream_id, thread), assignments.c.time >= time_from, assignments.c.time < time_to
    )
    rows = connection.execute(query.group_by("number").order_by("number"))
    return [Bucket(time_from + row.number * width, row.documents) for row in rows]


def times_of(connection: Connection, stream_id: str, thread: int) -> list[int]:
    """The event times of a thread's documents, ascending."""
    return list(
        connection.scalars(select(assignments.c.time).where(*_of(stream_id, thread)).order_by(assignments.c.time))
    )


def latest_parts(connection: Connection, stream_id: str, thread: int, limit: int) -> list[str | None]:
    """What was compared for the latest documents of a thread: see service/store/parts.py."""
    query = select(assignments.c.parts).where(*_of(stream_id, thread))
    return list(connection.scalars(query.order_by(assignments.c.time.desc(), assignments.c.seq.desc()).limit(limit)))


def words_between(
    connection: Connection, stream_id: str, thread: int, time_from: int, time_to: int
) -> list[tuple[int, str]]:
    """Sequence numbers of its documents from time_from to before time_to, and their words, JSON {word: count}."""
    span = (assignments.c.time >= time_from, assignments.c.time < time_to, assignments.c.words.is_not(None))
    query = select(assignments.c.seq, assignments.c.words).where(*_of(stream_id, thread), *span)
    return [(seq, words) for seq, words in connection.execute(query)]


def lifespans(
    connection: Connection, stream_id: str, chosen: Filter, limit: int, after: int | None = None
) -> list[Lifespan]:
    """By thread; after: the last thread seen."""
    query = filtered(select(*LIFESPAN).where(threads.c.stream_id == stream_id), chosen).limit(limit)
    if after is not None:
        query = query.where(threads.c.thread > after)
    return [Lifespan._make(row) for row in connection.execute(query.order_by(threads.c.thread))]


def all_lifespans(connection: Connection, stream_id: str, chosen: Filter) -> list[Lifespan]:
    query = filtered(select(*LIFESPAN).where(threads.c.stream_id == stream_id), chosen)
    return [Lifespan._make(row) for row in connection.execute(query.order_by(threads.c.thread))]


def _of(stream_id: str, thread: int) -> tuple[ColumnElement[bool], ...]:
    return assignments.c.stream_id == stream_id, assignments.c.thread == thread
