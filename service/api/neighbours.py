"""Neighbours of a thread: the threads that its documents might belong to as well."""

from collections import Counter, defaultdict

from sqlalchemy import Connection

from service.ids import thread_id
from service.store import histories, parts, threads
from service.store.streams import StreamRow
from service.store.threads import ThreadRow

from .schemas.threads import Neighbour, Neighbours

LATEST = 500  # documents that are asked
MOST = 10  # neighbours told


def neighbours(connection: Connection, stream: StreamRow, thread: ThreadRow) -> Neighbours:
    """Others by their mean probability over the thread's latest documents."""
    compared = histories.latest_parts(connection, stream.id, thread.thread, LATEST)
    weights: defaultdict[int, float] = defaultdict(float)
    documents: Counter[int] = Counter()
    for part in (part for stored in compared for part in parts.load(stored)):
        if part.thread is not None and part.thread != thread.thread:
            weights[part.thread] += part.probability
            documents[part.thread] += 1
    rows = {row.thread: row for row in threads.by_numbers(connection, stream.id, sorted(weights))}
    open_ones = [number for number in weights if number in rows and rows[number].state != "merged"]
    best = sorted(open_ones, key=lambda number: (-weights[number], number))[:MOST]
    found = [_neighbour(thread, rows[n], documents[n], weights[n] / len(compared)) for n in best]
    return Neighbours(thread_id=thread_id(thread.thread), documents=len(compared), data=found)


def _neighbour(thread: ThreadRow, other: ThreadRow, documents: int, probability: float) -> Neighbour:
    return Neighbour(
        thread_id=thread_id(other.thread),
        label=other.label,
        state=other.state,  # type: ignore[arg-type]
        size=other.size,
        documents=documents,
        probability=probability,
        shared_words=[word for word in thread.top_words if word in other.top_words],
    )
