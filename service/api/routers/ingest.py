"""Ingest: one document or a batch."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from fastapi import APIRouter, Depends, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.store import documents
from service.store.ingest import Outcome

from .. import body, rows
from ..answers import reply
from ..context import Context, Use
from ..idempotency import KeyHeader, Once
from ..ingest import check_all, open_stream, store_all
from ..operations import JSON, operation
from ..parameters import StreamPath, Timeout
from ..quick_json import documents_of
from ..schemas.documents import Batch, NewDocument
from ..schemas.outcomes import Ingested, Item

router = APIRouter()
ALL = "/v1/streams/{stream}/documents"
SOONEST_S, LATEST_S = 0.02, 0.25  # how often a waiting request looks
Wait = Annotated[Literal["assigned"] | None, Query(description="Answer once the documents have threads.")]


class Given(NamedTuple):
    """The documents of a request, and its body for the idempotency key."""

    documents: Sequence[NewDocument]
    batch: bool
    raw: bytes


async def _given(request: Request, context: Use) -> Given:
    body.require_type(request, JSON)
    raw = await body.read(request, context.settings)
    documents, batch = await run_in_threadpool(documents_of, raw, context.settings)
    return Given(documents, batch, raw)


@router.post(
    ALL,
    **operation(
        "documents_ingest",
        "ingest",
        Ingested,
        409,
        507,
        status=202,
        sends=(NewDocument, Batch),
        also={200: (Ingested, "Stored, and all documents have threads (wait=assigned)")},
    ),
)
async def ingest_documents(
    context: Use,
    request: Request,
    stream: StreamPath,
    given: Annotated[Given, Depends(_given)],
    key: KeyHeader = None,
    wait: Wait = None,
    timeout: Timeout = 5,
) -> Response:
    """Send one document, or a batch that is stored together or not at all.

    The stream `default` is created by its first document. 202: stored durably, not yet in a thread. With
    `wait=assigned`: 200 and the threads, or 202 when the time ran out.
    """
    once = Once(context, request, key, given.raw)
    stored = await run_in_threadpool(_store, context, stream, given, once)
    if isinstance(stored, Response):
        return stored
    stream_id, answer = stored
    if wait is None:
        return reply(answer, 202)
    return await _waited(context, stream_id, answer, timeout)


def ingested(context: Context, outcomes: Sequence[Outcome]) -> Ingested:
    """The answer to stored documents."""
    context.metrics.count((outcome.status, None) for outcome in outcomes)
    counts = {status: sum(outcome.status == status for outcome in outcomes) for status in ("duplicate", "replaced")}
    items = [Item.model_validate({"id": item.id, "status": item.status, "seq": item.seq}) for item in outcomes]
    return Ingested(
        accepted=len(items) - sum(counts.values()),
        duplicates=counts["duplicate"],
        replaced=counts["replaced"],
        items=items,
    )


def _store(context: Context, name: str, given: Given, once: Once) -> Response | tuple[str, Ingested]:
    row = open_stream(context, name)
    check_all(given.documents, row, context, batch=given.batch)
    with context.database.write() as connection:
        before = once.answered(connection)
        if before is not None:
            return before
        outcomes = store_all(connection, context, row, given.documents, "reject", batch=given.batch)
        answer = ingested(context, outcomes)
        once.remember(connection, row.id, 202, answer.model_dump_json())
    return row.id, answer


async def _waited(context: Context, stream_id: str, answer: Ingested, timeout: float) -> Response:
    deadline = asyncio.get_running_loop().time() + timeout
    pause = SOONEST_S
    while True:
        items, done = await run_in_threadpool(_placed, context, stream_id, answer)
        left = deadline - asyncio.get_running_loop().time()
        if done or left <= 0 or context.draining:
            return reply(answer.model_copy(update={"items": items}), 200 if done else 202)
        await asyncio.sleep(min(pause, left))
        pause = min(2 * pause, LATEST_S)


def _placed(context: Context, stream_id: str, answer: Ingested) -> tuple[list[Item], bool]:
    with context.database.read() as connection:
        found = documents.by_seqs(connection, stream_id, [item.seq for item in answer.items])
    placements = {row.seq: rows.placement(row) for row in found}
    items = [item.model_copy(update={"assignment": placements.get(item.seq)}) for item in answer.items]
    return items, all(row.state != "pending" for row in found)
