"""Idempotency-Key: the answer is stored with its effect, and given again to the same request."""

import hashlib
from typing import Annotated

from fastapi import Header, Request
from sqlalchemy import Connection
from starlette.responses import Response

from service.errors import Invalid
from service.store import idempotency
from service.store.idempotency import StoredAnswer

from .context import Context

KeyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[!-~]{1,255}$",
        description="Makes a retry harmless for documents without ids, for 24 hours.",
    ),
]
HOUR = 3_600_000_000


class Once:
    """One request under its key; does nothing if it came without a key."""

    def __init__(self, context: Context, request: Request, key: str | None, body: bytes) -> None:
        caller = getattr(request.state, "caller", "")
        named = repr((caller, request.method, request.url.path, request.url.query, key))
        self._key = hashlib.sha256(named.encode()).hexdigest() if key else None
        self._body = hashlib.sha256(body).digest()
        self._now = context.clock()
        self._oldest = self._now - round(context.settings.idempotency_hours * HOUR)

    def answered(self, connection: Connection) -> Response | None:
        """The answer that the request had before; raises Invalid if the key came with another body."""
        before = idempotency.get(connection, self._key) if self._key else None
        if before is None:
            return None
        if before.created_at < self._oldest:
            idempotency.prune(connection, self._oldest)
            return None
        if before.body != self._body:
            raise Invalid("This Idempotency-Key came with another body before.", code="idempotency_key_reused")
        headers = {"Idempotency-Replayed": "true"}
        return Response(before.response, before.status, headers, "application/json")

    def remember(self, connection: Connection, stream_id: str, status: int, answer: str) -> None:
        """Store the answer in the transaction of its effect."""
        if self._key:
            idempotency.put(connection, StoredAnswer(self._key, self._body, status, answer, stream_id, self._now))
