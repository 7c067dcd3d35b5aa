"""The Chinese restaurant process: a thread counts by its size, a new one by alpha. It knows no time."""

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
from ..growth import Folded, folded, grow, widen
from ..index import log_of_count
from ..items import NONE, Items, positive
from ..sides import Sides, settled_on


@dataclass(frozen=True)
class CRP:
    """alpha: concentration, > 0; the weight of a new thread, in documents."""

    alpha: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", positive("alpha", self.alpha))

    def start(self, items: Items, capacity: int) -> "CRPState":
        """The state of no document attached."""
        return CRPState(self.alpha, np.zeros(capacity, np.int64), np.zeros(1, np.int64))

    def moved(self, state: "CRPState", items: Items, first: int) -> "CRPState":
        """The same sizes under this alpha."""
        return state._replace(alpha=self.alpha)

    def reach(self, nats: float) -> float:
        """Time beyond which a thread's weight is below e^-nats."""
        return math.inf


class CRPState(NamedTuple):
    """Sizes by slot."""

    alpha: float
    size: NDArray[np.int64]
    attached: NDArray[np.int64]  # [0]: documents in all slots


@widen.register
def _widen(state: CRPState, capacity: int) -> CRPState:
    return state._replace(size=np.pad(state.size, (0, capacity - len(state.size))))


@grow.register
def _grow(state: CRPState) -> CRPState:
    return state


@room.implements(CRPState)
def crp_room(state: CRPState, items: Items, i: int) -> bool:
    return True


@attach.implements(CRPState)
def crp_attach(state: CRPState, items: Items, i: int, slot: int) -> None:
    state.size[slot] += 1
    state.attached[0] += 1


@detach.implements(CRPState)
def crp_detach(state: CRPState, items: Items, i: int, slot: int) -> None:
    state.size[slot] -= 1
    state.attached[0] -= 1


@removable.implements(CRPState)
def crp_removable(state: CRPState, items: Items, i: int, slot: int) -> bool:
    return True


@log_new.implements(CRPState)
def crp_log_new(state: CRPState, items: Items, i: int) -> float:
    return math.log(state.alpha)


@log_predictive.implements(CRPState)
def crp_log_predictive(state: CRPState, items: Items, i: int, slot: int) -> float:
    return math.log(state.size[slot])


@log_conditional.implements(CRPState)
def crp_log_conditional(state: CRPState, items: Items, i: int, slot: int) -> float:
    return math.log(state.size[slot])


@log_conditional_within.implements(CRPState)
def crp_log_conditional_within(state: CRPState, items: Items, i: int, slot: int) -> float:
    return math.log(state.size[slot] - 1)


@log_floor_within.implements(CRPState)
def crp_log_floor_within(state: CRPState, items: Items, i: int, slot: int) -> float:
    return math.log(state.size[slot] - 1)


@log_ceiling.implements(CRPState)
def crp_log_ceiling(state: CRPState, items: Items, i: int) -> float:
    return log_of_count(state.attached[0])


@settle.implements(CRPState)
def crp_settle(state: CRPState, items: Items, i: int, slot: int) -> None:
    """Sizes do not fade."""


@unsettle.implements(CRPState)
def crp_unsettle(state: CRPState, items: Items, i: int, slot: int, left: int) -> None:
    state.size[slot] -= 1
    state.attached[0] -= 1


@keep.implements(CRPState)
def crp_keep(state: CRPState, items: Items, i: int, slot: int, count: int, value: float) -> None:
    state.size[slot] += count


@folded.register
def _folded(
    state: CRPState, times: NDArray[np.float64], cursor: int, limit: float, settled: Any, last: NDArray[np.float64]
) -> Folded:
    slot = np.flatnonzero(settled)
    return Folded(slot, np.full(len(slot), NONE), last[slot], settled[slot], np.zeros(len(slot)))


@renumber.implements(CRPState)
def crp_renumber(state: CRPState, numbers: NDArray[np.int64], first: int) -> None:
    """No document is named here."""


@forget.implements(CRPState)
def crp_forget(state: CRPState, slot: int, size: int) -> None:
    state.size[slot] = 0
    state.attached[0] -= size


@log_weight_at.implements(CRPState)
def crp_log_weight_at(state: CRPState, items: Items, slot: int, time: float) -> float:
    return math.log(state.size[slot])


@fading_time.implements(CRPState)
def crp_fading_time(state: CRPState, items: Items, slot: int, log_weight: float) -> float:
    return math.inf


@log_weight_then.implements(CRPState)
def crp_log_weight_then(state: CRPState, items: Items, slot: int, time: float) -> float:
    return math.log(state.size[slot])


@room_to_move.implements(CRPState)
def crp_room_to_move(state: CRPState, items: Items, sides: Sides, members: NDArray[np.int64], found: int) -> bool:
    return True


@log_follow.implements(CRPState)
def crp_log_follow(state: CRPState, items: Items, sides: Sides, s: int, i: int) -> float:
    size = settled_on(sides, s) + sides.size[s]
    return math.log(size) if size > 0 else math.log(state.alpha)


@log_limit.implements(CRPState)
def crp_log_limit(state: CRPState, size: int) -> float:
    return log_of_count(size)
