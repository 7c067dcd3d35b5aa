"""Server-sent events: new events are looked for together, and no transaction is open while nothing happens."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from service.errors import Problem
from service.store import events, streams
from service.store.events import EventRow
from service.store.problems import StoreError

from . import rows
from .context import Context

LOOK_S = 0.5  # how often the database is asked for each stream, however many follow it
PING_S = 15.0
RETRY_MS = 3000
BATCH = 500
GONE = -1


async def follow(
    context: Context, request: Request, stream_id: str, after: int, types: Sequence[str] | None
) -> AsyncIterator[bytes]:
    """The lines of one connection, until the client leaves, its key ends, the stream is deleted or the server stops."""
    context.event_streams += 1
    try:
        yield f"retry: {RETRY_MS}\n\n".encode()
        quiet = time.monotonic()
        while not context.draining:
            head = await _head(context, stream_id)
            if head == GONE:
                return
            if head > after:
                found = await run_in_threadpool(_read, context, stream_id, after, types)
                after = found[-1].seq if len(found) == BATCH else max(head, found[-1].seq if found else 0)
                for row in found:
                    yield _lines(row)
                    quiet = time.monotonic()
                continue
            if time.monotonic() - quiet >= PING_S:
                await request.app.state.gate.caller(request, context)  # raises when the key was revoked
                yield b": ping\n\n"
                quiet = time.monotonic()
            await asyncio.sleep(LOOK_S)
    except (Problem, StoreError):
        return  # the client reconnects, and sees why
    finally:
        context.event_streams -= 1


async def _head(context: Context, stream_id: str) -> int:
    async with context.heads_lock:
        looked, head = context.heads.get(stream_id, (0.0, 0))
        if time.monotonic() - looked >= LOOK_S:
            head = await run_in_threadpool(_last, context, stream_id)
            context.heads[stream_id] = (time.monotonic(), head)
            if head == GONE:
                del context.heads[stream_id]
        return head


def _last(context: Context, stream_id: str) -> int:
    with context.database.read() as connection:
        row = streams.find(connection, stream_id)
    return GONE if row is None else row.next_event - 1


def _read(context: Context, stream_id: str, after: int, types: Sequence[str] | None) -> list[EventRow]:
    with context.database.read() as connection:
        return events.after(connection, stream_id, after, BATCH, types)


def _lines(row: EventRow) -> bytes:
    return f"id: {row.seq}\nevent: {row.type}\ndata: {rows.event(row).model_dump_json(by_alias=True)}\n\n".encode()
