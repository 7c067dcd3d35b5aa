"""Threads, their history and their lineage."""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from .base import Answer, Moment, Page
from .lifespans import Remaining

State = Literal["live", "dormant", "dead", "merged"]
THREAD: dict[str, Any] = {
    "id": "thr_12",
    "state": "live",
    "label": "Shuttle landing moved",
    "top_words": ["shuttle", "landing", "weather"],
    "size": 48,
    "window_size": 31,
    "strength": 17.4,
    "as_of": "2026-03-09T21:40:00.000000Z",
    "born_at": "2026-03-02T08:14:00.000000Z",
    "last_at": "2026-03-09T18:02:11.000000Z",
    "died_at": None,
    "merged_into": None,
    "version": 41,
}


class Thread(Answer):
    """A thread: a group of documents with an id that is never reused."""

    model_config = ConfigDict(json_schema_extra={"examples": [THREAD]})

    id: str
    state: State
    label: str
    top_words: list[str]
    size: int = Field(description="Documents, without late ones.")
    window_size: int = Field(description="Documents still in the window.")
    strength: float = Field(description="Weight in documents of age 0, at `as_of`.")
    as_of: Moment | None = Field(description="Event time of the stream when the strength was written.")
    born_at: Moment
    last_at: Moment = Field(description="Event time of its latest document.")
    died_at: Moment | None
    merged_into: str | None
    version: int = Field(description="Model version of the last change.")


class ThreadPage(Page[Thread]):
    """Threads in the order asked for."""


class Representative(Answer):
    """The document that stands for a thread."""

    id: str
    time: Moment
    title: str | None
    text: str | None = Field(description="Its first 500 characters.")


class ThreadDetail(Thread):
    """A thread with its lineage and the document that stands for it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                THREAD
                | {
                    "parents": ["thr_3"],
                    "children": [],
                    "representative": None,
                    "expected_remaining": [{"seconds": 1555200.0, "method": "model"}],
                }
            ],
        }
    )

    parents: list[str] = Field(description="Threads that it was split from or that were merged into it.")
    children: list[str] = Field(description="Threads split from it, or the one that it was merged into.")
    representative: Representative | None
    expected_remaining: list[Remaining] = Field(description="Of a thread that is alive; empty for others.")


class Neighbour(Answer):
    """A thread that documents of another might belong to as well."""

    thread_id: str
    label: str
    state: State
    size: int
    documents: int = Field(description="Of those asked, how many had it among the best three.")
    probability: float = Field(description="Its mean probability over the documents asked.")
    shared_words: list[str] = Field(description="Top words that both have.")


class Neighbours(Answer):
    """The threads that a thread might merge with, likeliest first."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "thread_id": "thr_12",
                    "documents": 48,
                    "data": [
                        {
                            "thread_id": "thr_3",
                            "label": "Weather at the landing site",
                            "state": "live",
                            "size": 7,
                            "documents": 11,
                            "probability": 0.04,
                            "shared_words": ["landing", "weather"],
                        }
                    ],
                }
            ]
        }
    )

    thread_id: str
    documents: int = Field(description="Latest documents of the thread that were asked.")
    data: list[Neighbour]


class Bucket(Answer):
    """One span of a thread's history."""

    from_: Moment = Field(serialization_alias="from")
    to: Moment
    documents: int
    strength: float = Field(description="Weight at the end of the span, from the times of the documents until then.")
    top_words: list[str] = Field(description="Words of the documents in the span, most frequent first.")
    evolved_words: list[str] | None = Field(
        description="evolving: what the model takes for the thread's words at the end of the span, most telling first."
    )


class History(Answer):
    """A thread over time."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "thread_id": "thr_12",
                    "bucket_seconds": 86400.0,
                    "data": [
                        {
                            "from": "2026-03-02T08:14:00.000000Z",
                            "to": "2026-03-03T08:14:00.000000Z",
                            "documents": 9,
                            "strength": 8.2,
                            "top_words": ["shuttle", "landing"],
                            "evolved_words": None,
                        }
                    ],
                }
            ]
        }
    )

    thread_id: str
    bucket_seconds: float
    data: list[Bucket]
