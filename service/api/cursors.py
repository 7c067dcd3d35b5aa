"""Opaque, signed cursors: a place in one list under one set of filters."""

import base64
import hashlib
import hmac
import json
from typing import Any

from service.errors import BadCursor

SIGNATURE = 16  # bytes


def seal(secret: bytes, scope: str, place: list[Any]) -> str:
    """A cursor for the place; only good for the same scope (operation, stream and filters)."""
    payload = json.dumps(place, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_sign(secret, scope, payload) + payload).rstrip(b"=").decode()


def unseal(secret: bytes, scope: str, cursor: str) -> list[Any]:
    """The place of a cursor; raises BadCursor unless this service made it for this scope."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raise _bad() from None
    signature, payload = raw[:SIGNATURE], raw[SIGNATURE:]
    if not hmac.compare_digest(signature, _sign(secret, scope, payload)):
        raise _bad()
    place: list[Any] = json.loads(payload)
    return place


def _sign(secret: bytes, scope: str, payload: bytes) -> bytes:
    return hmac.new(secret, scope.encode() + b"\0" + payload, hashlib.sha256).digest()[:SIGNATURE]


def _bad() -> BadCursor:
    return BadCursor("The cursor was not made by this list with these filters; start again without it.")
