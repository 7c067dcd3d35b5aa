"""Who calls and what they may do. Decided before a byte of the body is read."""

import hashlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from service.errors import Forbidden, TooMany, Unauthenticated
from service.store import keys

from .context import Context, Use

Scope = Literal["ingest", "read", "manage"]
REMEMBERED_S = 1.0  # a revoked key stops working this soon
MOST_REMEMBERED = 10_000


@dataclass(frozen=True)
class Caller:
    """A key, or whoever may reach a service that needs none."""

    id: str
    scopes: frozenset[str]


ANYONE = Caller("", frozenset({"ingest", "read", "manage"}))


@dataclass
class Gate:
    """Keys seen within the last second, and the request rate of each caller."""

    seen: dict[bytes, tuple[float, Caller | None]] = field(default_factory=dict)
    buckets: dict[str, tuple[float, float]] = field(default_factory=dict)  # when, tokens left

    async def caller(self, request: Request, context: Context) -> Caller:
        """The caller of a request; raises Unauthenticated."""
        header = request.headers.get("authorization")
        if header is None:
            if context.keys_required:
                raise Unauthenticated("Send a key: Authorization: Bearer threadline_…")
            return ANYONE
        scheme, _, secret = header.partition(" ")
        caller = await self._known(secret.strip(), context) if scheme.lower() == "bearer" else None
        if caller is None:
            raise Unauthenticated("The key is unknown, revoked or expired.")
        return caller

    def slow_down(self, name: str, rate: float) -> None:
        """Take one token of the caller's bucket, which holds two seconds' worth; raises TooMany."""
        now = time.monotonic()
        before, tokens = self.buckets.get(name, (now, max(1.0, 2 * rate)))
        tokens = min(max(1.0, 2 * rate), tokens + (now - before) * rate)
        if len(self.buckets) > MOST_REMEMBERED:
            self.buckets.clear()
        self.buckets[name] = (now, tokens - 1 if tokens >= 1 else tokens)
        if tokens < 1:
            raise TooMany("Slow down.", code="rate_limited", retry_after_s=max(1, round((1 - tokens) / rate)))

    async def _known(self, secret: str, context: Context) -> Caller | None:
        digest, now = hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest(), time.monotonic()
        expires, caller = self.seen.get(digest, (0.0, None))
        if expires < now:
            caller = await run_in_threadpool(_authenticate, secret, context)
            if len(self.seen) > MOST_REMEMBERED:
                self.seen.clear()
            self.seen[digest] = (now + REMEMBERED_S, caller)
        return caller


def requires(scope: Scope) -> Callable[..., Awaitable[Caller]]:
    """A dependency that lets callers with the scope through."""

    async def check(request: Request, context: Use) -> Caller:
        caller: Caller = await request.app.state.gate.caller(request, context)
        if context.settings.request_rate:
            address = request.client.host if request.client else ""
            request.app.state.gate.slow_down(caller.id or address, context.settings.request_rate)
        if scope not in caller.scopes:
            raise Forbidden(f"This needs a key with the scope {scope}.")
        request.state.caller = caller.id
        return caller

    return check


def _authenticate(secret: str, context: Context) -> Caller | None:
    now = context.clock()
    with context.database.read() as connection:
        row = keys.authenticate(connection, secret, now)
    if row and keys.needs_touch(row, now):
        with context.database.write() as connection:
            keys.touch(connection, row, now)
    return Caller(row.id, frozenset(row.scopes)) if row else None
