"""Time: what leaves the window is settled, threads die, and what nothing needs any more is dropped."""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError
from .knobs import named_documents, refresh
from .lifecycle import Event
from .priors.tdpm import TDPMState
from .samplers.settle import forget_kernel, renumber_kernel, settle_kernel, weigh_kernel

if TYPE_CHECKING:
    from .stream import Stream

HOUSEKEEPING = 1024  # documents between two rounds of forgetting; by arrival, so that batches do not matter
DEATH = 0.01  # a thread is dead when its weight falls below this share of alpha, or of a document if alpha is more
OBLIVION = 1e-6  # and is forgotten, never to be revived, below this share


class Death(NamedTuple):
    """A thread whose weight fell below the death share of alpha, and when."""

    thread: int
    time: float


def next_housekeeping(sequence: int) -> int:
    """When it is due next: at 16, 32, 64, …, HOUSEKEEPING documents and every HOUSEKEEPING after that."""
    if sequence < HOUSEKEEPING:
        return max(1 << sequence.bit_length(), 16)
    return (sequence // HOUSEKEEPING + 1) * HOUSEKEEPING


def log_death(stream: "Stream") -> float:
    """The log weight at which threads die."""
    return math.log(DEATH * min(stream.prior.alpha, 1.0))


def advance(stream: "Stream", time: float) -> list[Death]:
    """See `Stream.advance`."""
    moment = float(time)
    if not math.isfinite(moment):
        raise ArgumentError("time", f"is {time!r:.40}", "pass a finite number")
    stream.clock[0] = max(stream.clock[0], moment)
    before = int(stream.cursor[0])
    limit = stream.clock[0] - stream.window
    stream.cursor[0] = settle_kernel(stream.labelling.state, stream.life_table(), before, stream.documents.count, limit)
    note_settled(stream, before)
    known = len(stream.pending)
    tidy(stream)
    return [Death(e.thread, e.time) for e in stream.pending[known:] if e.kind == "died"]


def note_settled(stream: "Stream", before: int) -> None:
    """The ids of documents that left the window are dropped."""
    numbers = np.arange(before, int(stream.cursor[0]))
    for sequence in stream.documents["sequence"][numbers].tolist():
        del stream.arrivals[stream.ids.pop(sequence)]


def weigh(stream: "Stream") -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Slots in use, their log weights now, and when they die."""
    slots = stream.labelling.slots
    weights, deaths = np.zeros(len(slots.size)), np.zeros(len(slots.size))
    weigh_kernel(stream.labelling.state, float(stream.clock[0]), log_death(stream), weights, deaths)
    used = np.flatnonzero(slots.size)
    return used, weights[used], deaths[used]


def tidy(stream: "Stream") -> None:
    """Declare deaths, forget what is long dead, drop what nothing needs."""
    used, weights, deaths = weigh(stream)
    names = stream.labelling.slots.names[used]
    over = deaths <= stream.clock[0]
    for name, death in zip(names[over].tolist(), deaths[over].tolist(), strict=True):
        if name not in stream.dead:
            stream.dead.add(name)
            stream.pending.append(Event("died", name, death, None))
    settled = stream.life_table().settled[used] == stream.labelling.slots.size[used]
    forget(stream, used[(weights < math.log(OBLIVION * min(stream.prior.alpha, 1.0))) & settled & over])
    refresh(stream)
    compact(stream)


def forget(stream: "Stream", slots: NDArray[np.int64]) -> None:
    """Clear slots of settled documents."""
    if len(slots) == 0:
        return
    lab = stream.labelling
    forgotten = np.zeros(len(lab.slots.size), bool)
    forgotten[slots] = True
    stream.dead -= set(lab.slots.names[slots].tolist())
    forget_kernel(lab.state, stream.life_table(), forgotten)


def compact(stream: "Stream") -> None:
    """Keep the window and the settled documents that still stand for a weight."""
    cursor = int(stream.cursor[0])
    if cursor > HOUSEKEEPING // 4 and cursor > stream.documents.count // 2:
        keep = np.ones(stream.documents.count, bool)
        keep[:cursor] = False
        if isinstance(stream.labelling.prior, TDPMState):
            keep[named_documents(stream.labelling.prior)] = True
        renumber(stream, keep, 0)
        stream.documents.pack_words()
        stream.attach_arrays()
    if stream.words and stream.likelihood.base is None and len(stream.vocabulary) > HOUSEKEEPING:
        stream.vocabulary.release(~words_in_use(stream))


def words_in_use(stream: "Stream") -> NDArray[np.bool]:
    """Which words any thread has."""
    return np.asarray(stream.labelling.likelihood.postings.length > 0)


def renumber(stream: "Stream", keep: NDArray[np.bool], first: int) -> NDArray[np.int64]:
    """Drop and sort documents from `first` on, and tell everyone their new numbers."""
    settled = max(int(stream.cursor[0]) - first, 0)
    stream.cursor[0] -= settled - int(keep[:settled].sum())
    numbers = stream.documents.arrange(keep, first)
    renumber_kernel(stream.labelling.prior, numbers, first)
    stream.order = np.where(stream.order < first, stream.order, numbers[np.maximum(stream.order - first, 0)])
    return numbers
