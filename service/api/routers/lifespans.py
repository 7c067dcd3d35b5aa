"""Lifespans: births, deaths, durations, and what they say together."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BeforeValidator, WithJsonSchema
from starlette.responses import Response

from service.durations import UNITS
from service.store import histories, streams, threads
from service.store.streams import StreamRow
from service.store.threads import Filter

from ..answers import Paging, query_tag, reply_tagged
from ..context import Use
from ..lifespans import lifespan, summary, survival_of
from ..operations import operation
from ..parameters import FromTime, Search, SizeFilter, StreamPath, ToTime
from ..rows import found
from ..schemas.base import DURATION, duration
from ..schemas.lifespans import LifespanPage

router = APIRouter()
Gap = Annotated[
    int,
    Query(description="Documents further apart than this belong to different intervals."),
    BeforeValidator(lambda value: duration(value) if isinstance(value, str) else value),
    WithJsonSchema(DURATION),
]


@router.get("/v1/streams/{stream}/lifespans", **operation("lifespans_list", "read", LifespanPage, 304))
def list_lifespans(
    context: Use,
    request: Request,
    stream: StreamPath,
    pager: Paging,
    time_from: FromTime = None,
    time_to: ToTime = None,
    least_size: SizeFilter = 0,
    search: Search = None,
    gap: Gap = UNITS["d"],
) -> Response:
    """List the lifespans of threads by birth, with the survival of all that the filters let through."""
    chosen = Filter(None, time_from, time_to, search, least_size or None)
    after = (pager.after[0], pager.after[1]) if pager.after else None
    with context.database.read() as connection:
        row: StreamRow = found(streams.find(connection, stream))
        page = threads.list_page(connection, row.id, chosen, sort="born_at", limit=pager.fetch, after=after)
        survival = survival_of(histories.all_lifespans(connection, row.id, chosen), row.clock or 0)
        fields = pager.page(
            page,
            lambda item: lifespan(connection, row, item, survival, gap),
            lambda item: [item.born_at, item.thread],
        )
    made = LifespanPage(**fields, summary=summary(survival))
    return reply_tagged(request, query_tag(request, row.version, row.model_version), lambda: made)
