"""Bulk ingest: many lines in one request."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.errors import Problem
from service.store.problems import StoreError

from .. import body, problems
from ..answers import reply
from ..bulk import LINES, Bulk, OnError, Part
from ..context import Context, Use
from ..idempotency import KeyHeader
from ..ingest import open_stream
from ..operations import operation
from ..parameters import StreamPath
from ..schemas.documents import NewDocument
from ..schemas.outcomes import BulkAnswer

router = APIRouter()
NDJSON = "application/x-ndjson"
AHEAD = 2  # parts that are read while another waits for the disk
ErrorChoice = Annotated[OnError, Query(description="abort: store nothing if any line is bad.")]
ConflictChoice = Annotated[
    Literal["reject", "replace", "ignore"], Query(description="What a known id with other content does.")
]


@router.post(
    "/v1/streams/{stream}/documents/bulk",
    **operation(
        "documents_bulk",
        "ingest",
        BulkAnswer,
        409,
        507,
        status=202,
        sends=(NewDocument,),
        media_types=(NDJSON,),
        also={422: (BulkAnswer, "Some lines were rejected, or a parameter is not valid")},
    ),
)
async def bulk_documents(
    context: Use,
    request: Request,
    stream: StreamPath,
    key: KeyHeader = None,
    on_error: ErrorChoice = "continue",
    on_conflict: ConflictChoice = "reject",
) -> Response:
    """Send many documents, one JSON object on each line, plain or as gzip or zstd.

    Good lines are committed 500 at a time as they arrive. 202: every line was stored or was there already. 422 with the
    same body: some lines were rejected, the others are stored. `on_error=abort`: all or nothing. When the request
    fails on the way, the problem's `result` says what was stored until then. With an `Idempotency-Key`, documents
    without ids get the same ids again when the request is repeated.
    """
    body.require_type(request, NDJSON, "application/jsonl")
    decoder = body.decoder_of(request)
    row = await run_in_threadpool(open_stream, context, stream)
    bulk = Bulk(context, row, on_error, on_conflict, key)
    try:
        await _take_lines(context, request, bulk, decoder)
        answer = await run_in_threadpool(bulk.finish)
    except (Problem, StoreError) as error:
        problem = problems.of(error)
        if bulk.begun:
            problem.extra["result"] = bulk.report().model_dump(mode="json")
        raise problem from error
    return reply(answer, 422 if answer.rejected else 202)


async def _take_lines(context: Context, request: Request, bulk: Bulk, decoder: body.Decoder) -> None:
    storing: deque[asyncio.Task[None]] = deque()
    try:
        async for lines in _parts(context, request, decoder):
            part = await run_in_threadpool(bulk.read, lines)
            if len(storing) > AHEAD:
                await storing.popleft()
            storing.append(asyncio.create_task(_store(bulk, part, storing[-1] if storing else None)))
    finally:  # what is under way ends before anybody is told
        if storing:
            await storing[-1]


async def _store(bulk: Bulk, part: Part, before: asyncio.Task[None] | None) -> None:
    """Store a part after the one before, and only if that went well."""
    if before:
        await before
    await run_in_threadpool(bulk.store, part)


async def _parts(context: Context, request: Request, decoder: body.Decoder) -> AsyncIterator[list[bytes]]:
    rest, lines, room = b"", list[bytes](), context.settings.body_bytes
    async for piece in body.received(request, context.settings):
        packed = not isinstance(decoder, body.Identity)
        decoded = await run_in_threadpool(decoder.feed, piece, room) if packed else piece
        room -= len(decoded)
        *whole, rest = (rest + decoded).split(b"\n")
        lines += whole
        while len(lines) >= LINES:
            yield lines[:LINES]
            del lines[:LINES]
    decoder.finish()
    lines += [rest] if rest else []
    for start in range(0, len(lines), LINES):
        yield lines[start : start + LINES]
