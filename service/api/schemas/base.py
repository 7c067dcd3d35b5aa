"""The two kinds of models, and values that look different inside and outside."""

from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

from service.durations import format_duration, parse_duration
from service.times import format_moment

from ..parameters import DATE_TIME, moment

Item = TypeVar("Item")
DURATION = {
    "type": "string",
    "pattern": "^([0-9]{1,9}(\\.[0-9]{1,9})?(ms|[wdhms])|P[0-9.WDTHMS]{2,60})$",
    "description": "3d, 12h, 30m, or ISO 8601 days and times such as P30D or PT36H.",
    "examples": ["3d", "PT36H"],
}


class Body(BaseModel):
    """A part of a request: exact types, no unknown fields, finite numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, hide_input_in_errors=True)


class Answer(BaseModel):
    """A part of a response; fields may be added within v1."""

    model_config = ConfigDict(frozen=True)


def duration(value: Any) -> Any:
    """Microseconds of a duration in words; nothing else is a duration."""
    if not isinstance(value, str):
        raise PydanticCustomError("bad_duration", "must be a duration such as 3d, 12h, P30D or PT36H")
    try:
        return parse_duration(value)
    except ValueError as error:
        raise PydanticCustomError("bad_duration", "{reason}", {"reason": str(error)}) from None


def integral(value: Any) -> Any:
    """JSON has one kind of number: 13.0 is 13."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Count = Annotated[int, BeforeValidator(integral)]
NewMoment = Annotated[int, BeforeValidator(moment), WithJsonSchema(DATE_TIME)]
Moment = Annotated[int, PlainSerializer(format_moment, return_type=str), WithJsonSchema(DATE_TIME)]
SentMoment = Annotated[
    int,
    BeforeValidator(moment),
    PlainSerializer(format_moment, return_type=str, when_used="json-unless-none"),
    WithJsonSchema(DATE_TIME),
]
Duration = Annotated[
    int,
    BeforeValidator(duration),
    PlainSerializer(format_duration, return_type=str),
    WithJsonSchema(DURATION),
]


class Page(Answer, Generic[Item]):
    """A page of a list; there are more while `has_more`, from `next_cursor` on."""

    data: list[Item]
    has_more: bool
    next_cursor: str | None = Field(description="Pass as `cursor` for the next page.")


class FieldProblem(Answer):
    """One fault of a request."""

    pointer: str
    code: str
    detail: str
    location: str


class ProblemAnswer(Answer):
    """Why a request was not served (RFC 9457); `code` is stable, sentences are not."""

    model_config = ConfigDict(
        title="Problem",
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:threadline:problem:validation_failed",
                    "title": "Validation failed",
                    "status": 422,
                    "detail": "1 field is invalid.",
                    "instance": "/v1/streams/default/documents",
                    "code": "validation_failed",
                    "request_id": "req_01K0000000000000000000000",
                    "errors": [
                        {
                            "pointer": "#/time",
                            "code": "bad_time",
                            "detail": "must be an RFC 3339 date and time with Z or an offset",
                            "location": "body",
                        }
                    ],
                }
            ]
        },
    )

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    request_id: str
    errors: list[FieldProblem]
