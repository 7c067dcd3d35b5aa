"""Threads: rows that the worker rewrites, and pages of them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, or_, select, tuple_

from service.store.dialects import Query, one_each, upsert
from service.store.tables import threads

SORTS: Mapping[str, Any] = {name: threads.c[name] for name in ("strength", "born_at", "last_at", "size")}
CHUNK = 5_000


class ThreadRow(NamedTuple):
    """state: live, dormant, dead or merged; size counts all its documents, window_size the provisional ones."""

    thread: int
    state: str
    size: int
    window_size: int
    strength: float
    born_at: int
    last_at: int
    died_at: int | None
    merged_into: int | None
    split_from: int | None
    label: str
    top_words: list[str]
    titles: list[str]
    representative: int | None
    version: int


class Lineage(NamedTuple):
    """parents: what it was split from and what was merged into it; children: the other way round."""

    parents: list[int]
    children: list[int]


class Lifespan(NamedTuple):
    thread: int
    state: str
    born_at: int
    last_at: int
    died_at: int | None
    size: int


class Filter(NamedTuple):
    """Threads alive at some moment from time_from to before time_to, in one of the states, of at least this size.

    numbers: none but these."""

    states: Sequence[str] | None = None
    time_from: int | None = None
    time_to: int | None = None
    search: str | None = None
    least_size: int | None = None
    numbers: Sequence[int] | None = None


COLUMNS = tuple(threads.c[name] for name in ThreadRow._fields)
LIFESPAN = tuple(threads.c[name] for name in Lifespan._fields)


def upsert_rows(connection: Connection, stream_id: str, rows: Iterable[ThreadRow]) -> None:
    upsert(connection, threads, [_stored(stream_id, row) for row in rows])


def get(connection: Connection, stream_id: str, thread: int) -> ThreadRow | None:
    found = _rows(connection, _all(stream_id).where(threads.c.thread == thread))
    return found[0] if found else None


def by_numbers(connection: Connection, stream_id: str, numbers: Sequence[int]) -> list[ThreadRow]:
    """Those of the threads that exist, in any state."""
    found: list[ThreadRow] = []
    for start in range(0, len(numbers), CHUNK):
        some = numbers[start : start + CHUNK]
        found += _rows(connection, one_each(connection, _all(stream_id), threads.c.thread, some))
    return found


def list_page(
    connection: Connection,
    stream_id: str,
    chosen: Filter,
    *,
    sort: str = "-strength",
    limit: int,
    after: tuple[float, int] | None = None,
) -> list[ThreadRow]:
    """sort: strength, born_at, last_at or size, with - for falling; after: (its value, thread) of the last one seen."""
    column, falling = SORTS[sort.removeprefix("-")], sort.startswith("-")
    query = filtered(_all(stream_id), chosen).limit(limit)
    if after is not None:
        place = tuple_(column, threads.c.thread)
        query = query.where(place < after if falling else place > after)
    order = [part.desc() if falling else part for part in (column, threads.c.thread)]
    return _rows(connection, query.order_by(*order))


def lineage(connection: Connection, stream_id: str, thread: int) -> Lineage:
    named = or_(threads.c.thread == thread, threads.c.merged_into == thread, threads.c.split_from == thread)
    columns = (threads.c.thread, threads.c.merged_into, threads.c.split_from)
    parents, children = set(), set()
    for row in connection.execute(select(*columns).where(threads.c.stream_id == stream_id, named)):
        own = row.thread == thread
        parents |= {row.split_from} if own else {row.thread} if row.merged_into == thread else set()
        children |= {row.merged_into} if own else {row.thread} if row.split_from == thread else set()
    return Lineage(sorted(parents - {None}), sorted(children - {None}))


def filtered(query: Query, chosen: Filter) -> Query:
    if chosen.states is not None:
        query = query.where(threads.c.state.in_(chosen.states))
    if chosen.time_from is not None:
        query = query.where(threads.c.last_at >= chosen.time_from)
    if chosen.time_to is not None:
        query = query.where(threads.c.born_at < chosen.time_to)
    if chosen.search:
        query = query.where(threads.c.search.contains(chosen.search.casefold(), autoescape=True))
    if chosen.least_size is not None:
        query = query.where(threads.c.size >= chosen.least_size)
    if chosen.numbers is not None:
        query = query.where(threads.c.thread.in_(chosen.numbers))
    return query


def _all(stream_id: str) -> Query:
    return select(*COLUMNS).where(threads.c.stream_id == stream_id)


def _stored(stream_id: str, row: ThreadRow) -> dict[str, Any]:
    search = "\n".join([row.label, *row.titles, *row.top_words]).casefold()
    lists = {name: json.dumps(getattr(row, name), ensure_ascii=False) for name in ("top_words", "titles")}
    return {"stream_id": stream_id, **row._asdict(), **lists, "search": search}


def _rows(connection: Connection, query: Query) -> list[ThreadRow]:
    return [
        ThreadRow._make(row)._replace(top_words=json.loads(row.top_words), titles=json.loads(row.titles))
        for row in connection.execute(query)
    ]
