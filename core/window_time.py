"""Time in a windowed stream: what leaves the window settles, threads die, and what is long dead is forgotten."""

import math
from typing import TYPE_CHECKING, NamedTuple

from .errors import ArgumentError
from .housekeeping import DEATH, OBLIVION, Death
from .lifecycle import Event
from .window_answers import weigh
from .window_knobs import fading_rate

if TYPE_CHECKING:
    from .windowed import Windowed


class Life(NamedTuple):
    """Of a thread: how many of its documents have settled, and the times of the first and last of these."""

    settled: int
    birth: float
    last: float


def move_clock(stream: "Windowed", time: float) -> None:
    """Settle what leaves the window, in order, then forget what is more than the context holds."""
    stream.clock[0] = max(stream.clock[0], time)
    memory, oldest = stream.memory, float(stream.clock[0]) - stream.window
    while len(memory.kept) > memory.context:
        kept = memory.kept[memory.context]
        if kept.time >= oldest and len(memory.kept) - memory.context <= stream.limit:
            break
        life = stream.life.get(kept.thread, Life(0, kept.time, kept.time))
        stream.life[kept.thread] = Life(life.settled + 1, min(life.birth, kept.time), max(life.last, kept.time))
        stream.horizon = kept.place
        stream.newly_settled.append(kept.id)
        memory.context += 1
    if memory.context > stream.limit:
        first = memory.kept[memory.context - stream.limit].place
        memory.drop(lambda kept: kept.place < first)


def advance(stream: "Windowed", time: float) -> list[Death]:
    """See `Windowed.advance`."""
    if not math.isfinite(float(time)):
        raise ArgumentError("time", f"is {time!r:.40}", "pass a finite number")
    move_clock(stream, float(time))
    deaths = []
    least = min(stream.prior.alpha, 1.0)
    weights = weigh(stream)
    for thread in stream.slot_of():
        weight = weights.get(thread, 0.0)
        if weight < DEATH * least and thread not in stream.dead:
            deaths.append(Death(thread, _death_time(stream, thread, weight, DEATH * least)))
            stream.dead.add(thread)
    stream.pending += [Event("died", death.thread, death.time, None) for death in deaths]
    _forget(stream, {thread for thread in stream.dead if weights.get(thread, 0.0) < OBLIVION * least})
    return deaths


def _death_time(stream: "Windowed", thread: int, weight: float, least: float) -> float:
    """When the weight got so low, if it fades at a steady rate; else now."""
    now, rate = float(stream.clock[0]), fading_rate(stream.prior)
    if weight <= 0.0 or rate <= 0.0:
        return now
    return min(now, max(now - math.log(least / weight) / rate, stream.survey()[thread].last))


def _forget(stream: "Windowed", threads: set[int]) -> None:
    """All that is kept of threads that have no document in the window."""
    threads -= {kept.thread for kept in stream.memory.window}
    stream.memory.drop(lambda kept: kept.thread in threads)
    stream.dead -= threads
    for thread in threads:
        stream.life.pop(thread, None)
