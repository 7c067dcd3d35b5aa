"""API keys: threadline_<id>_<secret>_<checksum>; only a keyed hash of them is stored."""

import hashlib
import hmac
import json
import re
import secrets as random
import string
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, update

from service import times
from service.ids import new_id
from service.store import secrets
from service.store.dialects import insert_missing
from service.store.tables import keys

PEPPER = "keys"
LETTERS = string.ascii_letters + string.digits
FORM = re.compile(r"(threadline_([0-9A-Z]{26})_[0-9A-Za-z]{43})_([0-9a-f]{8})")
NOBODY = bytes(32)
MINUTE = 60_000_000


class KeyRow(NamedTuple):
    id: str
    name: str
    scopes: tuple[str, ...]
    created_at: int
    last_used_at: int | None
    expires_at: int | None
    revoked_at: int | None


COLUMNS = tuple(keys.c[name] for name in KeyRow._fields)


def create(
    connection: Connection, name: str, scopes: Sequence[str], expires_at: int | None = None
) -> tuple[KeyRow, str]:
    """The key and its secret, which cannot be shown again."""
    row = KeyRow(new_id("key"), name, tuple(scopes), times.now(), None, expires_at, None)
    body = f"threadline_{row.id.removeprefix('key_')}_" + "".join(random.choice(LETTERS) for _ in range(43))
    secret = f"{body}_{zlib.crc32(body.encode()):08x}"
    digest = _digest(secrets.get_or_create(connection, PEPPER), secret)
    insert_missing(connection, keys, row._asdict() | {"scopes": json.dumps(row.scopes), "digest": digest})
    return row, secret


def authenticate(connection: Connection, secret: str, now: int) -> KeyRow | None:
    """The key with this secret if it is neither revoked nor expired; as slow for a wrong secret as for a right one."""
    match = FORM.fullmatch(secret)
    if match is None or f"{zlib.crc32(match[1].encode()):08x}" != match[3]:
        return None
    pepper = secrets.get(connection, PEPPER) or NOBODY
    row = connection.execute(select(*COLUMNS, keys.c.digest).where(keys.c.id == f"key_{match[2]}")).one_or_none()
    right = hmac.compare_digest(_digest(pepper, secret), NOBODY if row is None else bytes(row.digest))
    if row is None or not right:
        return None
    key = _key(row[:-1])
    return key if key.revoked_at is None and (key.expires_at is None or now < key.expires_at) else None


def touch(connection: Connection, key: KeyRow, now: int) -> None:
    """Note that the key was used, to the minute; call it if needs_touch says so."""
    connection.execute(update(keys).where(keys.c.id == key.id).values(last_used_at=now - now % MINUTE))


def needs_touch(key: KeyRow, now: int) -> bool:
    return key.last_used_at is None or now - key.last_used_at >= MINUTE


def list_all(connection: Connection) -> list[KeyRow]:
    return [_key(tuple(row)) for row in connection.execute(select(*COLUMNS).order_by(keys.c.id))]


def revoke(connection: Connection, key_id: str, now: int) -> bool:
    """False if there is no such key or it was revoked before."""
    active = (keys.c.id == key_id, keys.c.revoked_at.is_(None))
    return connection.execute(update(keys).where(*active).values(revoked_at=now)).rowcount == 1


def any_active(connection: Connection, now: int) -> bool:
    unexpired = keys.c.expires_at.is_(None) | (keys.c.expires_at > now)
    return connection.execute(select(1).where(keys.c.revoked_at.is_(None), unexpired).limit(1)).first() is not None


def _digest(pepper: bytes, secret: str) -> bytes:
    return hmac.digest(pepper, secret.encode(), hashlib.sha256)


def _key(row: Sequence[Any]) -> KeyRow:
    key = KeyRow._make(row)
    return key._replace(scopes=tuple(json.loads(row[2])))
