"""What a stream's page and the metrics show of its model."""

from typing import Any

from .live import LiveStream
from .models import half_life_seconds
from .records import LIVE
from .step import Step

COUNTERS = ("placed", "swept", "moved", "late", "quarantined", "fenced", "steps", "step_seconds", "loads")


def describe_model(live: LiveStream) -> dict[str, Any]:
    """The model as it is now."""
    words = live.settings.kind == "words"
    times = {"from": live.horizon, "to": live.clock}
    return {
        "window": times | {"documents": live.window_documents},
        "vocabulary": len(live.stream.vocabulary.number) if words else 0,
        "threads_live": sum(record.state == LIVE for record in live.records.by_thread.values()),
        "alpha": live.stream.prior.alpha,
        "half_life": half_life_seconds(live.settings, live.stream.prior),
        "strength": getattr(live.stream.likelihood, "strength", None),
        "swept_seq": live.swept,
    }


def add_counts(before: dict[str, Any], step: Step, more: dict[str, float]) -> dict[str, Any]:
    """The counters after a step. more: those that the step does not know."""
    new = {
        "placed": len(step.placed),
        "swept": step.visits,
        "moved": sum(happening.type == "document.moved" for happening in step.happenings),
        "late": sum(placed.state == "late" for placed in step.placed.values()),
        "steps": 1,
    } | more
    return {name: before.get(name, 0) + new.get(name, 0) for name in COUNTERS}
