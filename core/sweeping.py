"""Sweeps: passes over the window in random order, within a budget, and what they changed."""

import math
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .documents import RING
from .housekeeping import weigh
from .items import positive, whole
from .knobs import learn_knobs, refresh
from .lifecycle import Changes, Event, Moved, lineage
from .samplers.moves import moves_kernel
from .samplers.pairs import draw_pairs
from .sides import LARGEST, new_sides

if TYPE_CHECKING:
    from .stream import Stream

MOVES_PER_DOCUMENT = 0.01  # split-merge proposals in a sweep, at least one
CHUNK = 256  # documents swept between two looks at the clock, if there is a deadline


class Scan(NamedTuple):
    """A pass: documents that had arrived before it, in the order of their keys, as far as a key is reached."""

    salt: int
    before: int
    reached: int

    def keys(self, sequence: NDArray[np.int64]) -> NDArray[np.uint64]:
        """A random order that follows from salt and arrivals alone, so that it need not be stored (splitmix64)."""
        key = (sequence.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(self.salt)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            key = (key ^ (key >> np.uint64(shift))) * np.uint64(factor)
        return np.asarray(key ^ (key >> np.uint64(31)))


def left_of(stream: "Stream", scan: Scan) -> NDArray[np.int64]:
    """Numbers of the window documents that a pass has still to visit, in order."""
    sequence = stream.sequences()
    keys = scan.keys(sequence)
    due = np.flatnonzero((sequence < scan.before) & (keys >= np.uint64(scan.reached)))
    return int(stream.cursor[0]) + due[np.argsort(keys[due])]


def sweep(stream: "Stream", documents: int | None, seconds: float | None) -> Changes:
    """See `Stream.sweep`."""
    deadline = math.inf if seconds is None else time.perf_counter() + positive("seconds", seconds)
    left = math.inf if documents is None else whole("documents", documents, 1)
    whole_pass = documents is None and seconds is None
    before, alive = stream.names(), stream.slot_of().keys()
    stream.order = stream.order[stream.order >= stream.cursor[0]]
    chunk = math.inf if seconds is None else CHUNK
    visited, finished = 0, False
    while visited < left and time.perf_counter() < deadline and not (whole_pass and finished):
        if stream.scan is None:
            if stream.documents.count == stream.cursor[0]:
                break
            _begin_pass(stream)
        visited += _visit(stream, int(min(chunk, left - visited, len(stream.order))))
        if len(stream.order) == 0:
            _end_pass(stream)
            finished = True
    return _changes(stream, before, set(alive), visited, finished)


def _begin_pass(stream: "Stream") -> None:
    refresh(stream)
    stream.scan = Scan(int(stream.rng.integers(0, 1 << 63)), stream.sequence, 0)
    stream.order = left_of(stream, stream.scan)


def _visit(stream: "Stream", wanted: int) -> int:
    """Resample the next documents of the pass; returns how many."""
    chunk, stream.order = stream.order[:wanted], stream.order[wanted:]
    stream.labelling.sweep(chunk, stream.rng.random(len(chunk)))
    if stream.scan is not None and len(chunk):
        last = stream.scan.keys(stream.documents["sequence"][chunk[-1:]])
        stream.scan = stream.scan._replace(reached=int(last[0]) + 1)
    return len(chunk)


def _end_pass(stream: "Stream") -> None:
    stream.scan = None
    _moves(stream)
    past = stream.documents["past"][stream.window_range()]
    past[:, :-1] = past[:, 1:]
    past[:, -1] = stream.names()
    stream.kept = [*stream.kept, stream.sequence][-RING:]
    learn_knobs(stream)


def _moves(stream: "Stream") -> None:
    """Split-merge moves on pairs of documents that share a word (vectors: any two)."""
    first, count = int(stream.cursor[0]), stream.documents.count
    wanted = max(int((count - first) * MOVES_PER_DOCUMENT), 1)
    if count - first < 2:
        return
    lab, vocabulary = stream.labelling, stream.vocabulary.extent if stream.words else 0
    pairs = draw_pairs(lab.items, first, count, wanted, vocabulary, stream.rng)
    uniforms = stream.rng.random((len(pairs), LARGEST + 1))
    sides = new_sides(vocabulary, stream.dimensions)
    lab.run(lambda begin: moves_kernel(lab.state, stream.life_table(), sides, first, count, pairs, uniforms, begin))


def _changes(stream: "Stream", before: NDArray[np.int64], alive: set[int], visited: int, finished: bool) -> Changes:
    after, sequence = stream.names(), stream.sequences()
    times = stream.documents["times"][stream.window_range()]
    differ = np.flatnonzero(before != after)
    ids = [stream.ids[arrival] for arrival in sequence[differ].tolist()]
    moved = list(map(Moved, ids, before[differ].tolist(), after[differ].tolist()))
    born, gone, merged, split = lineage(before[differ], after[differ], alive, set(stream.slot_of()))
    now = float(stream.clock[0])
    stream.pending += [
        Event("split", name, float(times[differ][after[differ] == name].min()), split[name]) for name in born
    ]
    stream.pending += [Event("merged", name, now, merged[name]) for name in gone]
    stream.dead -= set(gone)
    _note_revivals(stream, after[differ], times[differ])
    return Changes(visited, finished, moved, born, gone, merged, split)


def _note_revivals(stream: "Stream", joined: NDArray[np.int64], times: NDArray[np.float64]) -> None:
    """Dead threads that documents joined and that weigh enough again."""
    found = stream.dead & set(joined.tolist())
    if not found:
        return
    used, _, deaths = weigh(stream)
    living = set(stream.labelling.slots.names[used[deaths > stream.clock[0]]].tolist())
    for name in sorted(found & living):
        stream.dead.discard(name)
        stream.pending.append(Event("revived", name, float(times[joined == name].max()), None))
