"""The timeline: many threads as bars, with their documents counted in the same buckets."""

from collections import defaultdict

from sqlalchemy import Connection

from service.errors import FieldError, invalid
from service.ids import thread_id
from service.store import timelines
from service.store.streams import StreamRow
from service.store.threads import Filter
from service.store.timelines import BarRow, Cell

from .rows import thread_name
from .schemas.timelines import Bar, Timeline

SECOND = 1_000_000


def timeline(
    connection: Connection,
    stream: StreamRow,
    chosen: Filter,
    span: tuple[int | None, int | None],
    buckets: int,
    limit: int,
) -> Timeline:
    """The largest threads that the filter lets through, over a span that is all of their lives unless it is given."""
    found = timelines.reach(connection, stream.id, chosen)
    start = span[0] if span[0] is not None else found.first or stream.clock or 0
    end = span[1] if span[1] is not None else max(found.last or start, stream.clock or start, start) + 1
    if end <= start:
        raise invalid([FieldError("#/to", "empty_span", "must be after from", "query")])
    width = max(SECOND, -(-(end - start) // buckets))
    bars = timelines.bars(connection, stream.id, chosen, limit)
    cells = defaultdict(list)
    for cell in timelines.cells(connection, stream.id, [bar.thread for bar in bars], start, end, width):
        cells[cell.thread].append(cell)
    half_life = stream.statistics.get("half_life")
    return Timeline(
        from_=start,
        to=end,
        bucket_seconds=width / SECOND,
        half_life_seconds=half_life,
        clock=stream.clock,
        total=found.threads,
        threads=[_bar(bar, cells[bar.thread]) for bar in bars],
    )


def _bar(row: BarRow, cells: list[Cell]) -> Bar:
    return Bar(
        id=thread_id(row.thread),
        state=row.state,  # type: ignore[arg-type]
        label=row.label,
        size=row.size,
        strength=row.strength,
        born_at=row.born_at,
        last_at=row.last_at,
        died_at=row.died_at,
        merged_into=thread_name(row.merged_into),
        split_from=thread_name(row.split_from),
        buckets=[cell.bucket for cell in cells],
        documents=[cell.documents for cell in cells],
    )
