"""Salted hashes of erased ids, so that a late retry cannot bring a document back."""

import hashlib
from collections.abc import Collection, Iterable

from sqlalchemy import Connection, select

from service.store import secrets
from service.store.dialects import insert_missing
from service.store.tables import tombstones

SALT = "tombstones"
CHUNK = 5_000


def bury(connection: Connection, stream_id: str, ids: Iterable[str], now: int) -> None:
    salt = secrets.get_or_create(connection, SALT)
    for document_id in ids:
        digest = _digest(salt, stream_id, document_id)
        insert_missing(connection, tombstones, {"stream_id": stream_id, "digest": digest, "erased_at": now})


def buried(connection: Connection, stream_id: str, ids: Collection[str]) -> set[str]:
    """Those of the ids that were erased."""
    if connection.execute(select(1).where(tombstones.c.stream_id == stream_id).limit(1)).first() is None:
        return set()
    salt = secrets.get_or_create(connection, SALT)
    digests = {_digest(salt, stream_id, document_id): document_id for document_id in ids}
    asked = list(digests)
    found: set[str] = set()
    for start in range(0, len(asked), CHUNK):
        some = tombstones.c.digest.in_(asked[start : start + CHUNK])
        rows = connection.execute(select(tombstones.c.digest).where(tombstones.c.stream_id == stream_id, some))
        found.update(digests[bytes(row.digest)] for row in rows)
    return found


def _digest(salt: bytes, stream_id: str, document_id: str) -> bytes:
    return hashlib.blake2b(f"{stream_id} {document_id}".encode(), key=salt, digest_size=32).digest()
