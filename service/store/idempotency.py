"""Answers that are given again when a request is sent again; they hold ids and outcomes, never text."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select, update

from service.store.dialects import insert_missing
from service.store.problems import Conflict
from service.store.tables import idempotency

ERASED = '"erased"'


class StoredAnswer(NamedTuple):
    key: str
    body: bytes
    status: int
    response: str
    stream_id: str | None
    created_at: int


def get(connection: Connection, key: str) -> StoredAnswer | None:
    row = connection.execute(select(idempotency).where(idempotency.c.key == key)).one_or_none()
    return None if row is None else StoredAnswer._make(row)._replace(body=bytes(row.body))


def put(connection: Connection, answer: StoredAnswer) -> None:
    """In the transaction of the effect. Raises Conflict if the same request was just answered elsewhere."""
    if not insert_missing(connection, idempotency, answer._asdict()):
        raise Conflict("idempotency_in_flight", "the same request is being answered already; send it again")


def prune(connection: Connection, before: int) -> int:
    return connection.execute(delete(idempotency).where(idempotency.c.created_at < before)).rowcount


def redact(connection: Connection, stream_id: str, ids: Sequence[str]) -> None:
    """Take the ids of erased documents out of the stored answers; the answers stay, so a retry changes nothing."""
    for document_id in ids:
        quoted = json.dumps(document_id)
        named = (idempotency.c.stream_id == stream_id, idempotency.c.response.contains(quoted, autoescape=True))
        cleared = func.replace(idempotency.c.response, quoted, ERASED)
        connection.execute(update(idempotency).where(*named).values(response=cleared))
