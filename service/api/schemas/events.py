"""Lifecycle events."""

from typing import Literal

from pydantic import ConfigDict, Field

from .base import Answer, Moment, Page

Type = Literal[
    "thread.born",
    "thread.died",
    "thread.merged",
    "thread.split",
    "thread.revived",
    "thread.dormant",
    "document.moved",
]


class Event(Answer):
    """Something that happened to a thread or a document; `seq` has no gaps within a stream."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": "evt_7",
                    "seq": 7,
                    "type": "thread.merged",
                    "occurred_at": "2026-03-04T10:00:00.000000Z",
                    "recorded_at": "2026-03-04T10:00:01.250000Z",
                    "thread_id": "thr_9",
                    "other_thread_id": "thr_3",
                    "document_id": None,
                    "model_version": 40,
                }
            ]
        }
    )

    id: str
    seq: int
    type: Type
    occurred_at: Moment = Field(description="Event time.")
    recorded_at: Moment
    thread_id: str | None
    other_thread_id: str | None = Field(description="merged: into. split: from. moved: the thread before.")
    document_id: str | None = Field(description="moved: the document, unless it was erased since.")
    model_version: int


class EventPage(Page[Event]):
    """Events in their sequence."""
