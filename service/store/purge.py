"""Deleting a stream's rows, a bounded number at a time."""

from sqlalchemy import Connection, Table, delete, select

from service.store.tables import (
    assignments,
    attempts,
    chains,
    documents,
    erasures,
    events,
    idempotency,
    learned,
    paths,
    streams,
    threads,
    tombstones,
)

PARTS = (
    (documents, "seq"),
    (assignments, "seq"),
    (events, "seq"),
    (threads, "thread"),
    (paths, "thread"),
    (attempts, "seq"),
    (erasures, "seq"),
    (tombstones, "digest"),
    (idempotency, "key"),
    (learned, "at"),
    (chains, "stream_id"),
)


def purge_some(connection: Connection, stream_id: str, rows: int = 5000) -> bool:
    """Delete up to so many rows of a stream that was marked deleted; True once nothing of it is left."""
    for table, key in PARTS:
        rows -= _purge(connection, table, key, stream_id, rows)
        if rows <= 0:
            return False
    connection.execute(delete(streams).where(streams.c.id == stream_id, streams.c.name.is_(None)))
    return True


def _purge(connection: Connection, table: Table, key: str, stream_id: str, rows: int) -> int:
    some = select(table.c[key]).where(table.c.stream_id == stream_id).limit(rows)
    return connection.execute(delete(table).where(table.c.stream_id == stream_id, table.c[key].in_(some))).rowcount
