"""Probabilities for documents that a stream has not stored."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from .documents import RING, Rows
from .intake import Document, known_rows
from .items import NONE
from .samplers.predict import predict_kernel

if TYPE_CHECKING:
    from .stream import Stream


class Prediction(NamedTuple):
    """Probabilities over threads and a new one, which sum to 1; log p per token (per vector: the log density)."""

    threads: dict[int, float]
    new: float
    log_p: float


class Table(NamedTuple):
    """For each document of a labelling: probabilities of named threads, NONE for a new one, and log p."""

    chances: NDArray[np.float64]
    names: NDArray[np.int64]
    counts: NDArray[np.int64]
    logs: NDArray[np.float64]


def predict(stream: "Stream", batch: list[Document]) -> list[Prediction]:
    """See `Stream.predict`. Each labelling kept is loaded in turn, and the present one again after it."""
    held = stream.documents.count, stream.documents.used_words
    numbers, extra = _lay_out(stream, batch)
    lab = stream.labelling
    names, marks = lab.slots.names.copy(), lab.slots.marks.copy()
    tables = []
    for moved, slots in _labellings(stream):
        own = lab.labels[moved].copy()
        lab.unload(moved)
        lab.load(moved, slots)
        tables.append(_predict_once(stream, numbers))
        lab.unload(moved)
        lab.load(moved, own)
        lab.slots.names[: len(names)], lab.slots.marks[:] = names, marks
    stream.documents.drop_last(*held)
    return [_prediction(tables, r, extra[r], _tokens(stream, d)) for r, d in enumerate(batch)]


def _lay_out(stream: "Stream", batch: list[Document]) -> tuple[NDArray[np.int64], list[float]]:
    """Append documents without learning their words; returns their numbers and what unknown words add to log p."""
    times = np.maximum([d.time for d in batch], stream.clock[0])
    if stream.words:
        rows, unknown = known_rows(stream, times, [d.content for d in batch])
    else:
        none = [np.zeros(0, np.int64)] * len(batch)
        points = np.array([d.content for d in batch]).reshape(len(batch), stream.dimensions)
        rows, unknown = Rows(times, np.full(len(batch), NONE), none, none, points), [[] for _ in batch]
    numbers = stream.documents.append(rows)
    stream.documents["lengths"][numbers] += np.array([sum(counts) for counts in unknown], np.int64)
    stream.attach_arrays()
    mass = stream.unit_mass
    return numbers, [float((gammaln(np.array(c) + mass) - gammaln(mass)).sum()) for c in unknown]


def _tokens(stream: "Stream", document: Document) -> int:
    return max(sum(document.content.values()), 1) if stream.words else 1


def _labellings(stream: "Stream") -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For the labels as they are and each labelling kept but the last, which they continue: documents that are
    elsewhere there, and in which slot. A thread that is no more gets a free slot without a name."""
    yield np.zeros(0, np.int64), np.zeros(0, np.int64)
    here, past = stream.names(), stream.documents["past"][stream.window_range()]
    for column in range(RING - len(stream.kept), RING - 1):
        there = past[:, column]
        differ = np.flatnonzero((there != NONE) & (there != here))
        threads, which = np.unique(there[differ], return_inverse=True)
        slot_of = stream.slot_of()
        slot = np.array([slot_of.get(thread, NONE) for thread in threads.tolist()], np.int64)
        stream.labelling.widen_to(len(slot_of) + len(slot) + 1)
        slots = stream.labelling.slots
        free = np.flatnonzero(slots.size == 0)[: int((slot == NONE).sum())]
        slots.names[free] = NONE
        slot[slot == NONE] = free
        yield differ + int(stream.cursor[0]), slot[which]


def _predict_once(stream: "Stream", numbers: NDArray[np.int64]) -> Table:
    shape = len(numbers), int(stream.labelling.slots.marks[2]) + 1
    table = Table(np.zeros(shape), np.zeros(shape, np.int64), np.zeros(shape[0], np.int64), np.zeros(shape[0]))
    predict_kernel(stream.labelling.state, numbers, *table)
    return table


def _prediction(tables: list[Table], row: int, extra: float, tokens: int) -> Prediction:
    names = np.concatenate([t.names[row, : t.counts[row]] for t in tables])
    chances = np.concatenate([t.chances[row, : t.counts[row]] for t in tables])
    threads, which = np.unique(names, return_inverse=True)
    mean = np.bincount(which, chances, len(threads)) / len(tables)
    order = np.lexsort((threads, -mean))
    found = dict(zip(threads[order].tolist(), mean[order].tolist(), strict=True))
    new = found.pop(NONE)
    log_p = float(logsumexp([t.logs[row] for t in tables])) - math.log(len(tables))
    return Prediction(found, new, (log_p + extra) / tokens)
