"""Workers that are alive, and where they answer questions."""

from typing import NamedTuple

from sqlalchemy import Connection, delete, select, update

from service.store.dialects import upsert
from service.store.tables import workers


class WorkerRow(NamedTuple):
    """address: http://host:port; token: what a question must bring; id: the owner of its leases."""

    id: str
    address: str
    token: str
    host: str
    process: int
    seen_at: int
    draining: bool


def announce(connection: Connection, worker: WorkerRow) -> None:
    upsert(connection, workers, [worker._asdict()])


def beat(connection: Connection, worker_id: str, now: int, *, draining: bool = False) -> bool:
    """False if the worker was taken for dead and must announce itself again."""
    values = {"seen_at": now, "draining": draining}
    return connection.execute(update(workers).where(workers.c.id == worker_id).values(values)).rowcount == 1


def leave(connection: Connection, worker_id: str) -> None:
    connection.execute(delete(workers).where(workers.c.id == worker_id))


def alive(connection: Connection, since: int) -> list[WorkerRow]:
    """Workers seen since then, those that take new work first."""
    query = select(workers).where(workers.c.seen_at >= since).order_by(workers.c.draining, workers.c.seen_at.desc())
    return [WorkerRow._make(row) for row in connection.execute(query)]


def forget(connection: Connection, before: int) -> int:
    """Remove workers not seen since."""
    return connection.execute(delete(workers).where(workers.c.seen_at < before)).rowcount
