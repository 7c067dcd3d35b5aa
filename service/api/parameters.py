"""Parameters of paths, queries and headers, read as strictly as bodies."""

import re
from typing import Annotated, Any

from fastapi import Path, Query, Request
from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from service.errors import FieldError, invalid
from service.times import parse_moment

from .middleware import SLASH
from .strict_json import forbidden, pointer

STREAM_NAME = r"^[a-z0-9][a-z0-9_-]{0,63}$"
STREAM = r"^([a-z0-9][a-z0-9_-]{0,63}|str_[0-9A-HJKMNP-TV-Z]{26})$"
DOCUMENT_ID = r"^[!-~]{1,200}$"
THREAD_ID = r"^thr_(0|[1-9][0-9]{0,17})$"
THREAD_IDS = r"^thr_(0|[1-9][0-9]{0,17})(,thr_(0|[1-9][0-9]{0,17})){0,499}$"
TASK_ID = r"^tsk_[0-9A-HJKMNP-TV-Z]{26}$"
KEY_ID = r"^key_[0-9A-Za-z]{1,40}$"
CURSOR = r"^[A-Za-z0-9_-]{22,400}$"
EVENT = r"^(evt_)?(0|[1-9][0-9]{0,17})$"
DIGITS = re.compile(r"[0-9]{1,18}")
DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?")
DATE_TIME = {"type": "string", "format": "date-time", "examples": ["2026-03-02T08:14:00Z"]}


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        if not DIGITS.fullmatch(value):
            raise PydanticCustomError("not_a_number", "must be a whole number in plain digits")
        return int(value)
    return value


def _decimal(value: Any) -> Any:
    if isinstance(value, str):
        if not DECIMAL.fullmatch(value):
            raise PydanticCustomError("not_a_number", "must be a number, such as 2.5")
        return float(value)
    return value


def moment(value: Any) -> Any:
    """Microseconds of an RFC 3339 string; nothing else is a moment."""
    if not isinstance(value, str):
        raise PydanticCustomError("bad_time", "must be an RFC 3339 string with an offset, such as 2026-03-02T08:14:00Z")
    try:
        return parse_moment(value)
    except ValueError as error:
        raise PydanticCustomError("bad_time", "{reason}", {"reason": str(error)}) from None


def _clean(value: Any) -> Any:
    if isinstance(value, str) and forbidden(value):
        raise PydanticCustomError("forbidden_character", "must not contain NUL")
    return value


def _unslash(value: Any) -> Any:
    return value.replace(SLASH, "/") if isinstance(value, str) else value


Whole = BeforeValidator(_whole)
StreamPath = Annotated[
    str, Path(pattern=STREAM, description="Name or id of the stream.", openapi_examples={"name": {"value": "default"}})
]
DocumentPath = Annotated[
    str,
    Path(
        pattern=DOCUMENT_ID,
        description="Id of the document; encode a slash as %2F.",
        openapi_examples={"id": {"value": "mail-1"}},
    ),
    BeforeValidator(_unslash),
]
ThreadPath = Annotated[
    str, Path(pattern=THREAD_ID, description="Id of the thread.", openapi_examples={"id": {"value": "thr_1"}})
]
TaskPath = Annotated[str, Path(pattern=TASK_ID, description="Id of the task.")]
KeyPath = Annotated[str, Path(pattern=KEY_ID, description="Id of the key, not its secret.")]
Limit = Annotated[int, Query(ge=1, le=500, description="Most rows of the page."), Whole]
Cursor = Annotated[
    str | None, Query(pattern=CURSOR, description="`next_cursor` of the page before, with the same filters.")
]
Moment = Annotated[int, BeforeValidator(moment), WithJsonSchema(DATE_TIME)]
FromTime = Annotated[Moment | None, Query(alias="from", description="Earliest event time.")]
ToTime = Annotated[Moment | None, Query(alias="to", description="Event times before this.")]
ThreadFilter = Annotated[str | None, Query(pattern=THREAD_ID, description="Only of this thread.")]
ThreadIds = Annotated[
    str | None,
    Query(pattern=THREAD_IDS, max_length=10_000, description="Only these, separated by commas; at most 500."),
]
SizeFilter = Annotated[int, Query(ge=0, le=10**15, description="Least number of documents."), Whole]
Search = Annotated[
    str | None,
    Query(min_length=1, max_length=200, description="Words in labels and titles, in any case."),
    BeforeValidator(_clean),
]
Timeout = Annotated[float, Query(ge=0, le=30, description="Longest wait in seconds."), BeforeValidator(_decimal)]


async def known_query(request: Request) -> None:
    """Refuse query parameters that the operation does not have, or that are given twice."""
    names = [name for name, _ in request.query_params.multi_items()]
    known = _query_names(request.scope["route"].dependant)
    faults = [
        FieldError(pointer((name,)), "unknown_parameter", "this operation has no such parameter", "query")
        for name in dict.fromkeys(names)
        if name not in known
    ] + [
        FieldError(pointer((name,)), "repeated_parameter", "may be given once", "query")
        for name in sorted(known)
        if names.count(name) > 1
    ]
    if faults:
        raise invalid(faults[:20])


def _query_names(dependant: Any) -> set[str]:
    names = {field.alias for field in dependant.query_params}
    for part in dependant.dependencies:
        names |= _query_names(part)
    return names
