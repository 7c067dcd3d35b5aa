"""Every failure becomes one shape: application/problem+json with a stable code, and never what the client sent."""

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Scope

from service import errors
from service.errors import FieldError, Problem
from service.store import problems as store

from .strict_json import MOST_FAULTS, pointer

MEDIA_TYPE = "application/problem+json"
CODES = {  # pydantic's names of faults that deserve better ones
    "missing": "missing",
    "extra_forbidden": "unknown_field",
    "string_too_long": "too_long",
    "too_long": "too_long",
    "string_too_short": "too_short",
    "too_short": "too_short",
    "string_pattern_mismatch": "bad_format",
    "literal_error": "not_a_choice",
    "finite_number": "not_finite",
}
FAULT = "The service has a fault; its log has the details under this request_id."
UNKNOWN = "there is no such field here: correct its name or leave it out (/openapi.json has the fields)"
RANGES = ("greater_than", "greater_than_equal", "less_than", "less_than_equal")


def respond(problem: Problem, scope: Scope) -> Response:
    """The answer to a request that failed."""
    body: dict[str, Any] = {
        "type": f"urn:threadline:problem:{problem.code}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        "instance": quote(scope.get("path", ""), safe="/:@!$&'()*+,;=~-._")[:200],
        "code": problem.code,
        "request_id": scope.get("state", {}).get("request_id", ""),
        "errors": [vars(error) for error in problem.errors],
        **problem.extra,
    }
    return Response(json.dumps(body).encode(), problem.status, problem.headers, MEDIA_TYPE)


def field_errors(faults: Iterable[Any], *, prefix: tuple[int | str, ...] = ()) -> list[FieldError]:
    """Faults that pydantic found in a body, by pointer."""
    return [_field_error(fault, (*prefix, *fault["loc"]), "body") for fault in list(faults)[:MOST_FAULTS]]


def body_faults(error: ValidationError, *, prefix: tuple[int | str, ...] = ()) -> list[FieldError]:
    """What pydantic refused, without the input."""
    return field_errors(error.errors(include_url=False, include_input=False, include_context=False), prefix=prefix)


def install(app: FastAPI) -> None:
    """Answer every exception of the application with a problem."""
    app.add_exception_handler(Problem, _answer)
    app.add_exception_handler(store.StoreError, _answer)
    app.add_exception_handler(HTTPException, _answer)
    app.add_exception_handler(RequestValidationError, _answer)
    app.add_exception_handler(ClientDisconnect, _answer)


def of(error: Exception) -> Problem:
    """The problem that an exception stands for."""
    match error:
        case Problem():
            return error
        case store.StoreError():
            return _of_store(error)
        case RequestValidationError():
            return errors.invalid([_field_error(fault, fault["loc"][1:], fault["loc"][0]) for fault in error.errors()])
        case HTTPException(status_code=404):
            return errors.Absent()
        case HTTPException(status_code=405):
            return errors.WrongMethod("This path does not take this method; see Allow.", headers=error.headers)
        case HTTPException() | ClientDisconnect():
            return errors.Malformed("The request cannot be read.")
    return Problem(FAULT)


def _of_store(error: store.StoreError) -> Problem:
    match error:
        case store.NotFound():
            return errors.Absent()
        case store.Conflict(code="version_mismatch"):
            return errors.PreconditionFailed("It has changed since; read it again.")
        case store.Conflict():
            return errors.Conflicting(error.detail, code=error.code)
        case store.Backpressure():
            sentence = (
                "Too many documents wait for the worker; nothing of this request was stored, send it again later."
            )
            return errors.TooMany(sentence, code="backpressure", retry_after_s=5)
        case store.DiskFull():
            return errors.NoSpace("The disk of the database is full; nothing was stored.")
        case store.Refused():
            return Problem(FAULT)
        case store.SchemaError():
            return errors.Unready("The database has the schema of another version.", code="schema", retry_after_s=30)
    return errors.Unready("The database does not answer; the same request may be sent again.", code="database")


async def _answer(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code == 405:
        error.headers = {"Allow": ", ".join(_methods(request))}
    if isinstance(error, store.Unavailable):
        request.app.state.context.metrics.database_errors.labels(type(error).__name__).inc()
    problem = of(error)
    if problem.status == 500:
        raise error  # the middleware logs it
    return respond(problem, request.scope)


def _methods(request: Request) -> list[str]:
    path = request.scope["path"]
    matching = [route for route in request.app.routes if route.path_regex.match(path)]
    plainest = min(len(route.param_convertors) for route in matching)
    return sorted({m for route in matching if len(route.param_convertors) == plainest for m in route.methods})


def _field_error(fault: Any, place: tuple[int | str, ...], location: errors.Location) -> FieldError:
    kind = str(fault["type"])
    code = "out_of_range" if kind in RANGES else CODES.get(kind, kind)
    detail = UNKNOWN if code == "unknown_field" else str(fault["msg"]).removeprefix("Value error, ")
    return FieldError(pointer(tuple(place)), code, detail, location)
