"""What a worker needs beside the labels to go on, and the snapshot that saves it the replay."""

from typing import NamedTuple

from sqlalchemy import Connection, func, select, update

from service.store.dialects import upsert
from service.store.tables import chains, streams


class ChainRow(NamedTuple):
    """snapshot belongs to model version snapshot_version; both are None if there is none."""

    chain: bytes
    snapshot: bytes | None
    snapshot_cursor: int | None
    snapshot_version: int | None
    snapshot_at: int | None


def save_chain(connection: Connection, stream_id: str, chain: bytes) -> None:
    upsert(connection, chains, [{"stream_id": stream_id, "chain": chain}])


def load(connection: Connection, stream_id: str) -> ChainRow | None:
    columns = (chains.c[name] for name in ChainRow._fields)
    row = connection.execute(select(*columns).where(chains.c.stream_id == stream_id)).one_or_none()
    return None if row is None else ChainRow._make(row)


def save_snapshot(
    connection: Connection, stream_id: str, snapshot: bytes, cursor: int, model_version: int, now: int
) -> None:
    """The chain must have been saved before."""
    values = {
        "snapshot": snapshot,
        "snapshot_cursor": cursor,
        "snapshot_version": model_version,
        "snapshot_at": now,
    }
    connection.execute(update(chains).where(chains.c.stream_id == stream_id).values(values))


def drop_snapshot(connection: Connection, stream_id: str) -> None:
    empty = dict.fromkeys(ChainRow._fields[1:])
    connection.execute(update(chains).where(chains.c.stream_id == stream_id).values(empty))


def stale_since(connection: Connection) -> int | None:
    """When the oldest snapshot was made that its stream's model has left behind."""
    behind = chains.c.snapshot_version < streams.c.model_version
    query = select(func.min(chains.c.snapshot_at)).join(streams, streams.c.id == chains.c.stream_id)
    oldest: int | None = connection.execute(query.where(behind, streams.c.name.is_not(None))).scalar_one()
    return oldest
