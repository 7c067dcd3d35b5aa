"""Erasing: the worker takes hidden documents out of the model, then their rows go for good."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select, update

from service.store import tasks
from service.store.chains import drop_snapshot
from service.store.tables import assignments, attempts, documents, erasures, events, streams


class ErasureRow(NamedTuple):
    """state is None for a document that the worker has not handled yet; words: JSON {word: count}."""

    seq: int
    time: int
    state: str | None
    thread: int | None
    words: str | None
    vector: bytes | None


def pending(connection: Connection, stream_id: str, limit: int) -> list[ErasureRow]:
    """In the order of arrival, with all that the engine needs to take them out."""
    document = (documents.c.stream_id == erasures.c.stream_id) & (documents.c.seq == erasures.c.seq)
    assignment = (assignments.c.stream_id == erasures.c.stream_id) & (assignments.c.seq == erasures.c.seq)
    columns = (assignments.c.state, assignments.c.thread, assignments.c.words, documents.c.vector)
    joined = erasures.join(documents, document).outerjoin(assignments, assignment)
    query = select(erasures.c.seq, documents.c.time, *columns).select_from(joined)
    query = query.where(erasures.c.stream_id == stream_id).order_by(erasures.c.seq).limit(limit)
    return [ErasureRow._make(row) for row in connection.execute(query)]


def finish(connection: Connection, stream_id: str, seqs: Sequence[int]) -> None:
    """Delete what is left of these documents, the snapshot too, and carry their tasks forward.

    After the commit, Database.scrub() makes the bytes leave the files.
    """
    some = erasures.c.stream_id == stream_id, erasures.c.seq.in_(seqs)
    wanted = Counter(connection.scalars(select(erasures.c.task_id).where(*some)))
    for table in (documents, assignments, attempts, erasures):
        connection.execute(delete(table).where(table.c.stream_id == stream_id, table.c.seq.in_(seqs)))
    told = (events.c.stream_id == stream_id, events.c.document.in_(seqs))
    connection.execute(update(events).where(*told).values(document=None))
    drop_snapshot(connection, stream_id)
    done = {
        "pending_erasures": streams.c.pending_erasures - wanted.total(),
        "removed": streams.c.removed + wanted.total(),
    }
    connection.execute(update(streams).where(streams.c.id == stream_id).values(done))
    for task_id, erased in wanted.items():
        if task_id is not None:
            _advance(connection, task_id, erased)


def _advance(connection: Connection, task_id: str, erased: int) -> None:
    task = tasks.get(connection, task_id)
    if task is None:
        return
    tasks.start(connection, task_id)
    details = task.details | {"erased": task.details.get("erased", 0) + erased}
    left = select(func.count()).select_from(erasures).where(erasures.c.task_id == task_id)
    tasks.report(connection, task_id, details)
    if connection.execute(left).scalar_one() == 0:
        tasks.finish(connection, task_id)
