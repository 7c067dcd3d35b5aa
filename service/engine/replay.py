"""A whole collection through the engine, as the service would have placed it: first labels and last ones."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .contents import Arrival
from .live import BOUNDARY, LiveStream
from .load import new_stream
from .models import StreamSettings

VISITS = 10 * BOUNDARY  # documents resampled at each boundary
REST = 3  # passes at the end


class Replay(NamedTuple):
    """Threads by arrival; -1 for a document that was late."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]


def replay(settings: StreamSettings, arrivals: Sequence[Arrival], progress: Callable[[float], None]) -> Replay:
    """Arrivals numbered from 1."""
    live = LiveStream(settings, new_stream(settings))
    first: dict[int, int | None] = {}
    last: dict[int, int | None] = {}
    for begin in range(0, len(arrivals), BOUNDARY):
        live.place(arrivals[begin : begin + BOUNDARY])
        first |= {seq: placed.thread for seq, placed in live.step.placed.items() if placed.state != "late"}
        if live.sweep_due:
            live.sweep(VISITS)
        _note(live, last)
        progress(begin / len(arrivals))
    live.begin_rest(REST)
    while not live.rest():
        pass
    _note(live, last)
    progress(1.0)
    return Replay(*(_by_arrival(found, len(arrivals)) for found in (first, last)))


def _note(live: LiveStream, last: dict[int, int | None]) -> None:
    step = live.take_step(words=False)
    last |= {seq: placed.thread for seq, placed in step.placed.items() if placed.state != "late"}
    last |= {seq: moved.thread for seq, moved in step.moved.items()}


def _by_arrival(threads: dict[int, int | None], count: int) -> NDArray[np.int64]:
    found = (threads.get(seq) for seq in range(1, count + 1))
    return np.array([-1 if thread is None else thread for thread in found], np.int64)
