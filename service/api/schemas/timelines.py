"""Many threads over time."""

from typing import Any

from pydantic import ConfigDict, Field

from .base import Answer, Moment
from .threads import State

BAR: dict[str, Any] = {
    "id": "thr_12",
    "state": "live",
    "label": "Shuttle landing moved",
    "size": 48,
    "strength": 17.4,
    "born_at": "2026-03-02T08:14:00.000000Z",
    "last_at": "2026-03-09T18:02:11.000000Z",
    "died_at": None,
    "merged_into": None,
    "split_from": "thr_3",
    "buckets": [0, 1, 7],
    "documents": [9, 30, 9],
}


class Bar(Answer):
    """A thread on the timeline; `documents` are those in the buckets that `buckets` numbers, from 0."""

    id: str
    state: State
    label: str
    size: int
    strength: float
    born_at: Moment
    last_at: Moment
    died_at: Moment | None
    merged_into: str | None
    split_from: str | None
    buckets: list[int] = Field(description="Numbers of the buckets in which documents came.")
    documents: list[int] = Field(description="How many came in each of them.")


class Timeline(Answer):
    """The largest threads of a span of time, and when their documents came."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "from": "2026-03-02T08:14:00.000000Z",
                    "to": "2026-03-10T08:14:00.000000Z",
                    "bucket_seconds": 86400.0,
                    "half_life_seconds": 259200.0,
                    "clock": "2026-03-09T21:40:00.000000Z",
                    "total": 1,
                    "threads": [BAR],
                }
            ]
        }
    )

    from_: Moment = Field(serialization_alias="from")
    to: Moment
    bucket_seconds: float
    half_life_seconds: float | None = Field(description="In which a document's pull halves now; null without one.")
    clock: Moment | None = Field(description="Event time of the stream.")
    total: int = Field(description="Threads that the filters let through, shown or not.")
    threads: list[Bar] = Field(description="Largest first.")
