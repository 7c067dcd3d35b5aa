"""Lifecycle events: a list after a place, and a live stream of them."""

from typing import Annotated, Literal, get_args

from fastapi import APIRouter, Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from service.errors import TooMany
from service.store import events, streams

from .. import rows
from ..answers import Paging, query_tag, reply_tagged
from ..context import Context, Use
from ..live import follow
from ..operations import operation
from ..parameters import EVENT, FromTime, StreamPath, ToTime
from ..rows import found
from ..schemas.events import EventPage, Type

router = APIRouter()
ALL = "/v1/streams/{stream}/events"
After = Annotated[str | None, Query(pattern=EVENT, description="Id or number of the last event seen.")]
TypeFilter = Annotated[
    Type | Literal["thread"] | None,
    Query(alias="type", description="Only of this type; `thread` stands for all that happens to threads."),
]
Order = Annotated[Literal["oldest", "newest"], Query(description="By sequence.")]
LastEvent = Annotated[str | None, Header(alias="Last-Event-ID", pattern=EVENT, description="Resume after this event.")]


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


@router.get(ALL, **operation("events_list", "read", EventPage, 304))
def list_events(
    context: Use,
    request: Request,
    stream: StreamPath,
    pager: Paging,
    after: After = None,
    kind: TypeFilter = None,
    order: Order = "oldest",
    time_from: FromTime = None,
    time_to: ToTime = None,
) -> Response:
    """List lifecycle events in their sequence, which has no gaps, or the newest first."""
    with context.database.read() as connection:
        row = found(streams.find(connection, stream))
        start, before = _number(after), row.next_event if order == "newest" else None
        if pager.after and before is None:
            start = pager.after[0]
        elif pager.after:
            before = pager.after[0]
        page = events.after(
            connection,
            row.id,
            start,
            pager.fetch,
            _types(kind),
            newest_before=before,
            time_from=time_from,
            time_to=time_to,
        )
    fields = pager.page(page, rows.event, lambda item: [item.seq])
    tag = query_tag(request, row.version, row.model_version, row.next_event)
    return reply_tagged(request, tag, lambda: EventPage(**fields))


@router.get(f"{ALL}/stream", response_class=EventStream, **operation("events_stream", "read", None))
async def stream_events(
    context: Use,
    request: Request,
    stream: StreamPath,
    after: After = None,
    kind: TypeFilter = None,
    last_event: LastEvent = None,
) -> Response:
    """Follow lifecycle events as server-sent events.

    Each has its number as `id`, its type as `event` and one line of JSON as `data`. A client that reconnects with
    `Last-Event-ID` (or `after`) misses nothing; without either it begins at the first event.
    """
    row = await run_in_threadpool(_find, context, stream)
    if context.event_streams >= context.settings.sse_connections:
        raise TooMany("As many clients follow events as the service allows.", code="too_many_streams", retry_after_s=15)
    start = _number(last_event or after)
    lines = follow(context, request, row, start, _types(kind))
    return EventStream(lines, headers={"Cache-Control": "no-store"})


def _find(context: Context, name: str) -> str:
    with context.database.read() as connection:
        stream_id: str = found(streams.find(connection, name)).id
        return stream_id


def _number(event: str | None) -> int:
    return int(event.removeprefix("evt_")) if event else 0


def _types(kind: str | None) -> list[str] | None:
    if kind == "thread":
        return [name for name in get_args(Type) if name.startswith("thread.")]
    return [kind] if kind else None
