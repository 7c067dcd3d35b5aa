"""From when to when the documents of threads reach, for a worker that erases some of them."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from service.store.tables import assignments

COUNTED = ("provisional", "settled")


class Span(NamedTuple):
    """Documents of a thread, and the event times of the first and the last."""

    size: int
    first: int
    last: int


def spans(
    connection: Connection,
    stream_id: str,
    threads: Collection[int],
    *,
    states: Collection[str] = COUNTED,
    without: Collection[int] = (),
) -> dict[int, Span]:
    """By thread, of documents in these states and without some sequences; threads with none are left out."""
    c = assignments.c
    query = select(c.thread, func.count(), func.min(c.time), func.max(c.time)).group_by(c.thread)
    query = query.where(c.stream_id == stream_id, c.thread.in_(threads), c.state.in_(states), c.seq.not_in(without))
    return {thread: Span(size, first, last) for thread, size, first, last in connection.execute(query)}
