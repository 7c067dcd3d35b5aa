"""The averaged distance dependent Chinese restaurant process (Wybo et al. 2012, eq. 9-13).

A thread with n earlier members weighs n k(d), d being its age for the document (ages.py), a new one alpha. Unlike
tDPM's, the sum of all weights depends on the labels of what is earlier, so P(labels) = Π weight_j / N_j keeps the
normalisers N_j = alpha + Σ_c n_c k(d_jc), and the Gibbs conditional pays for those of every later document too. The
sums are kept by document; a change of one thread touches the documents that come while it is still of weight.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..contracts import (
    attach,
    detach,
    local,
    log_ceiling,
    log_conditional,
    log_conditional_within,
    log_floor_within,
    log_limit,
    log_new,
    log_predictive,
    removable,
    room,
)
from ..errors import ArgumentError
from ..growth import grow, widen
from ..index import Lists, delete, find, insert, new_lists, with_entries, with_keys
from ..items import NONE, Items, positive
from ..jit import helper
from ..kernels import Kernel, decay, horizon, log_decay
from .ages import age_at, age_joined, distance_of

NEGLIGIBLE = 28.0  # nats; what adds less than e^-28 of alpha to a normaliser, all threads together, counts as nothing
FADED = 745.0  # nats; a thread whose youngest member weighs less is dead: e^-745 is the smallest double
DISTANCES = ("mean", "weighted", "nearest")


@dataclass(frozen=True)
class ADDCRP:
    """alpha: concentration, > 0, documents. kernel: how a thread fades with age. distance: which age, "mean",
    "weighted" (by the kernel) or "nearest"."""

    alpha: float
    kernel: Kernel
    distance: str = "mean"

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", positive("alpha", self.alpha))
        if not isinstance(self.kernel, Kernel):
            raise ArgumentError("kernel", f"is {self.kernel!r}", "pass a kernel, e.g. Exponential(rate)")
        if self.distance not in DISTANCES:
            raise ArgumentError("distance", f"is {self.distance!r:.40}", 'pass "mean", "weighted" or "nearest"')

    def start(self, items: Items, capacity: int) -> "ADDCRPState":
        """The state of no document attached."""
        count = len(items.times)
        nats = 2.0 * math.log(count + 1.0) - math.log(self.alpha) + NEGLIGIBLE
        real = np.zeros(count)
        return ADDCRPState(
            self.alpha,
            self.kernel,
            distance_of(self.distance, self.kernel),
            float(horizon(self.kernel, max(nats, 0.0))),
            float(horizon(self.kernel, FADED)),
            new_lists(capacity, 4 * capacity),
            np.zeros(count, np.bool),
            real,
            real.copy(),
            real.copy(),
            real.copy(),
            np.zeros(1, np.int64),
        )

    def reach(self, nats: float) -> float:
        """Everything stays loaded: a thread's weight enters the normalisers of all that comes while it lives."""
        return math.inf


class ADDCRPState(NamedTuple):
    """Members of each slot in time order, and by document: its thread's age and mass right after it, and what all
    threads weighed before it."""

    alpha: float
    kernel: Any
    distance: Any
    cutoff: float  # age beyond which a thread adds nothing to a normaliser
    reach: float  # age of its youngest member beyond which a thread is dead
    members: Lists
    present: NDArray[np.bool]  # whether the document is in a slot
    age: NDArray[np.float64]
    mass: NDArray[np.float64]
    weight: NDArray[np.float64]  # Σ_c n_c k(d_c)
    error: NDArray[np.float64]  # what rounding took from `weight`
    attached: NDArray[np.int64]  # [0]: documents in all slots


Side = tuple[int, float, float, float]  # members, age and mass at the last of them, and its time
NOBODY: Side = (0, 0.0, 0.0, 0.0)


@widen.register
def _widen(state: ADDCRPState, capacity: int) -> ADDCRPState:
    return state._replace(members=with_keys(state.members, capacity))


@grow.register
def _grow(state: ADDCRPState) -> ADDCRPState:
    return state._replace(members=with_entries(state.members))


@room.implements(ADDCRPState)
def addcrp_room(state: ADDCRPState, items: Items, i: int) -> bool:
    return state.members.top[0] + 2 * state.attached[0] + 4 <= len(state.members.ids)


@helper
def side_before(state: ADDCRPState, items: Items, slot: int, position: int) -> Side:
    """The slot's members before the position."""
    first = state.members.start[slot]
    if position == first:
        return NOBODY
    last = state.members.ids[position - 1]
    return position - first, state.age[last], state.mass[last], items.times[last]


@helper
def with_one(state: ADDCRPState, side: Side, time: float) -> Side:
    """The same members and one more, after them."""
    count, age, mass, last = side
    if count == 0:
        return 1, 0.0, 1.0, time
    age, mass = age_joined(state.distance, state.kernel, count, age, mass, time - last)
    return count + 1, age, mass, time


@helper
def age_of(state: ADDCRPState, items: Items, slot: int, position: int, extra: int, side: Side, time: float) -> float:
    """d: the age at a time of a side, the members before the position and maybe one extra."""
    first = state.members.start[slot]
    return age_at(state.distance, state.kernel, items, state.members, first, position, extra, side[1], side[3], time)


@helper
def weight_of(state: ADDCRPState, items: Items, slot: int, position: int, extra: int, side: Side, time: float) -> float:
    """n k(d), as it enters normalisers."""
    if side[0] == 0 or time - side[3] > state.cutoff:
        return 0.0
    age = age_of(state, items, slot, position, extra, side, time)
    return side[0] * decay(state.kernel, age) if age <= state.cutoff else 0.0


@helper
def log_weight_of(
    state: ADDCRPState, items: Items, slot: int, position: int, extra: int, side: Side, time: float
) -> float:
    """log n k(d), or of a birth."""
    if side[0] == 0:
        return math.log(state.alpha)
    if time - side[3] > state.reach:
        return -math.inf
    age = age_of(state, items, slot, position, extra, side, time)
    return math.log(side[0]) + log_decay(state.kernel, age)


@helper
def next_touched(state: ADDCRPState, items: Items, j: int, m: int, end: int, last: float) -> int:
    """Document j, or if the side has faded by then, its next member m; the number of documents if there is none."""
    if j < len(items.times) and items.times[j] - last > state.cutoff:
        return state.members.ids[m] if m < end else len(items.times)
    return j


@helper
def add_weight(state: ADDCRPState, j: int, x: float) -> None:
    """Add to what all threads weigh for j (Knuth's two-sum keeps the rounding error)."""
    old = state.weight[j]
    new = old + x
    virtual = new - old
    error = state.error[j] + ((old - (new - virtual)) + (x - virtual))
    state.weight[j] = new + error
    state.error[j] = error - (state.weight[j] - new)


@helper
def reweigh_later(state: ADDCRPState, items: Items, i: int, slot: int, sign: float) -> None:
    """Put what i does in the slot, which it is not in, into the weights of later documents, or take it out."""
    members = state.members
    m = find(members, slot, i)
    end = members.start[slot] + members.length[slot]
    without = side_before(state, items, slot, m)
    along = with_one(state, without, items.times[i])
    j = i + 1
    while True:
        j = next_touched(state, items, j, m, end, along[3])
        if j >= len(items.times):
            return
        time = items.times[j]
        add_weight(state, j, sign * weight_of(state, items, slot, m, i, along, time))
        add_weight(state, j, -sign * weight_of(state, items, slot, m, NONE, without, time))
        if m < end and members.ids[m] == j:
            without, along = with_one(state, without, time), with_one(state, along, time)
            m += 1
        j += 1


@helper
def log_effect(state: ADDCRPState, items: Items, i: int, slot: int) -> float:
    """What i in the slot, which it is not in, does to the log probability of all later documents."""
    members = state.members
    m = find(members, slot, i)
    end = members.start[slot] + members.length[slot]
    without = side_before(state, items, slot, m)
    along = with_one(state, without, items.times[i])
    total, product = 0.0, 1.0
    j = i + 1
    while True:
        j = next_touched(state, items, j, m, end, along[3])
        if j >= len(items.times):
            return total - math.log(product)
        time = items.times[j]
        if state.present[j]:
            before = state.alpha + state.weight[j]
            more = weight_of(state, items, slot, m, i, along, time)
            less = weight_of(state, items, slot, m, NONE, without, time)
            product *= (before + (more - less)) / before
            if product < 1e-100 or product > 1e100:
                total -= math.log(product)
                product = 1.0
        if m < end and members.ids[m] == j:
            total += log_weight_of(state, items, slot, m, i, along, time)
            if total == -math.inf:
                return total
            total -= log_weight_of(state, items, slot, m, NONE, without, time)
            without, along = with_one(state, without, time), with_one(state, along, time)
            m += 1
        j += 1


@helper
def date_members(state: ADDCRPState, items: Items, slot: int, position: int) -> None:
    """Bring ages and masses up to date from the position on."""
    members = state.members
    side = side_before(state, items, slot, position)
    for m in range(position, members.start[slot] + members.length[slot]):
        side = with_one(state, side, items.times[members.ids[m]])
        state.age[members.ids[m]], state.mass[members.ids[m]] = side[1], side[2]


@attach.implements(ADDCRPState)
def addcrp_attach(state: ADDCRPState, items: Items, i: int, slot: int) -> None:
    reweigh_later(state, items, i, slot, 1.0)
    date_members(state, items, slot, insert(state.members, slot, find(state.members, slot, i), i))
    state.present[i] = True
    state.attached[0] += 1


@detach.implements(ADDCRPState)
def addcrp_detach(state: ADDCRPState, items: Items, i: int, slot: int) -> None:
    position = find(state.members, slot, i)
    delete(state.members, slot, position)
    date_members(state, items, slot, position)
    reweigh_later(state, items, i, slot, -1.0)
    state.present[i] = False
    state.attached[0] -= 1


@removable.implements(ADDCRPState)
def addcrp_removable(state: ADDCRPState, items: Items, i: int, slot: int) -> bool:
    """False when a later member would find the thread dead."""
    members = state.members
    position = find(members, slot, i)
    side = side_before(state, items, slot, position)
    for m in range(position + 1, members.start[slot] + members.length[slot]):
        time = items.times[members.ids[m]]
        if side[0] > 0 and not living(state, side, time):
            return False
        side = with_one(state, side, time)
    return True


@helper
def living(state: ADDCRPState, side: Side, time: float) -> bool:
    """Whether a side has positive weight. (A weighted age is positive wherever the youngest member's is.)"""
    gap = time - side[3]
    return gap <= state.reach and log_decay(state.kernel, side[1] + gap) > -math.inf


@helper
def log_normaliser(state: ADDCRPState, i: int) -> float:
    """log N_i."""
    return math.log(state.alpha + state.weight[i])


@log_new.implements(ADDCRPState)
def addcrp_log_new(state: ADDCRPState, items: Items, i: int) -> float:
    """A thread of its own raises the normalisers of what comes after it."""
    total, product = math.log(state.alpha) - log_normaliser(state, i), 1.0
    for j in range(i + 1, len(items.times)):
        if items.times[j] - items.times[i] > state.cutoff:
            break
        if state.present[j]:
            product *= 1.0 + decay(state.kernel, items.times[j] - items.times[i]) / (state.alpha + state.weight[j])
            if product > 1e100:
                total -= math.log(product)
                product = 1.0
    return total - math.log(product)


@log_predictive.implements(ADDCRPState)
def addcrp_log_predictive(state: ADDCRPState, items: Items, i: int, slot: int) -> float:
    position = find(state.members, slot, i)
    side = side_before(state, items, slot, position)
    if side[0] == 0:
        return -math.inf  # the thread is not born yet
    return log_weight_of(state, items, slot, position, NONE, side, items.times[i]) - log_normaliser(state, i)


@log_conditional.implements(ADDCRPState)
def addcrp_log_conditional(state: ADDCRPState, items: Items, i: int, slot: int) -> float:
    position = find(state.members, slot, i)
    side = side_before(state, items, slot, position)
    total = log_weight_of(state, items, slot, position, NONE, side, items.times[i])
    if total == -math.inf:
        return total
    return total - log_normaliser(state, i) + log_effect(state, items, i, slot)


@log_conditional_within.implements(ADDCRPState)
def addcrp_log_conditional_within(state: ADDCRPState, items: Items, i: int, slot: int) -> float:
    detach(state, items, i, slot)
    weight = log_conditional(state, items, i, slot)
    attach(state, items, i, slot)
    return weight


@local.implements(ADDCRPState)
def addcrp_local(state: ADDCRPState) -> bool:
    """Normalisers hold all threads."""
    return False


@log_floor_within.implements(ADDCRPState)
def addcrp_log_floor_within(state: ADDCRPState, items: Items, i: int, slot: int) -> float:
    return -math.inf


@log_ceiling.implements(ADDCRPState)
def addcrp_log_ceiling(state: ADDCRPState, items: Items, i: int) -> float:
    """An older mean lowers normalisers: no bound is known."""
    return math.inf


@log_limit.implements(ADDCRPState)
def addcrp_log_limit(state: ADDCRPState, size: int) -> float:
    return math.inf
