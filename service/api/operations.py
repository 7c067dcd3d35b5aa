"""How an operation is declared: its id, scope, body, answer and every refusal, in one call."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from fastapi import Depends, Request
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool

from service.errors import invalid
from service.settings import Settings

from . import body
from .auth import Scope, requires
from .context import Use
from .parameters import known_query
from .problems import MEDIA_TYPE, body_faults
from .strict_json import parse

Model = TypeVar("Model", bound=BaseModel)
PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemAnswer"}}}
JSON = "application/json"
REASONS = {
    304: "Not changed since the entity tag given",
    400: "Malformed request, or a bad cursor",
    401: "No valid key",
    403: "The key lacks the scope",
    404: "Not found",
    408: "The body came too slowly",
    409: "Conflict with what is stored",
    412: "It has changed since the entity tag given",
    413: "The body is too large",
    415: "The content type or encoding is not supported",
    422: "A value is not valid",
    429: "Too many requests or waiting documents; see Retry-After",
    500: "A fault of the service",
    503: "Not ready or stopping; see Retry-After",
    507: "The disk is full",
}
ALWAYS = (400, 401, 403, 404, 422, 429, 500, 503)
WITH_BODY = (408, 413, 415)


def operation(
    name: str,
    scope: Scope | None,
    answer: type[BaseModel] | None,
    *refusals: int,
    status: int = 200,
    sends: tuple[type[BaseModel], ...] = (),
    media_types: tuple[str, ...] = (JSON,),
    also: Mapping[int, tuple[type[BaseModel], str]] | None = None,
) -> dict[str, Any]:
    """Keyword arguments of a route's decorator. `refusals` are those beyond the ones that every operation has."""
    checks = [Depends(requires(scope))] if scope else []
    statuses = sorted({*ALWAYS, *refusals, *(WITH_BODY if sends else ())} if scope else {*refusals, 422, 500})
    responses = {code: _refusal(code) for code in statuses}
    for code, (model, sentence) in (also or {}).items():
        schema = {JSON: {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}
        responses[code] = {"description": sentence, "content": responses.get(code, {}).get("content", {}) | schema}
    extra: dict[str, Any] = {"x-scope": scope}
    if sends:
        extra["requestBody"] = _request_body(sends, media_types)
    return {
        "operation_id": name,
        "tags": [name.partition("_")[0]],
        "dependencies": [*checks, Depends(known_query)],
        "response_model": answer,
        "status_code": status,
        "responses": responses,
        "openapi_extra": extra,
    }


def json_body(model: type[Model], *media_types: str) -> Callable[..., Awaitable[Model]]:
    """A dependency that reads, parses and checks the body, away from the event loop."""

    async def read(request: Request, context: Use) -> Model:
        body.require_type(request, *(media_types or (JSON,)))
        raw = await body.read(request, context.settings)
        return await run_in_threadpool(lambda: validated(model, parse(raw), context.settings))

    return read


def validated(model: type[Model], value: Any, settings: Settings) -> Model:
    """The value as a model; raises Invalid with pointers."""
    try:
        return model.model_validate(value, context=settings)
    except ValidationError as error:
        raise invalid(body_faults(error)) from None


def _refusal(status: int) -> dict[str, Any]:
    return {"description": REASONS[status]} | ({} if status == 304 else {"content": PROBLEM})


def _request_body(models: tuple[type[BaseModel], ...], media_types: tuple[str, ...]) -> dict[str, Any]:
    references = [{"$ref": f"#/components/schemas/{model.__name__}"} for model in models]
    schema = references[0] if len(references) == 1 else {"oneOf": references}
    return {"required": True, "content": {media_type: {"schema": schema} for media_type in media_types}}
