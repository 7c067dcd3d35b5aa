"""Vectors from a Gaussian with covariance Σ·I around a mean from N(0, σ·I), the mean integrated out."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..contracts import (
    attach,
    detach,
    explain,
    gather,
    join,
    log_join,
    log_score,
    log_score_in,
    log_score_pool,
    log_score_untouched,
    log_score_within,
    open_sides,
    purge,
    room,
    room_to_move,
)
from ..growth import grow, widen
from ..items import Items, point_items, positive
from ..jit import helper
from ..pool import Pool
from ..sides import BOTH, LEFT, RIGHT, Sides
from ..slots import Scratch, Slots

VARIANCES = (1e-100, 1e100)  # squared units of the data


@dataclass(frozen=True)
class Gaussian:
    """noise: Σ, the variance within a thread. spread: σ, the variance of the threads' means around 0. Both positive."""

    noise: float
    spread: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise", positive("noise", self.noise, least=VARIANCES[0], most=VARIANCES[1]))
        object.__setattr__(self, "spread", positive("spread", self.spread, least=VARIANCES[0], most=VARIANCES[1]))

    def items(self, data: Any, times: ArrayLike) -> Items:
        """Documents from an array of vectors."""
        return point_items(data, times)

    def start(self, items: Items, vocabulary: int, capacity: int) -> "GaussianState":
        """The state of no document attached."""
        shape = (capacity, items.points.shape[1])
        return GaussianState(self.noise, self.spread, np.zeros(capacity, np.int64), np.zeros(shape), np.zeros(shape))

    def log_peak(self, items: Items) -> float:
        """No document has a higher log likelihood in any thread."""
        return -0.5 * items.points.shape[1] * math.log(2.0 * math.pi * self.noise)


class GaussianState(NamedTuple):
    """Sizes and sums by slot. Sums are kept in two parts so that adding and taking away leaves no trace."""

    noise: float
    spread: float
    size: NDArray[np.int64]
    total: NDArray[np.float64]  # (slots, dimensions)
    error: NDArray[np.float64]  # what rounding took from `total`


@widen.register
def _widen(state: GaussianState, capacity: int) -> GaussianState:
    more = ((0, capacity - len(state.size)), (0, 0))
    return state._replace(
        size=np.pad(state.size, more[0]), total=np.pad(state.total, more), error=np.pad(state.error, more)
    )


@grow.register
def _grow(state: GaussianState) -> GaussianState:
    return state


@room.implements(GaussianState)
def points_room(state: GaussianState, items: Items, i: int) -> bool:
    return True


@room_to_move.implements(GaussianState)
def points_room_to_move(
    state: GaussianState, items: Items, sides: Sides, members: NDArray[np.int64], found: int
) -> bool:
    return True


@helper
def add_to_sum(
    total: NDArray[np.float64], error: NDArray[np.float64], row: int, points: NDArray[np.float64], i: int, sign: float
) -> None:
    """Add sign times a vector to a row of sums (Knuth's two-sum keeps the rounding error)."""
    for d in range(points.shape[1]):
        x = sign * points[i, d]
        old = total[row, d]
        new = old + x
        virtual = new - old
        lost = error[row, d] + ((old - (new - virtual)) + (x - virtual))
        total[row, d] = new + lost
        error[row, d] = lost - (total[row, d] - new)


@attach.implements(GaussianState)
def points_attach(state: GaussianState, items: Items, i: int, slot: int) -> None:
    state.size[slot] += 1
    add_to_sum(state.total, state.error, slot, items.points, i, 1.0)


@detach.implements(GaussianState)
def points_detach(state: GaussianState, items: Items, i: int, slot: int) -> None:
    state.size[slot] -= 1
    add_to_sum(state.total, state.error, slot, items.points, i, -1.0)
    if state.size[slot] == 0:
        state.total[slot, :] = 0.0
        state.error[slot, :] = 0.0


@helper
def log_density_given(
    state: GaussianState, items: Items, i: int, size: int, sums: NDArray[np.float64], row: int
) -> float:
    """log p(x_i | so many members with the sums in a row)."""
    precision = 1.0 / state.spread + size / state.noise
    variance = 1.0 / precision + state.noise
    dimensions = items.points.shape[1]
    squares = 0.0
    for d in range(dimensions):
        mean = sums[row, d] / state.noise / precision if size > 0 else 0.0
        squares += (items.points[i, d] - mean) ** 2
    return -0.5 * (dimensions * math.log(2.0 * math.pi * variance) + squares / variance)


@helper
def log_density(state: GaussianState, items: Items, i: int, slot: int) -> float:
    """log p(x_i | members of the slot); slot -1 stands for a new thread."""
    return log_density_given(state, items, i, state.size[slot] if slot >= 0 else 0, state.total, slot)


@helper
def touch(scratch: Scratch, place: int, slot: int, score: float) -> None:
    """Make a slot the candidate of that place."""
    scratch.slots[place] = slot
    scratch.scores[place] = score
    scratch.mark[slot] = scratch.stamp[0]
    scratch.where[slot] = place


@log_score.implements(GaussianState)
def points_log_score(state: GaussianState, items: Items, i: int, scratch: Scratch, slots: Slots) -> tuple[int, float]:
    touched = 0
    scratch.stamp[0] += 1
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0:
            touch(scratch, touched, slot, log_density(state, items, i, slot))
            touched += 1
    return touched, log_density(state, items, i, -1)


@log_score_untouched.implements(GaussianState)
def points_log_score_untouched(state: GaussianState, items: Items, i: int, slot: int) -> float:
    return -math.inf


@log_score_in.implements(GaussianState)
def points_log_score_in(state: GaussianState, items: Items, i: int, slot: int) -> float:
    return log_density(state, items, i, slot)


@log_score_within.implements(GaussianState)
def points_log_score_within(state: GaussianState, items: Items, i: int, slot: int) -> float:
    detach(state, items, i, slot)
    score = log_density(state, items, i, slot)
    attach(state, items, i, slot)
    return score


@gather.implements(GaussianState)
def points_gather(state: GaussianState, items: Items, members: NDArray[np.int64], found: int, pool: Pool) -> None:
    pool.size[0] = found
    pool.sums[:] = 0.0
    pool.squares[0] = 0.0
    for m in range(found):
        for d in range(items.points.shape[1]):
            pool.sums[d] += items.points[members[m], d]
            pool.squares[0] += items.points[members[m], d] ** 2


@helper
def log_density_of_pool(state: GaussianState, pool: Pool, slot: int) -> float:
    """log p(all vectors of the pool | members of the slot); slot -1 stands for a new thread."""
    before = 1.0 / state.spread + (state.size[slot] if slot >= 0 else 0) / state.noise
    after = before + pool.size[0] / state.noise
    exponent = pool.squares[0] / state.noise
    for d in range(len(pool.sums)):
        pull = state.total[slot, d] / state.noise if slot >= 0 else 0.0
        exponent += pull**2 / before - (pull + pool.sums[d] / state.noise) ** 2 / after
    normaliser = math.log(before / after) - pool.size[0] * math.log(2.0 * math.pi * state.noise)
    return 0.5 * (len(pool.sums) * normaliser - exponent)


@log_score_pool.implements(GaussianState)
def points_log_score_pool(state: GaussianState, pool: Pool, scratch: Scratch, slots: Slots) -> tuple[int, float]:
    touched = 0
    scratch.stamp[0] += 1
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0:
            touch(scratch, touched, slot, log_density_of_pool(state, pool, slot))
            touched += 1
    return touched, log_density_of_pool(state, pool, -1)


@explain.implements(GaussianState)
def points_explain(state: GaussianState, items: Items, i: int, slot: int, gains: NDArray[np.float64]) -> float:
    """A vector has no words and no length: its gain is what distance says."""
    return log_density(state, items, i, slot) - log_density(state, items, i, -1)


@purge.implements(GaussianState)
def points_purge(state: GaussianState, forgotten: NDArray[np.bool]) -> None:
    for slot in range(len(forgotten)):
        if forgotten[slot]:
            state.size[slot] = 0
            state.total[slot, :] = 0.0
            state.error[slot, :] = 0.0


@open_sides.implements(GaussianState)
def points_open_sides(
    state: GaussianState, items: Items, sides: Sides, members: NDArray[np.int64], found: int, labels: NDArray[np.int64]
) -> None:
    slot, settled = sides.marks[0], sides.marks[1]
    sides.total[LEFT] = sides.total[BOTH] = settled
    sides.total[RIGHT] = 0
    for d in range(items.points.shape[1]):
        rest = state.total[slot, d] if settled > 0 else 0.0
        for m in range(found if settled > 0 else 0):
            if labels[members[m]] == slot:
                rest -= items.points[members[m], d]
        sides.sums[LEFT, d] = sides.sums[BOTH, d] = rest
        sides.sums[RIGHT, d] = 0.0


@log_join.implements(GaussianState)
def points_log_join(state: GaussianState, items: Items, sides: Sides, s: int, i: int) -> float:
    return log_density_given(state, items, i, sides.total[s], sides.sums, s)


@join.implements(GaussianState)
def points_join(state: GaussianState, items: Items, sides: Sides, s: int, i: int) -> None:
    sides.total[s] += 1
    for d in range(items.points.shape[1]):
        sides.sums[s, d] += items.points[i, d]
