"""The states of threads, told again from the events alone."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, select

from service.store.streams import StreamRow
from service.store.tables import events, threads

STATES = {
    "thread.born": "live",
    "thread.split": "live",
    "thread.revived": "live",
    "thread.dormant": "dormant",
    "thread.died": "dead",
    "thread.merged": "merged",
}
BIRTHS = ("thread.born", "thread.split")
CHUNK = 1_000


class Life(NamedTuple):
    state: str
    merged_into: int | None
    split_from: int | None


def fold(connection: Connection, stream_id: str) -> Iterator[tuple[int, Life | None]]:
    """Each thread as its events leave it; None if its first event is not a birth, or if it is born twice."""
    lives: dict[int, Life | None] = {}
    columns = (events.c.type, events.c.thread, events.c.other)
    query = select(*columns).where(events.c.stream_id == stream_id, events.c.type.in_(STATES)).order_by(events.c.seq)
    for kind, thread, other in connection.execute(query.execution_options(yield_per=CHUNK)):
        before = lives.get(thread)
        if (kind in BIRTHS) == (thread in lives) or (before is None and thread in lives):
            lives[thread] = None
            continue
        parent = other if kind == "thread.split" else before.split_from if before else None
        lives[thread] = Life(STATES[kind], other if kind == "thread.merged" else None, parent)
    yield from lives.items()


def differences(connection: Connection, stream: StreamRow) -> Iterator[tuple[str, str]]:
    told = dict(fold(connection, stream.id))
    columns = (threads.c.thread, threads.c.state, threads.c.merged_into, threads.c.split_from)
    stored = {
        thread: Life(*rest)
        for thread, *rest in connection.execute(select(*columns).where(threads.c.stream_id == stream.id))
    }
    for thread in sorted(told.keys() | stored.keys()):
        if thread not in told or told[thread] != stored.get(thread):
            yield "thread_events", f"thread {thread} is {stored.get(thread)}, but its events say {told.get(thread)}"
