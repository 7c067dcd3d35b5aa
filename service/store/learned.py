"""What a stream's model had learned in each hour of event time."""

from typing import NamedTuple

from sqlalchemy import Connection, func, select

from service.store.dialects import upsert
from service.store.tables import learned

HOUR = 3_600_000_000


class LearnedRow(NamedTuple):
    """at: event time, to the hour; half_life: seconds."""

    at: int
    alpha: float | None
    half_life: float | None
    strength: float | None
    threads_live: int
    window_documents: int


def record(connection: Connection, stream_id: str, row: LearnedRow) -> None:
    """The newest of an hour stays."""
    upsert(connection, learned, [{"stream_id": stream_id} | row._replace(at=row.at - row.at % HOUR)._asdict()])


def between(
    connection: Connection, stream_id: str, time_from: int | None, time_to: int | None, limit: int
) -> list[LearnedRow]:
    """By event time; of more than the limit every second, third, … counted from the newest."""
    asked = [learned.c.stream_id == stream_id]
    asked += [learned.c.at >= time_from] if time_from is not None else []
    asked += [learned.c.at < time_to] if time_to is not None else []
    total = connection.execute(select(func.count()).select_from(learned).where(*asked)).scalar_one()
    columns = [learned.c[name] for name in LearnedRow._fields]
    place = func.row_number().over(order_by=learned.c.at.desc()).label("place")
    rows = select(*columns, place).where(*asked).subquery()
    every = max(1, -(-total // limit))
    query = select(*(rows.c[name] for name in LearnedRow._fields)).where((rows.c.place - 1) % every == 0)
    return [LearnedRow._make(row) for row in connection.execute(query.order_by(rows.c.at))]
