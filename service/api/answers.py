"""Answers: models as JSON, entity tags, pages with signed cursors."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from pydantic import BaseModel
from starlette.responses import Response

from service.errors import PreconditionFailed

from .context import Context, Use
from .cursors import seal, unseal
from .parameters import Cursor, Limit

Row = TypeVar("Row")


def reply(model: BaseModel, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The model as JSON; call it in the handler's thread, so that large answers do not hold up the loop."""
    return Response(model.model_dump_json(by_alias=True), status, dict(headers or {}), "application/json")


def reply_tagged(request: Request, tag: str, model: Callable[[], BaseModel]) -> Response:
    """The model under its entity tag, or 304 when the client has it."""
    headers = {"ETag": tag}
    if matches(request.headers.get("if-none-match"), tag, weakly=True):
        return Response(status_code=304, headers=headers)
    return reply(model(), headers=headers)


def version_tag(version: int) -> str:
    """The tag of a resource that changes only by its version."""
    return f'"{version}"'


def query_tag(request: Request, *versions: int) -> str:
    """The tag of an answer that depends on the versions, the path and the query, and not on who asks."""
    digest = hashlib.sha256(f"{request.url.path}?{request.url.query}".encode()).hexdigest()[:16]
    return f'W/"{".".join(str(version) for version in versions)}.{digest}"'


def require_match(request: Request, tag: str) -> None:
    """Refuse a change that was made against another version."""
    condition = request.headers.get("if-match")
    if condition is not None and not matches(condition, tag, weakly=False):
        raise PreconditionFailed("It has changed since; read it again.")


def matches(condition: str | None, tag: str, *, weakly: bool) -> bool:
    """Whether a condition of a request (If-Match, If-None-Match) names the tag."""
    if condition is None:
        return False
    tags = [item.strip() for item in condition.split(",")]
    return "*" in tags or tag in tags or (weakly and tag.removeprefix("W/") in [t.removeprefix("W/") for t in tags])


class Pager:
    """One page of a list: where it begins, how long it is, and the cursor of the next."""

    def __init__(self, context: Context, request: Request, limit: int, cursor: str | None) -> None:
        filters = sorted(
            (name, value) for name, value in request.query_params.items() if name not in ("limit", "cursor")
        )
        self._scope = f"{request.url.path}?{filters}"
        self._context = context
        self.limit = limit
        self.after: list[Any] | None = unseal(context.cursor_secret, self._scope, cursor) if cursor else None

    @property
    def fetch(self) -> int:
        """Rows to ask for: one more than are shown tells whether there is a next page."""
        return self.limit + 1

    def page(
        self, rows: Sequence[Row], show: Callable[[Row], BaseModel], place: Callable[[Row], list[Any]]
    ) -> dict[str, Any]:
        """The fields of a page."""
        shown, more = rows[: self.limit], len(rows) > self.limit
        cursor = seal(self._context.cursor_secret, self._scope, place(shown[-1])) if more else None
        return {"data": [show(row) for row in shown], "has_more": more, "next_cursor": cursor}


def _pager(context: Use, request: Request, limit: Limit = 50, cursor: Cursor = None) -> Pager:
    return Pager(context, request, limit, cursor)


Paging = Annotated[Pager, Depends(_pager)]
