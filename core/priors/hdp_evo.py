"""HDP-EVO (Xu et al. 2008, eq. 9-18): documents sit at tables of their epoch, tables of all epochs share dishes.

A document of epoch t joins a table of its epoch with weight n_{t,tab} or opens one with α. A table serves dish k with
weight m_{t,k} + w_{t,k}, or a new one with γ; m counts tables, and w_{t,k} = Σ_{τ<t} e^{−η(t−τ)} m_{τ,k}. A thread is a
dish. Tables thus choose dishes as documents choose threads in RCRP(γ, 1/η, ∞), up to the denominators: the number of
tables is not given, so Π_t 1 / (γ + w_t)_{m_t} (rising factorial) belongs to the joint.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..index import log_rising
from ..items import positive
from ..jit import helper
from .rcrp import RCRP


@dataclass(frozen=True)
class HDPEvo:
    """alpha: > 0, documents' concentration of tables. gamma: > 0, tables' concentration of dishes. eta: η, by which a
    dish's weight fades per epoch, >= 0 (0: never; the hierarchical Dirichlet process)."""

    alpha: float
    gamma: float
    eta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", positive("alpha", self.alpha))
        object.__setattr__(self, "gamma", positive("gamma", self.gamma))
        object.__setattr__(self, "eta", positive("eta", self.eta, zero=True))

    @property
    def dishes(self) -> RCRP:
        """How tables choose dishes."""
        return RCRP(self.gamma, 1.0 / self.eta if self.eta > 0.0 else math.inf, math.inf)

    def reach(self, nats: float) -> float:
        """Epochs beyond which a table weighs less than e^-nats."""
        return nats / self.eta if self.eta > 0.0 else math.inf


class Tables(NamedTuple):
    """Number of tables by epoch (0, 1, … for those that occur), and the summed weight of the tables before."""

    gamma: float
    number: NDArray[np.float64]  # of each epoch
    fade: NDArray[np.float64]  # (epochs, epochs): [τ, t] what a table of epoch τ weighs in t, 0 unless τ < t
    opened: NDArray[np.int64]  # m_t
    weight: NDArray[np.float64]  # Σ_k w_{t,k}


def no_tables(prior: HDPEvo, epochs: NDArray[np.float64]) -> Tables:
    """None in any of the epochs, which are ascending."""
    age = epochs[None, :] - epochs[:, None]
    fade = np.where(age > 0.0, np.exp(-prior.eta * np.abs(age)), 0.0)
    return Tables(prior.gamma, epochs, fade, np.zeros(len(epochs), np.int64), np.zeros(len(epochs)))


@helper
def add_table(tables: Tables, epoch: int, change: int) -> None:
    """One table more (1) or less (−1) in an epoch."""
    tables.opened[epoch] += change
    for later in range(epoch + 1, len(tables.opened)):
        tables.weight[later] += change * tables.fade[epoch, later]


@helper
def log_dilution(tables: Tables, epoch: int) -> float:
    """What one table more in an epoch costs through the denominators, those of later epochs included."""
    total = -math.log(tables.gamma + tables.weight[epoch] + tables.opened[epoch])
    for later in range(epoch + 1, len(tables.opened)):
        if tables.opened[later] > 0:
            base = tables.gamma + tables.weight[later]
            total -= log_rising(base + tables.fade[epoch, later], tables.opened[later])
            total += log_rising(base, tables.opened[later])
    return total
