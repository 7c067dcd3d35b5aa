"""Slots: the reusable internal numbers of threads. The lowest free slot is always taken next, so that which slots
are in use, and not the history behind it, decides what happens."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit import helper

TABULATED = 32  # gains of a word in a scoring pass


class Slots(NamedTuple):
    """How many documents each slot holds, and the name of its thread, which no other thread ever has."""

    size: NDArray[np.int64]
    names: NDArray[np.int64]
    marks: NDArray[
        np.int64
    ]  # [0]: no slot below is free; [1]: none from here on is in use; [2]: in use; [3]: next name


class Scratch(NamedTuple):
    """Working memory of one scoring pass; holds nothing between passes but `stamp`."""

    slots: NDArray[np.int64]  # the candidates
    scores: NDArray[np.float64]  # their log scores, without the prior while that is only bounded
    limits: NDArray[np.float64]  # the bound on the log prior weight, 0 when the score is exact
    exact: NDArray[np.bool]
    weights: NDArray[np.float64]  # scores, or their bounds, against the best and no longer logs
    where: NDArray[np.int64]  # slot -> its place among the candidates
    mark: NDArray[np.int64]  # slot -> stamp of the pass that touched it last
    stamp: NDArray[np.int64]
    sums: NDArray[np.float64]  # slot -> what its likelihood has added up so far
    gains: NDArray[np.float64]  # what a word gains in a thread, by how often the thread has it


def new_slots(capacity: int) -> Slots:
    """So many slots, all empty."""
    return Slots(np.zeros(capacity, np.int64), np.zeros(capacity, np.int64), np.zeros(4, np.int64))


def with_slots(slots: Slots, capacity: int) -> Slots:
    """The same slots, with empty ones added."""
    more = (0, capacity - len(slots.size))
    return slots._replace(size=np.pad(slots.size, more), names=np.pad(slots.names, more))


def new_scratch(capacity: int) -> Scratch:
    """Working memory for so many slots."""
    zeros = np.zeros(capacity + 1, np.int64)  # one more than slots: a new thread may be among the candidates
    real = np.zeros(capacity + 1)
    return Scratch(
        zeros,
        real,
        real.copy(),
        np.zeros(capacity + 1, np.bool),
        real.copy(),
        zeros.copy(),
        zeros.copy(),
        np.zeros(1, np.int64),
        real.copy(),
        np.zeros(TABULATED),
    )


@helper
def free_slot(slots: Slots) -> int:
    """The lowest free slot, or the capacity when all are in use."""
    slot = slots.marks[0]
    while slot < len(slots.size) and slots.size[slot] > 0:
        slot += 1
    slots.marks[0] = slot
    return slot


@helper
def name_slot(slots: Slots) -> int:
    """The lowest free slot, under a new name."""
    slot = free_slot(slots)
    slots.names[slot] = slots.marks[3]
    slots.marks[3] += 1
    return slot


@helper
def enter(slots: Slots, slot: int) -> None:
    """One document more in the slot."""
    if slots.size[slot] == 0:
        slots.marks[2] += 1
    slots.size[slot] += 1
    slots.marks[1] = max(slots.marks[1], slot + 1)


@helper
def leave(slots: Slots, slot: int) -> None:
    """One document less in the slot."""
    slots.size[slot] -= 1
    if slots.size[slot] == 0:
        slots.marks[0] = min(slots.marks[0], slot)
        slots.marks[2] -= 1
        while slots.marks[1] > 0 and slots.size[slots.marks[1] - 1] == 0:
            slots.marks[1] -= 1
