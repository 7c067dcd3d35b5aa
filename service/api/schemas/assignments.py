"""Assignments: the thread of each document, how sure it is, and why."""

from typing import Literal

from pydantic import ConfigDict, Field

from .base import Answer, Moment, Page


class Alternative(Answer):
    """A thread that the document might belong to; null stands for a new thread."""

    thread_id: str | None
    probability: float


class Assignment(Answer):
    """The current thread of a document."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "document_id": "mail-1",
                    "seq": 918,
                    "time": "2026-03-02T08:14:00.000000Z",
                    "state": "provisional",
                    "thread_id": "thr_12",
                    "probability": 0.93,
                    "provisional": True,
                    "alternatives": [{"thread_id": "thr_3", "probability": 0.05}],
                    "since_version": 41,
                    "model_version": 44,
                }
            ]
        }
    )

    document_id: str
    seq: int
    time: Moment
    state: Literal["provisional", "settled", "late", "quarantined"]
    thread_id: str | None
    probability: float | None
    provisional: bool
    alternatives: list[Alternative]
    since_version: int
    model_version: int = Field(description="The model's version at this answer.")


class AssignmentPage(Page[Assignment]):
    """Assignments in order of arrival."""


class WordShare(Answer):
    """What one word said, in nats against a new thread."""

    word: str
    nats: float


class Candidate(Answer):
    """One of the threads compared; all parts are nats against a new thread, and they add up to the score."""

    thread_id: str | None
    probability: float
    score: float
    size_and_time: float = Field(description="What the thread's documents and their ages said.")
    length: float = Field(description="What the number of words said.")
    words: list[WordShare] = Field(description="The words that said most, strongest first.")
    other_words: float = Field(description="What all other words said together.")


class Why(Answer):
    """Why a document is in its thread, against the next two."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "document_id": "mail-1",
                    "thread_id": "thr_12",
                    "candidates": [
                        {
                            "thread_id": "thr_12",
                            "probability": 0.93,
                            "score": 11.2,
                            "size_and_time": 2.9,
                            "length": -0.4,
                            "words": [{"word": "shuttle", "nats": 5.1}, {"word": "landing", "nats": 3.6}],
                            "other_words": 0.0,
                        }
                    ],
                }
            ]
        }
    )

    document_id: str
    thread_id: str | None
    candidates: list[Candidate]
