"""Threads: list, read, their documents and their history."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BeforeValidator, WithJsonSchema
from sqlalchemy import Connection
from starlette.responses import Response

from service.durations import UNITS
from service.errors import FieldError, invalid
from service.store import documents, streams, threads
from service.store.streams import StreamRow
from service.store.threads import Filter, ThreadRow

from .. import rows
from ..answers import Paging, query_tag, reply, reply_tagged
from ..context import Use
from ..history import MOST_BUCKETS, history
from ..ids import thread_of_path
from ..operations import operation
from ..parameters import FromTime, Search, SizeFilter, StreamPath, ThreadPath, ToTime
from ..rows import found
from ..schemas.base import DURATION, duration
from ..schemas.documents import DocumentPage
from ..schemas.threads import History, Representative, State, ThreadDetail, ThreadPage
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
    sort: Sort = "-strength",
) -> Response:
    """List threads that had documents in a span of time, by strength, birth, last activity or size."""
    chosen = Filter((state,) if state else None, time_from, time_to, search, least_size or None)
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
