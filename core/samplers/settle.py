"""Settled documents: what leaves the window stays as weight and counts, fades, is forgotten, or is taken out again."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..contracts import (
    attach,
    detach,
    fading_time,
    forget,
    keep,
    log_weight_at,
    purge,
    renumber,
    room,
    settle,
    unsettle,
)
from ..jit import helper, kernel
from ..slots import leave
from .labels import DONE, NEEDS_LIKELIHOOD, NEEDS_PRIOR
from .state import State


class Life(NamedTuple):
    """What is known of each slot's settled documents."""

    settled: NDArray[np.int64]  # how many
    birth: NDArray[np.float64]  # time of the first
    last: NDArray[np.float64]  # time of the last


@helper
def settle_until(state: State, life: Life, cursor: int, count: int, limit: float) -> int:
    """Settle the documents before the limit; returns the number of the first that is not."""
    items = state.items
    while cursor < count and items.times[cursor] < limit:
        slot = state.labels[cursor]
        settle(state.prior, items, cursor, slot)
        if life.settled[slot] == 0:
            life.birth[slot] = items.times[cursor]
        life.settled[slot] += 1
        life.last[slot] = items.times[cursor]
        cursor += 1
    return cursor


@kernel
def settle_kernel(state: State, life: Life, cursor: int, count: int, limit: float) -> int:
    """See `settle_until`."""
    return settle_until(state, life, cursor, count, limit)


@kernel
def renumber_kernel(prior: Any, numbers: NDArray[np.int64], first: int) -> None:
    """Documents from `first` on have new numbers."""
    renumber(prior, numbers, first)


@kernel
def unsettle_kernel(state: State, life: Life, i: int, slot: int) -> None:
    """Take settled document i, given again, out of the slot."""
    life.settled[slot] -= 1
    unsettle(state.prior, state.items, i, slot, life.settled[slot])
    detach(state.likelihood, state.items, i, slot)
    leave(state.slots, slot)


@kernel
def count_kernel(state: State, order: NDArray[np.int64], wanted: NDArray[np.int64], begin: int) -> tuple[int, int]:
    """Count the words or vectors of settled documents into the wanted slots; returns like `sweep_kernel`."""
    for step in range(begin, len(order)):
        if not room(state.likelihood, state.items, order[step]):
            return step, NEEDS_LIKELIHOOD
        attach(state.likelihood, state.items, order[step], wanted[step])
    return len(order), DONE


@kernel
def keep_kernel(
    state: State,
    order: NDArray[np.int64],
    wanted: NDArray[np.int64],
    counts: NDArray[np.int64],
    values: NDArray[np.float64],
    begin: int,
) -> tuple[int, int]:
    """Put back what the prior keeps of settled documents; returns like `sweep_kernel`."""
    for step in range(begin, len(order)):
        if not room(state.prior, state.items, order[step]):
            return step, NEEDS_PRIOR
        keep(state.prior, state.items, order[step], wanted[step], counts[step], values[step])
    return len(order), DONE


@kernel
def forget_kernel(state: State, life: Life, forgotten: NDArray[np.bool]) -> None:
    """Clear the slots marked as forgotten."""
    purge(state.likelihood, forgotten)
    for slot in range(len(forgotten)):
        if forgotten[slot]:
            forget(state.prior, slot, state.slots.size[slot])
            state.slots.size[slot] = 1
            leave(state.slots, slot)
            life.settled[slot] = 0


@kernel
def weigh_kernel(
    state: State, time: float, log_death: float, weights: NDArray[np.float64], deaths: NDArray[np.float64]
) -> None:
    """Log weight of every slot at the time, and when it falls (or fell) to the death weight."""
    for slot in range(state.slots.marks[1]):
        if state.slots.size[slot] > 0:
            weights[slot] = log_weight_at(state.prior, state.items, slot, time)
            deaths[slot] = fading_time(state.prior, state.items, slot, log_death)
