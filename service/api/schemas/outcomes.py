"""What became of documents that were sent."""

from typing import Literal

from pydantic import ConfigDict, Field

from .base import Answer
from .documents import Placement


class ItemError(Answer):
    """Why a document was rejected."""

    code: str
    pointer: str | None = None
    detail: str | None = None


class Item(Answer):
    """The outcome for one document."""

    id: str
    status: Literal["accepted", "duplicate", "replaced"]
    seq: int
    assignment: Placement | None = Field(None, description="With wait=assigned.")


class Ingested(Answer):
    """What became of the documents; stored durably before this was sent."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "accepted": 1,
                    "duplicates": 0,
                    "replaced": 0,
                    "items": [{"id": "mail-1", "status": "accepted", "seq": 918, "assignment": None}],
                }
            ]
        }
    )

    accepted: int
    duplicates: int
    replaced: int
    items: list[Item]


class Line(Answer):
    """The outcome for one line of a bulk request."""

    line: int
    id: str | None
    status: Literal["accepted", "duplicate", "replaced", "rejected"]
    seq: int | None = None
    error: ItemError | None = None


class BulkAnswer(Answer):
    """Exact counts of a bulk request, and the outcome of each line: rejected ones first, at most 1,000."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "accepted": 1,
                    "duplicates": 0,
                    "replaced": 0,
                    "rejected": 1,
                    "lines": 2,
                    "aborted": False,
                    "items": [
                        {
                            "line": 2,
                            "id": None,
                            "status": "rejected",
                            "seq": None,
                            "error": {"code": "missing", "pointer": "#/time", "detail": "Field required"},
                        },
                        {"line": 1, "id": "mail-1", "status": "accepted", "seq": 918, "error": None},
                    ],
                    "items_truncated": False,
                }
            ]
        }
    )

    accepted: int
    duplicates: int
    replaced: int
    rejected: int
    lines: int = Field(description="Lines that were decided; everything after them was not looked at.")
    aborted: bool = Field(description="With on_error=abort: a line was bad, so nothing was stored.")
    items: list[Line]
    items_truncated: bool
