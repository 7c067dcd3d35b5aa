"""Tasks: work that goes on after the answer."""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from .base import Answer, Moment, Page
from .comparisons import COMPARISON, Comparison
from .topics import Topics

Kind = Literal["erasure", "stream_deletion", "topics", "comparison"]
Status = Literal["enqueued", "processing", "succeeded", "failed", "canceled"]
TASK: dict[str, Any] = {
    "id": "tsk_01K00000000000000000000000",
    "type": "erasure",
    "status": "enqueued",
    "progress": 0.0,
    "stream_id": "str_01K00000000000000000000000",
    "details": {"documents": 2},
    "error": None,
    "enqueued_at": "2026-03-02T08:14:00.000000Z",
    "started_at": None,
    "finished_at": None,
}


class Task(Answer):
    """Work that goes on after the answer."""

    model_config = ConfigDict(json_schema_extra={"examples": [TASK]})

    id: str
    type: Kind
    status: Status
    progress: float = Field(ge=0, le=1, description="How much of the work is done.")
    stream_id: str | None
    details: dict[str, Any] = Field(description="What was asked for.")
    error: str | None = Field(description="Why it failed, or why there is no result any more.")
    enqueued_at: Moment
    started_at: Moment | None
    finished_at: Moment | None


class TaskDetail(Task):
    """A task with what it found."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                TASK
                | {
                    "type": "comparison",
                    "status": "succeeded",
                    "progress": 1.0,
                    "details": {"settings": {"model": "crp"}, "held_out": 0.2, "sweeps": 60},
                    "started_at": "2026-03-02T08:14:01.000000Z",
                    "finished_at": "2026-03-02T08:14:09.000000Z",
                    "result": COMPARISON,
                }
            ]
        }
    )

    result: Topics | Comparison | None = Field(
        description="Of topics and comparisons that succeeded, until documents of the stream are erased."
    )


class TaskPage(Page[Task]):
    """Tasks, newest first."""
