"""The time-sensitive Dirichlet process mixture (Zhu, Ghahramani, Lafferty 2005).

A thread weighs w(t) = Σ k(t − t_m) over its earlier members m (eq. 2), a new one alpha (eq. 5). The Gibbs conditional
(eq. 7) also pays for every later member, whose weight the document would raise: weights.py has the arithmetic.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..contracts import (
    attach,
    detach,
    fading_time,
    forget,
    keep,
    log_ceiling,
    log_conditional,
    log_conditional_within,
    log_floor_within,
    log_follow,
    log_limit,
    log_new,
    log_predictive,
    log_weight_at,
    log_weight_then,
    removable,
    renumber,
    room,
    room_to_move,
    settle,
    unsettle,
)
from ..errors import ArgumentError
from ..growth import Folded, folded, grow, widen
from ..index import Lists, delete, entries, find, insert, new_lists, with_entries, with_keys
from ..items import Items, positive
from ..jit import kernel, log_or_minus_infinity
from ..kernels import Kernel, horizon
from ..sides import RIGHT, Sides, settled_on
from .weights import (
    keeps_settled,
    lighten,
    log_floor,
    log_total_ceiling,
    log_weight,
    log_weight_and_future,
    log_weight_and_future_within,
    reweigh,
    side_weight,
    time_to_weight,
    torn_without,
)


@dataclass(frozen=True)
class TDPM:
    """alpha: concentration, > 0, in documents of age 0. kernel: how a document's influence fades."""

    alpha: float
    kernel: Kernel

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", positive("alpha", self.alpha))
        if not isinstance(self.kernel, Kernel):
            raise ArgumentError("kernel", f"is {self.kernel!r}", "pass a kernel, e.g. Exponential(rate)")

    def start(self, items: Items, capacity: int) -> "TDPMState":
        """The state of no document attached."""
        return TDPMState(self.alpha, self.kernel, new_lists(capacity, 4 * capacity), np.zeros(1, np.int64))

    def moved(self, state: "TDPMState", items: Items, first: int) -> "TDPMState":
        """The same members under these knobs; settled ones, numbered below `first`, keep the weights they had."""
        moved = state._replace(alpha=self.alpha, kernel=self.kernel)
        reweigh_all(moved, items, first)
        return moved

    def reach(self, nats: float) -> float:
        """Time beyond which a thread's weight is below e^-nats."""
        return float(horizon(self.kernel, nats))


class TDPMState(NamedTuple):
    """Members of each slot in time order; a member's value is its weight w(t_m), from members before it."""

    alpha: float
    kernel: Any
    members: Lists
    attached: NDArray[np.int64]  # [0]: documents in all slots


@widen.register
def _widen(state: TDPMState, capacity: int) -> TDPMState:
    return state._replace(members=with_keys(state.members, capacity))


@grow.register
def _grow(state: TDPMState) -> TDPMState:
    return state._replace(members=with_entries(state.members))


@room.implements(TDPMState)
def tdpm_room(state: TDPMState, items: Items, i: int) -> bool:
    """When a list moves it takes twice its length, which neither documents nor entries exceed."""
    longest = min(state.attached[0], state.members.top[0])
    return state.members.top[0] + 2 * longest + 4 <= len(state.members.ids)


@attach.implements(TDPMState)
def tdpm_attach(state: TDPMState, items: Items, i: int, slot: int) -> None:
    members = state.members
    position = insert(members, slot, find(members, slot, i), i)
    first = members.start[slot]
    reweigh(state.kernel, items, members, first, position, first + members.length[slot])
    state.attached[0] += 1


@detach.implements(TDPMState)
def tdpm_detach(state: TDPMState, items: Items, i: int, slot: int) -> None:
    members = state.members
    position = find(members, slot, i)
    delete(members, slot, position)
    first = members.start[slot]
    reweigh(state.kernel, items, members, first, position, first + members.length[slot])
    state.attached[0] -= 1


@removable.implements(TDPMState)
def tdpm_removable(state: TDPMState, items: Items, i: int, slot: int) -> bool:
    members = state.members
    first = members.start[slot]
    end = first + members.length[slot]
    return not torn_without(state.kernel, items, members, first, find(members, slot, i), end)


@log_new.implements(TDPMState)
def tdpm_log_new(state: TDPMState, items: Items, i: int) -> float:
    return math.log(state.alpha)


@log_predictive.implements(TDPMState)
def tdpm_log_predictive(state: TDPMState, items: Items, i: int, slot: int) -> float:
    members = state.members
    first = members.start[slot]
    position = find(members, slot, i)
    if position == first:
        return -math.inf  # the thread is not born yet
    return log_weight(state.kernel, items, members, first, position, items.times[i])


@log_conditional.implements(TDPMState)
def tdpm_log_conditional(state: TDPMState, items: Items, i: int, slot: int) -> float:
    members = state.members
    first = members.start[slot]
    end = first + members.length[slot]
    position = find(members, slot, i)
    if position == end:
        return log_weight(state.kernel, items, members, first, position, items.times[i])
    return log_weight_and_future(state.kernel, items, members, first, position, end, i)


@log_conditional_within.implements(TDPMState)
def tdpm_log_conditional_within(state: TDPMState, items: Items, i: int, slot: int) -> float:
    members = state.members
    first = members.start[slot]
    end = first + members.length[slot]
    return log_weight_and_future_within(state.kernel, items, members, first, find(members, slot, i), end)


@log_floor_within.implements(TDPMState)
def tdpm_log_floor_within(state: TDPMState, items: Items, i: int, slot: int) -> float:
    members = state.members
    first = members.start[slot]
    end = first + members.length[slot]
    return log_floor(state.kernel, items, members, first, find(members, slot, i), end)


@log_ceiling.implements(TDPMState)
def tdpm_log_ceiling(state: TDPMState, items: Items, i: int) -> float:
    return log_total_ceiling(state.kernel, state.attached[0])


@settle.implements(TDPMState)
def tdpm_settle(state: TDPMState, items: Items, i: int, slot: int) -> None:
    """i stays in the list for its weight, which holds what older members still count; those are dropped."""
    members = state.members
    first = members.start[slot]
    dropped = False
    while members.ids[first] < i and not keeps_settled(state.kernel, items.times[i] - items.times[members.ids[first]]):
        delete(members, slot, first)
        dropped = True
    if dropped:
        reweigh(state.kernel, items, members, first, first + 1, first + members.length[slot])


@unsettle.implements(TDPMState)
def tdpm_unsettle(state: TDPMState, items: Items, i: int, slot: int, left: int) -> None:
    members = state.members
    first = members.start[slot]
    state.attached[0] -= 1
    position = lighten(state.kernel, items, members, first, first + members.length[slot], i, left)
    if position < 0:
        return
    delete(members, slot, position)
    reweigh(state.kernel, items, members, first, position, first + members.length[slot])


@keep.implements(TDPMState)
def tdpm_keep(state: TDPMState, items: Items, i: int, slot: int, count: int, value: float) -> None:
    members = state.members
    position = insert(members, slot, find(members, slot, i), i)
    members.values[position] = value


@folded.register
def _folded(
    state: TDPMState, times: NDArray[np.float64], cursor: int, limit: float, settled: Any, last: NDArray[np.float64]
) -> Folded:
    where, slot = entries(state.members)
    old = state.members.ids[where] < cursor
    where, slot = where[old], slot[old]
    number = state.members.ids[where]
    return Folded(slot, number, times[number], np.ones(len(slot), np.int64), state.members.values[where])


@renumber.implements(TDPMState)
def tdpm_renumber(state: TDPMState, numbers: NDArray[np.int64], first: int) -> None:
    members = state.members
    for slot in range(len(members.start)):
        end = members.start[slot] + members.length[slot]
        if end > members.start[slot] and members.ids[end - 1] >= first:
            for e in range(find(members, slot, first), end):
                members.ids[e] = numbers[members.ids[e] - first]


@forget.implements(TDPMState)
def tdpm_forget(state: TDPMState, slot: int, size: int) -> None:
    members = state.members
    while members.length[slot] > 0:
        delete(members, slot, members.start[slot] + members.length[slot] - 1)
    state.attached[0] -= size


@log_weight_at.implements(TDPMState)
def tdpm_log_weight_at(state: TDPMState, items: Items, slot: int, time: float) -> float:
    first = state.members.start[slot]
    return log_weight(state.kernel, items, state.members, first, first + state.members.length[slot], time)


@fading_time.implements(TDPMState)
def tdpm_fading_time(state: TDPMState, items: Items, slot: int, log_weight: float) -> float:
    first = state.members.start[slot]
    return time_to_weight(state.kernel, items, state.members, first, first + state.members.length[slot], log_weight)


@log_weight_then.implements(TDPMState)
def tdpm_log_weight_then(state: TDPMState, items: Items, slot: int, time: float) -> float:
    """From the settled members that are kept. With a memoryless kernel that is the last one, which stands for all
    before it; what those weighed before its own time is not known, and its weight then is taken instead."""
    members = state.members
    first = members.start[slot]
    position = first + 1
    while position < first + members.length[slot] and items.times[members.ids[position]] <= time:
        position += 1
    there = items.times[members.ids[first]]
    return log_weight(state.kernel, items, members, first, position, max(time, there))


@room_to_move.implements(TDPMState)
def tdpm_room_to_move(state: TDPMState, items: Items, sides: Sides, members: NDArray[np.int64], found: int) -> bool:
    longest = min(state.attached[0], state.members.top[0])
    return state.members.top[0] + 8 * (longest + 4) <= len(state.members.ids)


@log_follow.implements(TDPMState)
def tdpm_log_follow(state: TDPMState, items: Items, sides: Sides, s: int, i: int) -> float:
    """A document's value is its weight, as in the lists of members."""
    members, slot = state.members, sides.marks[0]
    weight = 0.0
    born = settled_on(sides, s) + sides.size[s] > 0
    if born:
        first = members.start[slot]
        middle = first if s == RIGHT else find(members, slot, sides.marks[2])
        weight = side_weight(state.kernel, items, members, first, middle, sides, s, items.times[i])
    sides.values[s, sides.size[s]] = weight
    if not born:
        return math.log(state.alpha)
    return log_or_minus_infinity(weight)


@log_limit.implements(TDPMState)
def tdpm_log_limit(state: TDPMState, size: int) -> float:
    return log_total_ceiling(state.kernel, size)


@kernel
def reweigh_all(state: TDPMState, items: Items, settled: int) -> None:
    """Bring all weights up to date but those of settled documents, numbered below `settled`."""
    members = state.members
    for slot in range(len(members.start)):
        first = members.start[slot]
        position = find(members, slot, settled)
        for m in range(position, first + members.length[slot]):
            reweigh(state.kernel, items, members, first, m, m + 1)
