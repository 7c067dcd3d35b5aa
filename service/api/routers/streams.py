"""Streams: create, list, read, change, delete; their statistics."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from service.errors import Conflicting
from service.store import documents, learned, streams
from service.store.streams import StreamRow

from .. import rows
from ..answers import Paging, query_tag, reply, reply_tagged, require_match, version_tag
from ..context import Use
from ..ingest import create
from ..merging import merged, stored_settings
from ..operations import JSON, json_body, operation
from ..parameters import FromTime, StreamPath, ToTime
from ..rows import found
from ..schemas.streams import (
    FROZEN,
    Learned,
    LearnedPoint,
    Lease,
    NewStream,
    Stream,
    StreamChange,
    StreamPage,
    StreamStats,
    Window,
)
from ..schemas.tasks import Task
from ..tasks import task_reply

router = APIRouter()
ONE = "/v1/streams/{stream}"
MOST_POINTS = 500
MERGE_PATCH = "application/merge-patch+json"


@router.post("/v1/streams", **operation("streams_create", "manage", Stream, 409, status=201, sends=(NewStream,)))
def create_stream(context: Use, new: Annotated[NewStream, Depends(json_body(NewStream))]) -> Response:
    """Create a stream."""
    with context.database.write() as connection:
        row = create(connection, context, new.name, new.settings)
    headers = {"Location": f"/v1/streams/{row.name}", "ETag": version_tag(row.version)}
    return reply(rows.stream(row), 201, headers)


@router.get("/v1/streams", **operation("streams_list", "read", StreamPage))
def list_streams(context: Use, pager: Paging) -> Response:
    """List streams by name."""
    with context.database.read() as connection:
        page = streams.list_page(connection, pager.fetch, pager.after[0] if pager.after else None)
    return reply(StreamPage(**pager.page(page, rows.stream, lambda row: [row.name])))


@router.get(ONE, **operation("streams_get", "read", Stream, 304))
def get_stream(context: Use, request: Request, stream: StreamPath) -> Response:
    """Read a stream and its settings."""
    with context.database.read() as connection:
        row = found(streams.find(connection, stream))
    return reply_tagged(request, version_tag(row.version), lambda: rows.stream(row))


@router.patch(
    ONE,
    **operation("streams_change", "manage", Stream, 409, 412, sends=(StreamChange,), media_types=(MERGE_PATCH, JSON)),
)
def change_stream(
    context: Use,
    request: Request,
    stream: StreamPath,
    change: Annotated[StreamChange, Depends(json_body(StreamChange, MERGE_PATCH, JSON))],
) -> Response:
    """Change settings of a stream.

    The body is a JSON merge patch. Once documents are there, what makes threads comparable (model, kind, seed) stays.
    With `If-Match` the change is made only to the version that was read.
    """
    with context.database.write() as connection:
        row = found(streams.find(connection, stream))
        require_match(request, version_tag(row.version))
        settings = _changed(context, row, change.settings)
        if settings != row.settings:
            row = streams.change(connection, row.id, settings, row.version)
    return reply(rows.stream(row), headers={"ETag": version_tag(row.version)})


@router.delete(ONE, **operation("streams_delete", "manage", Task, 409, 412, status=202))
def delete_stream(context: Use, request: Request, stream: StreamPath) -> Response:
    """Delete a stream with all its documents and threads.

    It is gone at once; the task purges its rows.
    """
    with context.database.write() as connection:
        row = found(streams.find(connection, stream))
        require_match(request, version_tag(row.version))
        return task_reply(connection, streams.mark_deleted(connection, row.id))


@router.get(f"{ONE}/stats", **operation("streams_stats", "read", StreamStats))
def stream_stats(context: Use, stream: StreamPath) -> Response:
    """Read how a stream is doing: what waits, the window, what was learned."""
    with context.database.read() as connection:
        row: StreamRow = found(streams.find(connection, stream))
        waiting = documents.pending_after(connection, row.id, row.cursor, 1) if row.pending else []
        now = context.database.now(connection)
    age = max(0, now - waiting[0].arrived_at) / 1e6 if waiting else 0.0
    return reply(_stats(row, age, now))


@router.get(f"{ONE}/learned", **operation("streams_learned", "read", Learned, 304))
def stream_learned(
    context: Use, request: Request, stream: StreamPath, time_from: FromTime = None, time_to: ToTime = None
) -> Response:
    """Read what the model had learned as event time went on: alpha, half-life, strength, live threads."""
    with context.database.read() as connection:
        row: StreamRow = found(streams.find(connection, stream))
        points = learned.between(connection, row.id, time_from, time_to, MOST_POINTS)
    made = Learned(data=[_learned(point) for point in points])
    return reply_tagged(request, query_tag(request, row.version, row.model_version), lambda: made)


def _changed(context: Use, row: StreamRow, patch: dict[str, Any]) -> dict[str, Any]:
    base = stored_settings(row.settings)
    settings = merged(base, patch, context.settings)
    frozen = [name for name in FROZEN if settings[name] != base[name]]
    if frozen and row.accepted:
        names = ", ".join(frozen)
        raise Conflicting(
            f"A stream with documents keeps its {names}; create another stream and send the documents there.",
            code="setting_fixed",
        )
    return settings


def _learned(point: learned.LearnedRow) -> LearnedPoint:
    return LearnedPoint(
        at=point.at,
        alpha=point.alpha,
        half_life_seconds=point.half_life,
        strength=point.strength,
        threads_live=point.threads_live,
        window_documents=point.window_documents,
    )


def _stats(row: StreamRow, age: float, now: int) -> StreamStats:
    told = row.statistics
    window = told.get("window") or {}
    return StreamStats(
        accepted=row.accepted,
        pending=row.pending,
        pending_erasures=row.pending_erasures,
        lag_seconds=age,
        last_arrival_at=row.last_arrival_at,
        clock=row.clock,
        horizon=row.horizon,
        model_version=row.model_version,
        stepped_at=row.stepped_at,
        swept_at=row.swept_at,
        window=Window(from_=window.get("from"), to=window.get("to"), documents=window.get("documents", 0)),
        vocabulary=told.get("vocabulary", 0),
        threads_live=told.get("threads_live", 0),
        late=told.get("late", 0),
        quarantined=told.get("quarantined", 0),
        alpha=told.get("alpha"),
        half_life_seconds=told.get("half_life"),
        strength=told.get("strength"),
        sweep_seconds=told.get("sweep_seconds"),
        lease=Lease(
            held=row.lease_owner is not None and row.lease_expires_at > now,
            epoch=row.lease_epoch,
            expires_at=row.lease_expires_at or None,
        ),
    )
