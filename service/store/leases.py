"""Leases: at most one worker writes a stream, enforced by an epoch that only rises."""

from typing import Any, NamedTuple

from sqlalchemy import Connection, func, or_, select, update

from service.store.dialects import Record
from service.store.owners import is_dead
from service.store.problems import Fenced
from service.store.streams import dump
from service.store.tables import streams

PENDING = streams.c.next_seq - 1 - streams.c.cursor


class Lease(NamedTuple):
    """took_over_from: the owner that did not release it, so it crashed or froze."""

    epoch: int
    took_over_from: str | None


def acquire(
    connection: Connection, stream_id: str, owner: str, address: str | None, ttl: int, now: int
) -> Lease | None:
    """The lease if it is free, has expired, or its owner has died; None if another holds it. now: the database's."""
    columns = (streams.c.lease_owner, streams.c.lease_epoch, streams.c.lease_expires_at)
    query = select(*columns).where(streams.c.id == stream_id, streams.c.name.is_not(None))
    row = connection.execute(query.with_for_update(key_share=True)).one_or_none()
    if row is None or not _is_free(row, owner, now):
        return None
    taken = {
        "lease_owner": owner,
        "lease_address": address,
        "lease_epoch": row.lease_epoch + 1,
        "lease_expires_at": now + ttl,
    }
    connection.execute(update(streams).where(streams.c.id == stream_id).values(taken))
    return Lease(row.lease_epoch + 1, None if row.lease_owner == owner else row.lease_owner)


def renew(connection: Connection, stream_id: str, owner: str, epoch: int, ttl: int, now: int) -> bool:
    """False if another took it meanwhile."""
    return _update(connection, stream_id, owner, epoch, {"lease_expires_at": now + ttl})


def release(connection: Connection, stream_id: str, owner: str, epoch: int) -> bool:
    free = {"lease_owner": None, "lease_address": None, "lease_expires_at": 0}
    return _update(connection, stream_id, owner, epoch, free)


def guard(connection: Connection, stream_id: str, owner: str, epoch: int, **columns: Any) -> None:
    """Write columns of the stream as the holder of the lease, and hold its row until the transaction ends.

    Raises Fenced if another took the lease; call it first in every transaction of a worker.
    """
    if "statistics" in columns:
        columns["statistics"] = dump(columns["statistics"])
    if not _update(connection, stream_id, owner, epoch, columns or {"lease_epoch": epoch}):
        raise Fenced("another worker holds the stream")


def work(connection: Connection, now: int, owner: str) -> list[str]:
    """Streams that this worker may lease and that have something to do, most behind first."""
    unrested = func.coalesce(streams.c.swept_at, 0) < streams.c.last_arrival_at
    busy = or_(PENDING > 0, streams.c.pending_erasures > 0, unrested)
    columns = (streams.c.id, streams.c.lease_owner, streams.c.lease_expires_at)
    query = select(*columns).where(streams.c.name.is_not(None), busy).order_by(PENDING.desc(), streams.c.id)
    return [row.id for row in connection.execute(query) if _is_free(row, owner, now)]


def _is_free(row: Record, owner: str, now: int) -> bool:
    holder = row.lease_owner
    return holder is None or holder == owner or row.lease_expires_at <= now or is_dead(holder)


def _update(connection: Connection, stream_id: str, owner: str, epoch: int, values: dict[str, Any]) -> bool:
    mine = (streams.c.id == stream_id, streams.c.lease_owner == owner, streams.c.lease_epoch == epoch)
    return connection.execute(update(streams).where(*mine).values(values)).rowcount == 1
