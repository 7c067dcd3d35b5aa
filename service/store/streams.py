"""Streams: one row each, which ingest, the worker and the lease share under its lock."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, or_, select, update

from service import times
from service.ids import new_id
from service.store import jobs, tasks
from service.store.dialects import Record, insert_missing
from service.store.problems import Conflict, NotFound
from service.store.tables import streams


class StreamRow(NamedTuple):
    id: str
    name: str | None
    settings: dict[str, Any]
    created_at: int
    version: int
    next_seq: int
    last_arrival_at: int | None
    pending_erasures: int
    removed: int
    cursor: int
    next_event: int
    model_version: int
    stepped_at: int | None
    swept_at: int | None
    clock: int | None
    horizon: int | None
    statistics: dict[str, Any]
    careful_until: int
    lease_owner: str | None
    lease_address: str | None
    lease_epoch: int
    lease_expires_at: int

    @property
    def accepted(self) -> int:
        return self.next_seq - 1

    @property
    def pending(self) -> int:
        return self.next_seq - 1 - self.cursor


def create(connection: Connection, name: str, settings: Mapping[str, Any]) -> StreamRow:
    """Raises Conflict stream_exists."""
    row = StreamRow(
        id=new_id("str"),
        name=name,
        settings=dict(settings),
        created_at=times.now(),
        version=1,
        next_seq=1,
        last_arrival_at=None,
        pending_erasures=0,
        removed=0,
        cursor=0,
        next_event=1,
        model_version=0,
        stepped_at=None,
        swept_at=None,
        clock=None,
        horizon=None,
        statistics={},
        careful_until=0,
        lease_owner=None,
        lease_address=None,
        lease_epoch=0,
        lease_expires_at=0,
    )
    stored = row._asdict() | {"settings": dump(row.settings), "statistics": "{}"}
    if not insert_missing(connection, streams, stored):
        raise Conflict("stream_exists", "a stream of this name exists already")
    return row


def find(connection: Connection, name_or_id: str) -> StreamRow | None:
    """A stream that is not being deleted. No name looks like an id: names are lower case and ids are not."""
    named = or_(streams.c.name == name_or_id, streams.c.id == name_or_id)
    row = connection.execute(select(streams).where(named, streams.c.name.is_not(None))).one_or_none()
    return None if row is None else _stream(row)


def list_page(connection: Connection, limit: int, after_name: str | None = None) -> list[StreamRow]:
    query = select(streams).where(streams.c.name.is_not(None)).order_by(streams.c.name).limit(limit)
    if after_name is not None:
        query = query.where(streams.c.name > after_name)
    return [_stream(row) for row in connection.execute(query)]


def count(connection: Connection) -> int:
    query = select(func.count()).select_from(streams).where(streams.c.name.is_not(None))
    return connection.execute(query).scalar_one()


def lock(connection: Connection, stream_id: str) -> StreamRow:
    """The stream, locked until the transaction ends. Raises NotFound."""
    query = select(streams).where(streams.c.id == stream_id, streams.c.name.is_not(None))
    row = connection.execute(query.with_for_update(key_share=True)).one_or_none()
    if row is None:
        raise NotFound("stream")
    return _stream(row)


def change(
    connection: Connection, stream_id: str, settings: Mapping[str, Any], expected_version: int | None
) -> StreamRow:
    """Raises NotFound, or Conflict version_mismatch if another change came first."""
    row = lock(connection, stream_id)
    if expected_version is not None and row.version != expected_version:
        raise Conflict("version_mismatch", "the stream was changed meanwhile; read it again")
    changed = row._replace(settings=dict(settings), version=row.version + 1)
    values = {"settings": dump(changed.settings), "version": changed.version}
    connection.execute(update(streams).where(streams.c.id == stream_id).values(values))
    return changed


def mark_deleted(connection: Connection, stream_id: str) -> str:
    """The stream is gone for readers and its worker is fenced; returns the task that purges its rows."""
    row = lock(connection, stream_id)
    gone = {
        "name": None,
        "lease_owner": None,
        "lease_address": None,
        "lease_expires_at": 0,
        "lease_epoch": row.lease_epoch + 1,
    }
    connection.execute(update(streams).where(streams.c.id == stream_id).values(gone))
    jobs.forget(connection, stream_id)
    return tasks.enqueue(connection, "stream_deletion", stream_id, {"documents": row.accepted - row.removed})


def dump(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _stream(row: Record) -> StreamRow:
    stream = StreamRow._make(row)
    return stream._replace(settings=json.loads(row.settings), statistics=json.loads(row.statistics))
