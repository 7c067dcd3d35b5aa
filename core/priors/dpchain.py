"""DPChain (Xu et al. 2008, eq. 3-8): a Dirichlet process mixture for each epoch, chained by the threads' decayed sizes.

A thread enters epoch t with the weight w_{t,k} = Σ_{τ<t} e^{−η(t−τ)} n_{τ,k}; a document of the epoch joins it with
weight w_{t,k} + n_{t,k} or starts a new one with α. The state here is that of one epoch: of what came before it knows
only weights. Within the epoch documents are exchangeable, so the conditional is the predictive weight.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..contracts import (
    attach,
    detach,
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
from ..growth import grow, widen
from ..index import log_of_count
from ..items import Items, positive
from ..jit import log_or_minus_infinity


@dataclass(frozen=True)
class DPChain:
    """alpha: concentration, > 0, documents. eta: η, by which a thread's weight fades per epoch, >= 0 (0: never)."""

    alpha: float
    eta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", positive("alpha", self.alpha))
        object.__setattr__(self, "eta", positive("eta", self.eta, zero=True))

    def start(self, items: Items, capacity: int) -> "DPChainState":
        """The state of an epoch without a past and with no document attached."""
        return DPChainState(
            self.alpha, np.zeros(capacity), np.zeros(1, np.int64), np.zeros(capacity, np.int64), np.zeros(1, np.int64)
        )

    def fade(self, epochs: float) -> float:
        """What is left of a weight after so many epochs."""
        return math.exp(-self.eta * epochs)

    def reach(self, nats: float) -> float:
        """Epochs beyond which a document weighs less than e^-nats."""
        return nats / self.eta if self.eta > 0.0 else math.inf


class DPChainState(NamedTuple):
    """w_{t,k} and n_{t,k} by slot."""

    alpha: float
    weight: NDArray[np.float64]
    places: NDArray[np.int64]  # [0]: Σ_k of w_{t,k} rounded up, the places that threads of the past hold
    size: NDArray[np.int64]
    attached: NDArray[np.int64]  # [0]: documents in all slots


def with_past(state: DPChainState, weights: NDArray[np.float64]) -> DPChainState:
    """The same documents after a past in which slot k has the weight weights[k]."""
    padded = np.pad(weights, (0, len(state.size) - len(weights)))
    return state._replace(weight=padded, places=np.array([places(weights).sum()]))


def places(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many documents of the past a thread's slot counts, so that its size is a bound on its weight."""
    return np.ceil(weights).astype(np.int64)


@widen.register
def _widen(state: DPChainState, capacity: int) -> DPChainState:
    more = (0, capacity - len(state.size))
    return state._replace(weight=np.pad(state.weight, more), size=np.pad(state.size, more))


@grow.register
def _grow(state: DPChainState) -> DPChainState:
    return state


@room.implements(DPChainState)
def dpchain_room(state: DPChainState, items: Items, i: int) -> bool:
    return True


@attach.implements(DPChainState)
def dpchain_attach(state: DPChainState, items: Items, i: int, slot: int) -> None:
    state.size[slot] += 1
    state.attached[0] += 1


@detach.implements(DPChainState)
def dpchain_detach(state: DPChainState, items: Items, i: int, slot: int) -> None:
    state.size[slot] -= 1
    state.attached[0] -= 1


@removable.implements(DPChainState)
def dpchain_removable(state: DPChainState, items: Items, i: int, slot: int) -> bool:
    return True


@log_new.implements(DPChainState)
def dpchain_log_new(state: DPChainState, items: Items, i: int) -> float:
    return math.log(state.alpha)


@log_predictive.implements(DPChainState)
def dpchain_log_predictive(state: DPChainState, items: Items, i: int, slot: int) -> float:
    return log_or_minus_infinity(state.weight[slot] + state.size[slot])


@log_conditional.implements(DPChainState)
def dpchain_log_conditional(state: DPChainState, items: Items, i: int, slot: int) -> float:
    return log_or_minus_infinity(state.weight[slot] + state.size[slot])


@log_conditional_within.implements(DPChainState)
def dpchain_log_conditional_within(state: DPChainState, items: Items, i: int, slot: int) -> float:
    return log_or_minus_infinity(state.weight[slot] + state.size[slot] - 1.0)


@log_floor_within.implements(DPChainState)
def dpchain_log_floor_within(state: DPChainState, items: Items, i: int, slot: int) -> float:
    return log_or_minus_infinity(state.weight[slot] + state.size[slot] - 1.0)


@log_ceiling.implements(DPChainState)
def dpchain_log_ceiling(state: DPChainState, items: Items, i: int) -> float:
    return log_of_count(state.places[0] + state.attached[0])


@log_limit.implements(DPChainState)
def dpchain_log_limit(state: DPChainState, size: int) -> float:
    """A slot's size contains the places of the past."""
    return log_of_count(size)
