"""The recurrent Chinese restaurant process (Ahmed, Xing 2007, eq. 4 with §5).

Time runs in epochs. A thread k enters epoch t with the weight of its past, m_{k,t} = Σ_{h=1..W} e^{−h/λ} n_{k,t−h},
and its part of the joint is Π_t Γ(m_{k,t} + n_{k,t}) / Γ(m_{k,t}), with α Γ(n_{k,t}) in the epoch of its birth. Unused
for W epochs, it is dead. The conditional of a document is that product with it over that without it, epochs t … t + W.
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
from ..index import Lists, delete, entries, find, insert, log_rising, new_lists, with_entries, with_keys
from ..items import NONE, Items, positive
from ..jit import helper, kernel, log_or_minus_infinity
from ..sides import RIGHT, Sides, settled_on

EXACT = 2.0**53  # epoch numbers up to here are exact as doubles
FADED = 746.0  # decays λ after which e^{−h/λ} is 0 as a double
WIDEST = 10_000_000  # epochs


@dataclass(frozen=True)
class RCRP:
    """alpha: concentration, > 0, documents. decay: λ, epochs, > 0 or inf. width: W, whole epochs, >= 0 or inf."""

    alpha: float
    decay: float
    width: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", positive("alpha", self.alpha))
        object.__setattr__(self, "decay", positive("decay", self.decay, infinite=True))
        width = positive("width", self.width, zero=True, infinite=True)
        if width != np.floor(width):
            raise ArgumentError("width", f"is {self.width!r}", "pass a whole number of epochs, or infinity")
        object.__setattr__(self, "width", width)

    def start(self, items: Items, capacity: int) -> "RCRPState":
        """The state of no document attached."""
        if (items.times != np.floor(items.times)).any() or (np.abs(items.times) > EXACT).any():
            raise ArgumentError("times", "are not whole epoch numbers", "divide by the epoch's length and round down")
        span = items.times[-1] - items.times[0] if len(items.times) else math.inf
        return RCRPState(self.alpha, self._fade(span), new_lists(capacity, 4 * capacity), np.zeros(1, np.int64))

    def _fade(self, span: float) -> NDArray[np.float64]:
        """e^{−h/λ} for h = 0 … W, as far as there are epochs and it is not 0."""
        width = min(self.width, span, FADED * self.decay)
        if width > WIDEST:
            raise ArgumentError("width", f"spans {width:g} epochs", "use longer epochs or a finite width or decay")
        return np.exp(-np.arange(int(width) + 1) / self.decay)

    def moved(self, state: "RCRPState", items: Items, first: int) -> "RCRPState":
        """The same epochs under these knobs."""
        moved = state._replace(alpha=self.alpha, fade=self._fade(math.inf))
        remember_all(moved)
        return moved

    def reach(self, nats: float) -> float:
        """Epochs beyond which a thread's weight is 0."""
        return self.width


class RCRPState(NamedTuple):
    """Epochs of each slot with their counts n_{k,t}; an epoch's value is its history m_{k,t}."""

    alpha: float
    fade: NDArray[np.float64]  # h -> e^{−h/λ}, h = 0 … W
    epochs: Lists
    attached: NDArray[np.int64]  # [0]: documents in all slots


@widen.register
def _widen(state: RCRPState, capacity: int) -> RCRPState:
    return state._replace(epochs=with_keys(state.epochs, capacity))


@grow.register
def _grow(state: RCRPState) -> RCRPState:
    return state._replace(epochs=with_entries(state.epochs))


@helper
def history(state: RCRPState, first: int, position: int, epoch: int) -> float:
    """m_{k,epoch} from the entries in [first, position)."""
    total = 0.0
    for e in range(position - 1, first - 1, -1):
        age = epoch - state.epochs.ids[e]
        if age >= len(state.fade):
            break
        total += state.fade[age] * state.epochs.counts[e]
    return total


@helper
def log_weight_in(state: RCRPState, slot: int, epoch: int) -> float:
    """log (m_{k,epoch} + n_{k,epoch})."""
    epochs = state.epochs
    first = epochs.start[slot]
    position = find(epochs, slot, epoch)
    weight = history(state, first, position, epoch)
    if position < first + epochs.length[slot] and epochs.ids[position] == epoch:
        weight += epochs.counts[position]
    return log_or_minus_infinity(weight)


@helper
def remember(state: RCRPState, slot: int, position: int, epoch: int) -> None:
    """Bring the histories up to date from the position on, as far as the epoch reaches."""
    epochs = state.epochs
    first = epochs.start[slot]
    for e in range(position, first + epochs.length[slot]):
        if epochs.ids[e] - epoch >= len(state.fade):
            break
        epochs.values[e] = history(state, first, e, epochs.ids[e])


@room.implements(RCRPState)
def rcrp_room(state: RCRPState, items: Items, i: int) -> bool:
    longest = min(state.attached[0], state.epochs.top[0])
    return state.epochs.top[0] + 2 * longest + 4 <= len(state.epochs.ids)


@attach.implements(RCRPState)
def rcrp_attach(state: RCRPState, items: Items, i: int, slot: int) -> None:
    epochs = state.epochs
    epoch = int(items.times[i])
    position = find(epochs, slot, epoch)
    if position == epochs.start[slot] + epochs.length[slot] or epochs.ids[position] != epoch:
        position = insert(epochs, slot, position, epoch)
    epochs.counts[position] += 1
    remember(state, slot, position, epoch)
    state.attached[0] += 1


@detach.implements(RCRPState)
def rcrp_detach(state: RCRPState, items: Items, i: int, slot: int) -> None:
    epochs = state.epochs
    epoch = int(items.times[i])
    position = find(epochs, slot, epoch)
    epochs.counts[position] -= 1
    if epochs.counts[position] == 0:
        delete(epochs, slot, position)
    remember(state, slot, position, epoch)
    state.attached[0] -= 1


@removable.implements(RCRPState)
def rcrp_removable(state: RCRPState, items: Items, i: int, slot: int) -> bool:
    """False when an epoch after the birth would be left without history: the thread would be torn in two."""
    position = find(state.epochs, slot, int(items.times[i]))
    return state.epochs.counts[position] > 1 or whole_without(state, slot, position)


@helper
def whole_without(state: RCRPState, slot: int, position: int) -> bool:
    """Whether the next epoch reaches the one before, or one of them is missing."""
    epochs = state.epochs
    first = epochs.start[slot]
    if position == first or position + 1 == first + epochs.length[slot]:
        return True
    age = epochs.ids[position + 1] - epochs.ids[position - 1]
    return age < len(state.fade) and state.fade[age] > 0.0


@log_new.implements(RCRPState)
def rcrp_log_new(state: RCRPState, items: Items, i: int) -> float:
    return math.log(state.alpha)


@log_predictive.implements(RCRPState)
def rcrp_log_predictive(state: RCRPState, items: Items, i: int, slot: int) -> float:
    return log_weight_in(state, slot, int(items.times[i]))


@log_conditional.implements(RCRPState)
def rcrp_log_conditional(state: RCRPState, items: Items, i: int, slot: int) -> float:
    epochs = state.epochs
    epoch = int(items.times[i])
    first = epochs.start[slot]
    end = first + epochs.length[slot]
    later = find(epochs, slot, epoch)
    weight = history(state, first, later, epoch)
    if later < end and epochs.ids[later] == epoch:
        weight += epochs.counts[later]
        later += 1
    if weight > 0.0:
        total = math.log(weight)
    elif later > first or epochs.ids[later] - epoch >= len(state.fade):
        return -math.inf  # dead before this epoch, or born too late to be reached from it
    else:  # i is the birth: the epoch that was has a history now, Γ(m + n)/Γ(m) instead of Γ(n)
        total = log_rising(state.fade[epochs.ids[later] - epoch], epochs.counts[later]) - math.lgamma(
            epochs.counts[later]
        )
        later += 1
    for e in range(later, end):
        age = epochs.ids[e] - epoch
        if age >= len(state.fade):
            break
        before, count = epochs.values[e], epochs.counts[e]
        total += log_rising(before + state.fade[age], count) - log_rising(before, count)
    return total


@log_conditional_within.implements(RCRPState)
def rcrp_log_conditional_within(state: RCRPState, items: Items, i: int, slot: int) -> float:
    detach(state, items, i, slot)
    weight = log_conditional(state, items, i, slot)
    attach(state, items, i, slot)
    return weight


@log_floor_within.implements(RCRPState)
def rcrp_log_floor_within(state: RCRPState, items: Items, i: int, slot: int) -> float:
    return -math.inf


@log_ceiling.implements(RCRPState)
def rcrp_log_ceiling(state: RCRPState, items: Items, i: int) -> float:
    """With b earlier and f later members the weight is at most (2b + 1)(f + 1): docs/models.md shows why."""
    return math.log(2.0) + 2.0 * math.log(state.attached[0] + 1.0)


@settle.implements(RCRPState)
def rcrp_settle(state: RCRPState, items: Items, i: int, slot: int) -> None:
    """Epochs that no epoch from here on can see are dropped, but for the last one."""
    epochs = state.epochs
    epoch = int(items.times[i])
    while epochs.length[slot] > 1 and epoch - epochs.ids[epochs.start[slot]] >= len(state.fade):
        delete(epochs, slot, epochs.start[slot])


@unsettle.implements(RCRPState)
def rcrp_unsettle(state: RCRPState, items: Items, i: int, slot: int, left: int) -> None:
    """An epoch that nobody sees any more is not in the list; one without which the thread were torn in two stays."""
    epochs = state.epochs
    epoch = int(items.times[i])
    position = find(epochs, slot, epoch)
    state.attached[0] -= 1
    if position == epochs.start[slot] + epochs.length[slot] or epochs.ids[position] != epoch:
        return
    if epochs.counts[position] > 1 or epochs.length[slot] == 1:  # older epochs are not kept: the last stays, empty
        epochs.counts[position] -= 1
    elif whole_without(state, slot, position):
        delete(epochs, slot, position)
    remember(state, slot, position, epoch)


@keep.implements(RCRPState)
def rcrp_keep(state: RCRPState, items: Items, i: int, slot: int, count: int, value: float) -> None:
    epochs = state.epochs
    epoch = int(items.times[i])
    position = insert(epochs, slot, find(epochs, slot, epoch), epoch)
    epochs.counts[position] = count
    remember(state, slot, position, epoch)


@folded.register
def _folded(
    state: RCRPState, times: NDArray[np.float64], cursor: int, limit: float, settled: Any, last: NDArray[np.float64]
) -> Folded:
    where, slot = entries(state.epochs)
    old = state.epochs.ids[where] < limit
    where, slot = where[old], slot[old]
    epoch = state.epochs.ids[where].astype(np.float64)
    return Folded(slot, np.full(len(slot), NONE), epoch, state.epochs.counts[where], np.zeros(len(slot)))


@renumber.implements(RCRPState)
def rcrp_renumber(state: RCRPState, numbers: NDArray[np.int64], first: int) -> None:
    """No document is named here."""


@forget.implements(RCRPState)
def rcrp_forget(state: RCRPState, slot: int, size: int) -> None:
    while state.epochs.length[slot] > 0:
        delete(state.epochs, slot, state.epochs.start[slot] + state.epochs.length[slot] - 1)
    state.attached[0] -= size


@log_weight_at.implements(RCRPState)
def rcrp_log_weight_at(state: RCRPState, items: Items, slot: int, time: float) -> float:
    return log_weight_in(state, slot, int(time))


@fading_time.implements(RCRPState)
def rcrp_fading_time(state: RCRPState, items: Items, slot: int, log_weight: float) -> float:
    """The first epoch that the last one no longer reaches, whatever the weight: a thread lives until then (§5)."""
    last = state.epochs.ids[state.epochs.start[slot] + state.epochs.length[slot] - 1]
    return float(last + len(state.fade))


@log_weight_then.implements(RCRPState)
def rcrp_log_weight_then(state: RCRPState, items: Items, slot: int, time: float) -> float:
    return log_weight_in(state, slot, int(time))


@room_to_move.implements(RCRPState)
def rcrp_room_to_move(state: RCRPState, items: Items, sides: Sides, members: NDArray[np.int64], found: int) -> bool:
    longest = min(state.attached[0], state.epochs.top[0])
    return state.epochs.top[0] + 8 * (longest + 4) <= len(state.epochs.ids)


@log_follow.implements(RCRPState)
def rcrp_log_follow(state: RCRPState, items: Items, sides: Sides, s: int, i: int) -> float:
    """A document's value is its number in its epoch, from 1 on. Epochs are settled as a whole."""
    epochs, slot, size = state.epochs, sides.marks[0], sides.size[s]
    epoch = int(items.times[i])
    again = size > 0 and items.times[sides.documents[s, size - 1]] == items.times[i]
    sides.values[s, size] = sides.values[s, size - 1] + 1.0 if again else 1.0
    if settled_on(sides, s) + size == 0:
        return math.log(state.alpha)
    weight = 0.0
    if s != RIGHT:
        weight = history(state, epochs.start[slot], find(epochs, slot, int(items.times[sides.marks[2]])), epoch)
    m = size - 1
    while m >= 0 and epoch - items.times[sides.documents[s, m]] < len(state.fade):
        weight += state.fade[epoch - int(items.times[sides.documents[s, m]])] * sides.values[s, m]
        m -= int(sides.values[s, m])
    return log_or_minus_infinity(weight)


@log_limit.implements(RCRPState)
def rcrp_log_limit(state: RCRPState, size: int) -> float:
    """See `rcrp_log_ceiling`."""
    return math.log(2.0) + 2.0 * math.log(size + 1.0)


@kernel
def remember_all(state: RCRPState) -> None:
    """Bring all histories up to date."""
    epochs = state.epochs
    for slot in range(len(epochs.start)):
        first = epochs.start[slot]
        for e in range(first, first + epochs.length[slot]):
            epochs.values[e] = history(state, first, e, epochs.ids[e])
