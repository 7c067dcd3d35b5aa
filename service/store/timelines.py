"""Many threads over time at once, with little said of each."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from service.store.tables import assignments, threads
from service.store.threads import Filter, filtered

FEW = 500  # threads that are looked up one by one; of more, the whole span is read


class BarRow(NamedTuple):
    """A thread on the timeline."""

    thread: int
    state: str
    label: str
    size: int
    strength: float
    born_at: int
    last_at: int
    died_at: int | None
    merged_into: int | None
    split_from: int | None


class Reach(NamedTuple):
    """All threads that a filter lets through. first, last: event times of their documents."""

    threads: int
    first: int | None
    last: int | None


class Cell(NamedTuple):
    thread: int
    bucket: int
    documents: int


def reach(connection: Connection, stream_id: str, chosen: Filter) -> Reach:
    columns = (func.count(), func.min(threads.c.born_at), func.max(threads.c.last_at))
    return Reach._make(
        connection.execute(filtered(select(*columns).where(threads.c.stream_id == stream_id), chosen)).one()
    )


def bars(connection: Connection, stream_id: str, chosen: Filter, limit: int) -> list[BarRow]:
    """The largest threads, largest first."""
    query = select(*(threads.c[name] for name in BarRow._fields)).where(threads.c.stream_id == stream_id)
    order = (threads.c.size.desc(), threads.c.thread.desc())
    return [BarRow._make(row) for row in connection.execute(filtered(query, chosen).order_by(*order).limit(limit))]


def cells(
    connection: Connection, stream_id: str, numbers: Sequence[int], time_from: int, time_to: int, width: int
) -> list[Cell]:
    """Documents of each thread in each bucket of that width from time_from on; empty ones are left out."""
    c = assignments.c
    bucket = ((c.time - time_from) // width).label("bucket")
    query = select(c.thread, bucket, func.count()).where(
        c.stream_id == stream_id, c.thread.is_not(None), c.time >= time_from, c.time < time_to
    )
    if len(numbers) <= FEW:
        query = query.where(c.thread.in_(numbers))
    wanted: Collection[int] = set(numbers)
    rows = connection.execute(query.group_by(c.thread, bucket).order_by(c.thread, bucket))
    return [Cell._make(row) for row in rows if row.thread in wanted]
