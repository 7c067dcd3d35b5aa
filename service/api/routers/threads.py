"""Threads: list, read, their documents and their history."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BeforeValidator, WithJsonSchema
from sqlalchemy import Connection
from starlette.responses import Response

from service.durations import UNITS
from service.errors import FieldError, invalid
from service.store import documents, histories, streams, threads
from service.store.streams import StreamRow
from service.store.threads import Filter, ThreadRow

from .. import rows
from ..answers import Paging, query_tag, reply, reply_tagged
from ..context import Use
from ..history import MOST_BUCKETS, history
from ..ids import thread_numbers, thread_of_path
from ..lifespans import OPEN, remaining, survival_of
from ..neighbours import neighbours
from ..operations import operation
from ..parameters import FromTime, Search, SizeFilter, StreamPath, ThreadIds, ThreadPath, ToTime, Whole
from ..rows import found
from ..schemas.base import DURATION, duration
from ..schemas.documents import DocumentPage
from ..schemas.lifespans import Remaining
from ..schemas.threads import History, Neighbours, Representative, State, ThreadDetail, ThreadPage
from ..schemas.timelines import Timeline
from ..timelines import timeline
from .documents import Order

router = APIRouter()
ALL = "/v1/streams/{stream}/threads"
ONE = f"{ALL}/{{thread}}"
EXCERPT = 500  # characters
BUCKETS = 50  # when no width is asked for
Sort = Annotated[
    Literal["strength", "-strength", "born_at", "-born_at", "last_at", "-last_at", "size", "-size"],
    Query(description="A minus sorts downwards."),
]
StateFilter = Annotated[State | None, Query(description="In this state.")]
Width = Annotated[
    int | None,
    Query(alias="bucket", description="Width of a bucket, such as 1d; by default about 50 buckets."),
    BeforeValidator(duration),
    WithJsonSchema(DURATION),
]

Buckets = Annotated[int, Query(ge=1, le=MOST_BUCKETS, description="Into how many buckets the span is cut."), Whole]
Most = Annotated[int, Query(ge=1, le=10_000, description="Most threads; the largest are told."), Whole]


@router.get(ALL, **operation("threads_list", "read", ThreadPage, 304))
def list_threads(
    context: Use,
    request: Request,
    stream: StreamPath,
    pager: Paging,
    state: StateFilter = None,
    time_from: FromTime = None,
    time_to: ToTime = None,
    least_size: SizeFilter = 0,
    search: Search = None,
    ids: ThreadIds = None,
    sort: Sort = "-strength",
) -> Response:
    """List threads that had documents in a span of time, by strength, birth, last activity or size."""
    chosen = _filter(state, time_from, time_to, search, least_size, ids)
    with context.database.read() as connection:
        row = found(streams.find(connection, stream))
        after = (pager.after[0], pager.after[1]) if pager.after else None
        page = threads.list_page(connection, row.id, chosen, sort=sort, limit=pager.fetch, after=after)
    value = sort.removeprefix("-")
    fields = pager.page(
        page, lambda item: rows.thread(item, row.clock), lambda item: [getattr(item, value), item.thread]
    )
    return reply_tagged(request, query_tag(request, row.version, row.model_version), lambda: ThreadPage(**fields))


@router.get(ONE, **operation("threads_get", "read", ThreadDetail, 304))
def get_thread(context: Use, request: Request, stream: StreamPath, thread: ThreadPath) -> Response:
    """Read a thread: its size, strength, life, words and lineage.

    The id of a merged thread still answers, with `merged_into`.
    """
    with context.database.read() as connection:
        row, item = _thread(connection, stream, thread)
        lineage = threads.lineage(connection, row.id, item.thread)
        detail = ThreadDetail.model_validate(
            rows.thread_fields(item, row.clock)
            | {
                "parents": [rows.thread_name(number) for number in lineage.parents],
                "children": [rows.thread_name(number) for number in lineage.children],
                "representative": _representative(connection, row.id, item),
                "expected_remaining": _remaining(connection, row, item),
            }
        )
    return reply_tagged(request, query_tag(request, row.version, row.model_version), lambda: detail)


@router.get(f"{ONE}/documents", **operation("threads_documents", "read", DocumentPage))
def list_thread_documents(
    context: Use,
    stream: StreamPath,
    thread: ThreadPath,
    pager: Paging,
    time_from: FromTime = None,
    time_to: ToTime = None,
    order: Order = "oldest",
) -> Response:
    """List the documents of a thread by event time."""
    with context.database.read() as connection:
        row, item = _thread(connection, stream, thread)
        page = documents.list_page(
            connection,
            row.id,
            time_from=time_from,
            time_to=time_to,
            thread=item.thread,
            limit=pager.fetch,
            after=(pager.after[0], pager.after[1]) if pager.after else None,
            newest_first=order == "newest",
        )
    return reply(DocumentPage(**pager.page(page, rows.document, lambda one: [one.time, one.seq])))


@router.get(f"{ONE}/history", **operation("threads_history", "read", History, 304))
def thread_history(
    context: Use,
    request: Request,
    stream: StreamPath,
    thread: ThreadPath,
    bucket: Width = None,
    time_from: FromTime = None,
    time_to: ToTime = None,
) -> Response:
    """Read a thread over time: documents, strength and top words in each bucket."""
    with context.database.read() as connection:
        row, item = _thread(connection, stream, thread)
        start = item.born_at if time_from is None else time_from
        end = item.last_at + 1 if time_to is None else time_to
        width = UNITS["s"] * (max(0, end - start) // UNITS["s"] // BUCKETS + 1) if bucket is None else bucket
        if width < UNITS["s"] or (end - start) / width > MOST_BUCKETS:
            sentence = f"must be at least a second and make at most {MOST_BUCKETS} buckets"
            raise invalid([FieldError("#/bucket", "too_many_buckets", sentence, "query")])
        made = history(connection, row, item.thread, start, end, width)
    return reply_tagged(request, query_tag(request, row.version, row.model_version), lambda: made)


@router.get(f"{ONE}/neighbours", **operation("threads_neighbours", "read", Neighbours, 304))
def thread_neighbours(context: Use, request: Request, stream: StreamPath, thread: ThreadPath) -> Response:
    """Read which other threads the documents of a thread might belong to as well."""
    with context.database.read() as connection:
        row, item = _thread(connection, stream, thread)
        made = neighbours(connection, row, item)
    return reply_tagged(request, query_tag(request, row.version, row.model_version), lambda: made)


@router.get("/v1/streams/{stream}/timeline", **operation("threads_timeline", "read", Timeline, 304))
def read_timeline(
    context: Use,
    request: Request,
    stream: StreamPath,
    state: StateFilter = None,
    time_from: FromTime = None,
    time_to: ToTime = None,
    least_size: SizeFilter = 0,
    search: Search = None,
    ids: ThreadIds = None,
    buckets: Buckets = 120,
    limit: Most = 1_000,
) -> Response:
    """Read many threads over time at once: their lives, and how many documents came in each bucket of a span.

    Without `from` and `to` the span is all of their lives. Threads named by `ids` are told even if they have no
    documents in the span.
    """
    alive = (None, None) if ids else (time_from, time_to)
    chosen = _filter(state, *alive, search, least_size, ids)
    with context.database.read() as connection:
        row = found(streams.find(connection, stream))
        made = timeline(connection, row, chosen, (time_from, time_to), buckets, limit)
    return reply_tagged(request, query_tag(request, row.version, row.model_version), lambda: made)


def _filter(
    state: str | None,
    time_from: int | None,
    time_to: int | None,
    search: str | None,
    least_size: int,
    ids: str | None,
) -> Filter:
    return Filter((state,) if state else None, time_from, time_to, search, least_size or None, thread_numbers(ids))


def _remaining(connection: Connection, row: StreamRow, item: ThreadRow) -> list[Remaining]:
    if item.state not in OPEN:
        return []
    lives = histories.all_lifespans(connection, row.id, Filter())
    return remaining(row, item, survival_of(lives, row.clock or 0))


def _thread(connection: Connection, stream: str, thread: str) -> tuple[StreamRow, ThreadRow]:
    row = found(streams.find(connection, stream))
    return row, found(threads.get(connection, row.id, thread_of_path(thread)))


def _representative(connection: Connection, stream_id: str, item: ThreadRow) -> Representative | None:
    if item.representative is None:
        return None
    for row in documents.by_seqs(connection, stream_id, [item.representative]):
        fields: dict[str, Any] = {"id": row.id, "time": row.time, "title": row.title}
        return Representative(**fields, text=row.text[:EXCERPT] if row.text is not None else None)
    return None
