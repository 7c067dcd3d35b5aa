"""Lifespans of threads: durations, activity, and how long the living are expected to live on."""

import math
from collections.abc import Sequence

from sqlalchemy import Connection

from service.durations import parse_duration
from service.ids import thread_id
from service.store import histories
from service.store.streams import StreamRow
from service.store.threads import Lifespan as Row
from service.store.threads import ThreadRow

from .schemas.lifespans import Interval, LifeBin, Lifespan, Remaining, Summary, SurvivalPoint
from .survival import Life, Survival

SECOND = 1_000_000
DEATH_SHARE = 0.01  # a tdpm thread dies when its weight falls below this share of alpha, or of 1 if that is less
LEAST_DEATHS = 5  # before the lives of other threads say anything
CURVE = 200
BINS = 24
OPEN = ("live", "dormant")


def survival_of(rows: Sequence[Row], clock: int) -> Survival:
    """The survival of threads; merged ones count as alive until they were merged, which says nothing of their death."""
    return Survival([Life(_seconds(row, clock), row.state == "dead") for row in rows])


def summary(survival: Survival) -> Summary:
    """The survival of all threads as the API shows it."""
    return Summary(
        threads=survival.count,
        deaths=survival.deaths,
        median_seconds=survival.median,
        mean_seconds=survival.mean,
        curve=[SurvivalPoint(**step._asdict()) for step in survival.curve(CURVE)],
        distribution=[LifeBin(**part._asdict()) for part in survival.distribution(BINS)],
    )


def lifespan(connection: Connection, stream: StreamRow, row: ThreadRow, survival: Survival, gap: int) -> Lifespan:
    """One thread's life."""
    clock = stream.clock or row.last_at
    return Lifespan(
        thread_id=thread_id(row.thread),
        label=row.label,
        size=row.size,
        born_at=row.born_at,
        died_at=row.died_at,
        last_at=row.last_at,
        duration_seconds=_seconds(row, clock),
        censored=row.state != "dead",
        intervals=intervals(histories.times_of(connection, stream.id, row.thread), gap),
        expected_remaining=remaining(stream, row, survival),
    )


def intervals(times: Sequence[int], gap: int) -> list[Interval]:
    """Spans of activity: a new one begins where two documents are further apart than the gap."""
    spans: list[list[int]] = []
    for time in times:
        if spans and time - spans[-1][1] <= gap:
            spans[-1][1] = time
            spans[-1][2] += 1
        else:
            spans.append([time, time, 1])
    return [Interval(from_=first, to=last, documents=count) for first, last, count in spans]


def until_death(stream: StreamRow, row: ThreadRow, clock: int) -> float | None:
    """Seconds until the model lets the thread die if nothing more comes; None when it never does."""
    told, model = stream.statistics, stream.settings.get("model", "tdpm")
    if model == "rcrp":
        epoch, width = parse_duration(stream.settings.get("epoch", "P1D")), int(stream.settings.get("width", 7))
        deadline = (row.last_at // epoch + width + 1) * epoch
        return max(0, deadline - clock) / SECOND
    half_life, alpha = told.get("half_life"), told.get("alpha")
    if model == "crp" or not half_life or not alpha or row.strength <= 0:
        return None
    return max(0.0, math.log(row.strength / (DEATH_SHARE * min(float(alpha), 1.0))) * float(half_life) / math.log(2))


def remaining(stream: StreamRow, row: ThreadRow, survival: Survival) -> list[Remaining]:
    """How long a thread is expected to live on; nothing of one that is not alive."""
    if row.state not in OPEN:
        return []
    clock = stream.clock or row.last_at
    model = until_death(stream, row, clock)
    found = [] if model is None else [Remaining(seconds=model, method="model")]
    others = survival.remaining(_seconds(row, clock)) if survival.deaths >= LEAST_DEATHS else None
    return found if others is None else [*found, Remaining(seconds=others, method="mean_residual_life")]


def _seconds(row: Row | ThreadRow, clock: int) -> float:
    end = row.died_at if row.died_at is not None else max(clock if row.state in OPEN else row.last_at, row.last_at)
    return max(0, end - row.born_at) / SECOND
