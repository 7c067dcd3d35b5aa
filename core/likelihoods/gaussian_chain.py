"""Vectors around a mean that walks (Ahmed, Xing 2007, §6): x ~ N(φ_t, Σ·I), φ_t ~ N(φ_s, ρ(t − s)·I), φ ~ N(0, σ·I) at
birth; the whole walk is integrated out.

A document is scored given all others of its thread, earlier and later (walks.py). At a time that the thread has not
been used at yet, that is the predictive of the walk, as a new thread's is that of N(0, σ·I) (after eq. 10).
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..contracts import attach, detach, log_score, log_score_in, log_score_untouched, log_score_within, room
from ..growth import grow, widen
from ..index import find
from ..items import Items, point_items, positive
from ..jit import helper
from ..slots import Scratch, Slots
from .gaussian import VARIANCES, add_to_sum, touch
from .walks import Walks, cell_of, close_time, doubled, look, new_walks, open_time, refilter, walks_room, with_cells
from .walks import with_slots as walks_with_slots


@dataclass(frozen=True)
class GaussianChain:
    """noise: Σ, the variance of vectors around the mean. spread: σ, of the mean at birth around 0. drift: ρ, of the
    mean's walk per unit of time (an epoch for RCRP), >= 0; with 0 it is `Gaussian`."""

    noise: float
    spread: float
    drift: float

    def __post_init__(self) -> None:
        least, most = VARIANCES
        object.__setattr__(self, "noise", positive("noise", self.noise, least=least, most=most))
        object.__setattr__(self, "spread", positive("spread", self.spread, least=least, most=most))
        object.__setattr__(self, "drift", positive("drift", self.drift, zero=True, most=most))

    def items(self, data: Any, times: ArrayLike) -> Items:
        """Documents from an array of vectors."""
        return point_items(data, times)

    def start(self, items: Items, vocabulary: int, capacity: int) -> "GaussianChainState":
        """The state of no document attached."""
        walks = new_walks(items, np.zeros(items.points.shape[1]), self.spread, self.drift, capacity)
        return GaussianChainState(self.noise, walks, np.zeros_like(walks.mean), np.zeros_like(walks.mean))

    def log_peak(self, items: Items) -> float:
        """A document that moves a thread's birth can make the others likelier, so there is no bound."""
        return math.inf


class GaussianChainState(NamedTuple):
    """The walks, and the sum of the vectors of each cell in two parts."""

    noise: float
    walks: Walks
    total: NDArray[np.float64]  # (cells, dimensions)
    error: NDArray[np.float64]


@widen.register
def _widen(state: GaussianChainState, capacity: int) -> GaussianChainState:
    return state._replace(walks=walks_with_slots(state.walks, capacity))


@grow.register
def _grow(state: GaussianChainState) -> GaussianChainState:
    return state._replace(walks=with_cells(state.walks), total=doubled(state.total), error=doubled(state.error))


@room.implements(GaussianChainState)
def moving_points_room(state: GaussianChainState, items: Items, i: int) -> bool:
    return walks_room(state.walks)


@helper
def observe(state: GaussianChainState, slot: int, entry: int) -> None:
    """Make the potential of an entry that of its vectors."""
    cell = cell_of(state.walks, entry)
    for d in range(state.total.shape[1]):
        state.walks.precision[cell, d] = state.walks.times.counts[entry] / state.noise
        state.walks.pull[cell, d] = state.total[cell, d] / state.noise
    refilter(state.walks, slot, entry)


@attach.implements(GaussianChainState)
def moving_points_attach(state: GaussianChainState, items: Items, i: int, slot: int) -> None:
    entry = open_time(state.walks, slot, state.walks.rank[i])
    add_to_sum(state.total, state.error, cell_of(state.walks, entry), items.points, i, 1.0)
    observe(state, slot, entry)


@detach.implements(GaussianChainState)
def moving_points_detach(state: GaussianChainState, items: Items, i: int, slot: int) -> None:
    walks = state.walks
    entry = find(walks.times, slot, walks.rank[i])
    cell = cell_of(walks, entry)
    walks.times.counts[entry] -= 1
    if walks.times.counts[entry] > 0:
        add_to_sum(state.total, state.error, cell, items.points, i, -1.0)
        observe(state, slot, entry)
        return
    state.total[cell, :] = 0.0
    state.error[cell, :] = 0.0
    close_time(walks, slot, entry)
    refilter(walks, slot, entry)


@helper
def log_density_on_walk(state: GaussianChainState, items: Items, i: int, slot: int) -> float:
    """log p(x_i | members of the slot); slot -1 stands for a new thread."""
    total = look(state.walks, slot, state.walks.rank[i])
    sight = state.walks.sight
    variance = sight[1, 0] + state.noise  # the same in all dimensions
    squares = 0.0
    for d in range(items.points.shape[1]):
        squares += (items.points[i, d] - sight[0, d]) ** 2
    return total - 0.5 * (items.points.shape[1] * math.log(2.0 * math.pi * variance) + squares / variance)


@log_score.implements(GaussianChainState)
def moving_points_log_score(
    state: GaussianChainState, items: Items, i: int, scratch: Scratch, slots: Slots
) -> tuple[int, float]:
    touched = 0
    scratch.stamp[0] += 1
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0:
            touch(scratch, touched, slot, log_density_on_walk(state, items, i, slot))
            touched += 1
    return touched, log_density_on_walk(state, items, i, -1)


@log_score_untouched.implements(GaussianChainState)
def moving_points_log_score_untouched(state: GaussianChainState, items: Items, i: int, slot: int) -> float:
    return -math.inf


@log_score_in.implements(GaussianChainState)
def moving_points_log_score_in(state: GaussianChainState, items: Items, i: int, slot: int) -> float:
    return log_density_on_walk(state, items, i, slot)


@log_score_within.implements(GaussianChainState)
def moving_points_log_score_within(state: GaussianChainState, items: Items, i: int, slot: int) -> float:
    detach(state, items, i, slot)
    score = log_density_on_walk(state, items, i, slot)
    attach(state, items, i, slot)
    return score
