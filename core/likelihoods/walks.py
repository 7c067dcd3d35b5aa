"""Threads whose parameters walk: φ_t ~ N(φ_s, drift·(t − s)), φ ~ N(centre, spread) at the time of the first document.

Coordinates are independent. What the documents of one time say of φ_t is a Gaussian potential exp(−J φ²/2 + h φ): its
precision J and pull h. Forwards runs the Kalman filter, backwards the messages of what comes later (the two-filter form
of the RTS smoother), so that φ at any time given all documents of the thread is one step away; samplers/chains.py has
smoothing and sampling of whole paths. Both are brought up to date when a document comes or goes.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..index import Lists, delete, find, insert, new_lists, with_entries, with_keys
from ..items import Items
from ..jit import helper

Floats = NDArray[np.float64]
CELLS = 64  # at the start


class Walks(NamedTuple):
    """slot -> its times in use, each with its number of documents and a cell (the entry's value); arrays by cell."""

    centre: Floats  # by coordinate
    spread: float
    drift: float
    clock: Floats  # distinct times
    rank: NDArray[np.int64]  # document -> place of its time in `clock`
    times: Lists
    spare: NDArray[np.int64]  # free cells, the next one last
    marks: NDArray[np.int64]  # [0]: how many are free
    precision: Floats  # (cells, coordinates): J of the documents of that time
    pull: Floats  # h
    mean: Floats  # of φ given these and earlier ones
    variance: Floats
    back_precision: Floats  # J of these and later ones
    back_pull: Floats
    sight: Floats  # (2, coordinates): mean and variance of φ, written by `look`


def new_walks(items: Items, centre: Floats, spread: float, drift: float, capacity: int) -> Walks:
    """No document in any slot."""
    clock, rank = np.unique(items.times, return_inverse=True)
    empty = np.zeros((CELLS, len(centre)))
    return Walks(
        centre,
        spread,
        drift,
        clock,
        rank.astype(np.int64),
        new_lists(capacity, 4 * capacity),
        np.arange(CELLS)[::-1].copy(),
        np.array([CELLS]),
        empty,
        empty.copy(),
        empty.copy(),
        empty.copy(),
        empty.copy(),
        empty.copy(),
        np.zeros((2, len(centre))),
    )


def with_slots(walks: Walks, capacity: int) -> Walks:
    """The same walks with room for so many slots."""
    return walks._replace(times=with_keys(walks.times, capacity))


def with_cells(walks: Walks) -> Walks:
    """The same walks with room for twice as many cells and entries."""
    cells, free = len(walks.spare), int(walks.marks[0])
    new = np.arange(2 * cells - 1, cells - 1, -1)
    return walks._replace(
        times=with_entries(walks.times),
        spare=np.concatenate([new, walks.spare]),
        marks=np.array([cells + free]),
        precision=doubled(walks.precision),
        pull=doubled(walks.pull),
        mean=doubled(walks.mean),
        variance=doubled(walks.variance),
        back_precision=doubled(walks.back_precision),
        back_pull=doubled(walks.back_pull),
    )


def doubled(array: Floats) -> Floats:
    """With as many rows of zeros added."""
    return np.concatenate([array, np.zeros_like(array)])


@helper
def walks_room(walks: Walks) -> bool:
    """Whether one more time can be opened in any slot."""
    used = len(walks.spare) - walks.marks[0]
    return walks.marks[0] > 0 and walks.times.top[0] + 2 * used + 4 <= len(walks.times.ids)


@helper
def cell_of(walks: Walks, entry: int) -> int:
    """The cell of an entry."""
    return int(walks.times.values[entry])


@helper
def open_time(walks: Walks, slot: int, rank: int) -> int:
    """The entry of the slot for a time, made if there is none; one more document is counted there."""
    times = walks.times
    e = find(times, slot, rank)
    if e == times.start[slot] + times.length[slot] or times.ids[e] != rank:
        e = insert(times, slot, e, rank)
        walks.marks[0] -= 1
        times.values[e] = walks.spare[walks.marks[0]]
    times.counts[e] += 1
    return e


@helper
def close_time(walks: Walks, slot: int, entry: int) -> None:
    """Delete an entry that has no documents left."""
    walks.spare[walks.marks[0]] = cell_of(walks, entry)
    walks.marks[0] += 1
    delete(walks.times, slot, entry)


@helper
def refilter(walks: Walks, slot: int, entry: int) -> None:
    """Bring the slot up to date after the potential of the entry changed or it was deleted."""
    first = walks.times.start[slot]
    end = first + walks.times.length[slot]
    for e in range(entry, end):
        filter_at(walks, first, e)
    for e in range(min(entry, end - 1), first - 1, -1):
        pass_back_at(walks, e, end)


@helper
def gap_between(walks: Walks, entry: int, later: int) -> float:
    """Variance that the walk gathers between two entries."""
    return walks.drift * (walks.clock[walks.times.ids[later]] - walks.clock[walks.times.ids[entry]])


@helper
def filter_at(walks: Walks, first: int, e: int) -> None:
    """One step of the Kalman filter, into entry e."""
    here = cell_of(walks, e)
    before = cell_of(walks, e - 1) if e > first else here
    walked = gap_between(walks, e - 1, e) if e > first else 0.0
    for d in range(len(walks.centre)):
        mean = walks.mean[before, d] if e > first else walks.centre[d]
        precision = 1.0 / (walks.variance[before, d] + walked if e > first else walks.spread)
        walks.variance[here, d] = 1.0 / (precision + walks.precision[here, d])
        walks.mean[here, d] = walks.variance[here, d] * (precision * mean + walks.pull[here, d])


@helper
def pass_back_at(walks: Walks, e: int, end: int) -> None:
    """The message of entry e and all later ones."""
    here = cell_of(walks, e)
    after = cell_of(walks, e + 1) if e + 1 < end else here
    walked = gap_between(walks, e, e + 1) if e + 1 < end else 0.0
    for d in range(len(walks.centre)):
        precision, pull = walks.precision[here, d], walks.pull[here, d]
        if e + 1 < end:
            share = 1.0 / (1.0 + walks.back_precision[after, d] * walked)
            precision += share * walks.back_precision[after, d]
            pull += share * walks.back_pull[after, d]
        walks.back_precision[here, d] = precision
        walks.back_pull[here, d] = pull


@helper
def log_mass(centre: float, variance: float, precision: float, pull: float) -> float:
    """log ∫ N(φ; centre, variance) exp(−precision φ²/2 + pull φ) dφ."""
    spread = 1.0 + precision * variance
    exponent = pull * pull * variance + 2.0 * pull * centre - precision * centre * centre
    return 0.5 * (exponent / spread - math.log(spread))


@helper
def look(walks: Walks, slot: int, rank: int) -> float:
    """Write mean and variance of φ at a time, given the slot's documents, into `sight`; slot -1 is for a new thread.

    Before the first document's time the thread would be born earlier: returns the log of what that does to the
    likelihood of its documents, 0 otherwise.
    """
    times, sight = walks.times, walks.sight
    first = times.start[slot] if slot >= 0 else 0
    end = first + times.length[slot] if slot >= 0 else 0
    e = find(times, slot, rank) if slot >= 0 else 0
    here = e < end and times.ids[e] == rank
    before = cell_of(walks, e - 1) if e > first else 0
    after = cell_of(walks, e) if e < end else 0
    walked = walks.drift * (walks.clock[rank] - walks.clock[times.ids[e - 1]]) if e > first else 0.0
    to_walk = walks.drift * (walks.clock[times.ids[e]] - walks.clock[rank]) if e < end else 0.0
    earlier_birth = e == first and e < end and not here
    shift = 0.0
    for d in range(len(walks.centre)):
        mean = walks.mean[before, d] if e > first else walks.centre[d]
        precision = 1.0 / (walks.variance[before, d] + walked if e > first else walks.spread)
        pull = precision * mean
        if e < end:
            share = 1.0 / (1.0 + walks.back_precision[after, d] * to_walk)
            precision += share * walks.back_precision[after, d]
            pull += share * walks.back_pull[after, d]
        if earlier_birth:
            message = walks.back_precision[after, d], walks.back_pull[after, d]
            shift += log_mass(walks.centre[d], walks.spread + to_walk, message[0], message[1])
            shift -= log_mass(walks.centre[d], walks.spread, message[0], message[1])
        sight[0, d] = pull / precision
        sight[1, d] = 1.0 / precision
    return shift
