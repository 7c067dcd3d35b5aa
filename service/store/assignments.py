"""Assignments: the current thread of each handled document; the worker writes them."""

import heapq
from collections.abc import Collection, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, bindparam, insert, select, update

from service.store.tables import assignments, documents

SAME = (documents.c.stream_id == assignments.c.stream_id) & (documents.c.seq == assignments.c.seq)
CHUNK = 1_000
COUNTED = ("provisional", "settled")


class AssignmentRow(NamedTuple):
    """state: provisional, settled, late or quarantined; words: JSON {word: count}; parts: JSON."""

    seq: int
    time: int
    state: str
    thread: int | None
    probability: float | None
    since: int
    words: str | None
    text_version: int | None
    parts: str | None
    error: str | None = None


class Assigned(NamedTuple):
    """An assignment as readers see it, with the id of its document."""

    id: str
    seq: int
    time: int
    state: str
    thread: int | None
    probability: float | None
    since: int
    parts: str | None


class Content(NamedTuple):
    """What a job reads of a document; words: JSON {word: count}."""

    id: str
    seq: int
    time: int
    thread: int | None
    words: str | None
    vector: bytes | None


class Move(NamedTuple):
    seq: int
    thread: int
    probability: float | None
    since: int
    parts: str | None


class Labelled(NamedTuple):
    """What the engine needs of a document to begin again from the labels."""

    seq: int
    time: int
    state: str
    thread: int
    words: str | None
    id: str | None
    vector: bytes | None


READ = (documents.c.id, *(assignments.c[name] for name in Assigned._fields[1:]))


def get(connection: Connection, stream_id: str, seq: int) -> Assigned | None:
    row = connection.execute(_visible(stream_id).where(assignments.c.seq == seq)).one_or_none()
    return None if row is None else Assigned._make(row)


def list_page(
    connection: Connection,
    stream_id: str,
    limit: int,
    after_seq: int = 0,
    thread: int | None = None,
    changed_since: int | None = None,
) -> list[Assigned]:
    """In the order of arrival; changed_since: only those put where they are by a later model version."""
    query = _visible(stream_id).where(assignments.c.seq > after_seq).order_by(assignments.c.seq).limit(limit)
    if thread is not None:
        query = query.where(assignments.c.thread == thread)
    if changed_since is not None:
        query = query.where(assignments.c.since > changed_since)
    return [Assigned._make(row) for row in connection.execute(query)]


def place(connection: Connection, stream_id: str, rows: Sequence[AssignmentRow]) -> None:
    if rows:
        connection.execute(insert(assignments), [{"stream_id": stream_id} | row._asdict() for row in rows])


def move(connection: Connection, stream_id: str, moves: Sequence[Move]) -> None:
    """Give documents another thread, or the same thread another probability."""
    if not moves:
        return
    mine = (assignments.c.stream_id == bindparam("of_stream"), assignments.c.seq == bindparam("of_seq"))
    changed: dict[str, Any] = {name: bindparam(name) for name in Move._fields[1:]}
    rows = [{"of_stream": stream_id, "of_seq": seq, **dict(zip(changed, rest, strict=True))} for seq, *rest in moves]
    connection.execute(update(assignments).where(*mine).values(changed), rows)


def settle_before(connection: Connection, stream_id: str, horizon: int) -> int:
    """Documents before the horizon keep their threads for good; how many."""
    window = (assignments.c.stream_id == stream_id, assignments.c.state == "provisional")
    query = update(assignments).where(*window, assignments.c.time < horizon).values(state="settled")
    return connection.execute(query).rowcount


def settle(connection: Connection, stream_id: str, seqs: Sequence[int]) -> None:
    """These documents keep their threads for good."""
    window = (assignments.c.stream_id == stream_id, assignments.c.state == "provisional")
    for start in range(0, len(seqs), CHUNK):
        some = assignments.c.seq.in_(seqs[start : start + CHUNK])
        connection.execute(update(assignments).where(*window, some).values(state="settled"))


def labelled(connection: Connection, stream_id: str, threads: Collection[int] | None = None) -> Iterator[Labelled]:
    """By arrival: provisional documents and the settled ones of these threads (None: all); few at a time in memory."""
    columns = [*(assignments.c[name] for name in Labelled._fields[:-2]), documents.c.id, documents.c.vector]
    query = select(*columns).select_from(assignments.join(documents, SAME)).where(assignments.c.stream_id == stream_id)
    state, numbers = assignments.c.state, sorted(threads or ())
    parts = [query.where(state == "provisional")]
    if threads is None:
        parts = [query.where(state.in_(COUNTED))]
    for start in range(0, len(numbers), CHUNK):
        parts.append(query.where(state == "settled", assignments.c.thread.in_(numbers[start : start + CHUNK])))
    ordered = [part.order_by(assignments.c.seq).execution_options(yield_per=CHUNK) for part in parts]
    return map(Labelled._make, heapq.merge(*map(connection.execute, ordered), key=itemgetter(0)))


def contents(
    connection: Connection,
    stream_id: str,
    limit: int,
    *,
    states: Collection[str],
    time_from: int | None = None,
    time_to: int | None = None,
) -> list[Content]:
    """By event time; of more than limit, the newest."""
    columns = (documents.c.id, *(assignments.c[name] for name in Content._fields[1:5]), documents.c.vector)
    query = select(*columns).select_from(assignments.join(documents, SAME))
    query = query.where(assignments.c.stream_id == stream_id, assignments.c.state.in_(states))
    query = query.where(documents.c.id.is_not(None))
    if time_from is not None:
        query = query.where(assignments.c.time >= time_from)
    if time_to is not None:
        query = query.where(assignments.c.time < time_to)
    newest = query.order_by(assignments.c.time.desc(), assignments.c.seq.desc()).limit(limit)
    return [Content._make(row) for row in connection.execute(newest)][::-1]


def _visible(stream_id: str) -> Select[Any]:
    joined = assignments.join(documents, SAME)
    return select(*READ).select_from(joined).where(assignments.c.stream_id == stream_id, documents.c.id.is_not(None))
