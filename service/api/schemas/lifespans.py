"""Lifespans of threads."""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from .base import Answer, Moment, Page

LIFESPAN: dict[str, Any] = {
    "thread_id": "thr_12",
    "label": "Shuttle landing moved",
    "size": 48,
    "born_at": "2026-03-02T08:14:00.000000Z",
    "died_at": None,
    "last_at": "2026-03-09T18:02:11.000000Z",
    "duration_seconds": 653160.0,
    "censored": True,
    "intervals": [{"from": "2026-03-02T08:14:00.000000Z", "to": "2026-03-09T18:02:11.000000Z", "documents": 48}],
    "expected_remaining": [{"seconds": 1555200.0, "method": "model"}],
}


class Interval(Answer):
    """A span of activity: no two documents in it are further apart than the gap asked for."""

    from_: Moment = Field(serialization_alias="from")
    to: Moment
    documents: int


class Remaining(Answer):
    """How long a live thread is expected to live on."""

    seconds: float
    method: Literal["model", "mean_residual_life"] = Field(
        description="model: time until the fading weight falls below the weight of death if nothing more comes. "
        "mean_residual_life: mean further life of the stream's threads that reached this age (Kaplan-Meier)."
    )


class Lifespan(Answer):
    """Birth, death and activity of one thread."""

    model_config = ConfigDict(json_schema_extra={"examples": [LIFESPAN]})

    thread_id: str
    label: str
    size: int
    born_at: Moment
    died_at: Moment | None
    last_at: Moment
    duration_seconds: float = Field(description="Until death, or until the stream's clock while it is alive.")
    censored: bool = Field(description="Still alive: the duration is a lower bound.")
    intervals: list[Interval]
    expected_remaining: list[Remaining] = Field(description="Of a thread that is alive; empty for others.")


class SurvivalPoint(Answer):
    """Share of threads that live at least this long."""

    seconds: float
    survival: float
    at_risk: int


class LifeBin(Answer):
    """Threads that lived so long; bins are equally wide on the log scale."""

    from_seconds: float
    to_seconds: float
    deaths: int = Field(description="That died at this age.")
    alive: int = Field(description="That have reached this age and have not died.")


class Summary(Answer):
    """All threads that the filters let through, on this page or not."""

    method: Literal["kaplan_meier"] = "kaplan_meier"
    threads: int
    deaths: int
    median_seconds: float | None = Field(description="Null while fewer than half have died.")
    mean_seconds: float | None = Field(description="Area under the curve up to the longest life seen.")
    curve: list[SurvivalPoint] = Field(description="At most 200 points.")
    distribution: list[LifeBin] = Field(description="At most 24 bins, from the shortest to the longest life.")


class LifespanPage(Page[Lifespan]):
    """Lifespans in order of birth, with the summary of all."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "data": [LIFESPAN],
                    "has_more": False,
                    "next_cursor": None,
                    "summary": {
                        "method": "kaplan_meier",
                        "threads": 40,
                        "deaths": 22,
                        "median_seconds": 432000.0,
                        "mean_seconds": 511200.0,
                        "curve": [{"seconds": 86400.0, "survival": 0.9, "at_risk": 40}],
                        "distribution": [{"from_seconds": 3600.0, "to_seconds": 7200.0, "deaths": 22, "alive": 18}],
                    },
                }
            ]
        }
    )

    summary: Summary
