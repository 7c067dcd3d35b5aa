"""Keys: create, list, revoke."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from service.errors import Absent
from service.store import keys
from service.store.keys import KeyRow

from ..answers import Paging, reply
from ..context import Use
from ..operations import json_body, operation
from ..parameters import KeyPath
from ..schemas.service import CreatedKey, Key, KeyPage, NewKey

router = APIRouter()


@router.post("/v1/keys", **operation("keys_create", "manage", CreatedKey, status=201, sends=(NewKey,)))
def create_key(context: Use, new: Annotated[NewKey, Depends(json_body(NewKey))]) -> Response:
    """Create a key; its secret is shown this once."""
    with context.database.write() as connection:
        row, secret = keys.create(connection, new.name, sorted(set(new.scopes)), new.expires_at)
    answer = CreatedKey.model_validate(_fields(row) | {"secret": secret})
    return reply(answer, 201, {"Location": f"/v1/keys/{row.id}"})


@router.get("/v1/keys", **operation("keys_list", "manage", KeyPage))
def list_keys(context: Use, pager: Paging) -> Response:
    """List keys, without their secrets."""
    with context.database.read() as connection:
        every = keys.list_all(connection)
    after = pager.after[0] if pager.after else ""
    page = [row for row in every if row.id > after][: pager.fetch]
    return reply(KeyPage(**pager.page(page, _shown, lambda row: [row.id])))


@router.delete("/v1/keys/{key}", **operation("keys_revoke", "manage", None, status=204))
def revoke_key(context: Use, key: KeyPath) -> Response:
    """Revoke a key; it stops working within a second."""
    with context.database.write() as connection:
        if not keys.revoke(connection, key, context.clock()):
            raise Absent
    return Response(status_code=204)


def _shown(row: KeyRow) -> Key:
    return Key.model_validate(_fields(row))


def _fields(row: KeyRow) -> dict[str, Any]:
    return row._asdict() | {"scopes": list(row.scopes)}
