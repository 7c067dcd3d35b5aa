"""Learning the knobs of ADDCRP: alpha and the rate under which the labels are likeliest, normalisers and all."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contracts import attach, log_new, log_predictive, room
from ..growth import grow
from ..items import Items
from ..jit import kernel
from ..kernels import Exponential
from ..priors.addcrp import ADDCRP
from .evidence import Labels
from .learn import ALPHAS, RATES, blend, step_of
from .nearby import best_near

LEAST = -1e18  # nats, for labels that are impossible: the search cannot do with infinity


def log_prior(prior: ADDCRP, items: Items, labels: Labels) -> float:
    """log P(labels) of labels 0, 1, …"""
    groups = int(labels.max()) + 1
    state, total, born = prior.start(items, groups), np.zeros(1), np.zeros(groups, np.bool)
    done = _labels_kernel(state, items, labels, born, total, 0)
    while done < len(labels):
        state = grow(state)
        done = _labels_kernel(state, items, labels, born, total, done)
    return float(total[0])


@kernel
def _labels_kernel(
    state: Any, items: Items, labels: Labels, born: NDArray[np.bool], total: NDArray[np.float64], begin: int
) -> int:
    """Attach documents in order and add up the log weights of their threads given what is earlier; returns where the
    state was full."""
    for i in range(begin, len(labels)):
        slot = labels[i]
        if not room(state, items, i):
            return i
        total[0] += log_predictive(state, items, i, slot) if born[slot] else log_new(state, items, i)
        born[slot] = True
        attach(state, items, i, slot)
    return len(labels)


@step_of.register
def step_addcrp(
    prior: ADDCRP, run: Any, samples: list[Labels], fixed: Collection[str], rng: np.random.Generator, step: float
) -> ADDCRP:
    """One knob after the other, as the two hardly trade off."""
    if not isinstance(prior.kernel, Exponential):
        return prior

    def evidence(alpha: float, rate: float) -> float:
        knobs = replace(prior, alpha=alpha, kernel=Exponential(rate))
        return max(log_prior(knobs, run.items, samples[-1]), LEAST)

    alpha, rate = prior.alpha, prior.kernel.rate
    if "alpha" not in fixed:
        alpha = blend(alpha, best_near(alpha, ALPHAS, lambda value: evidence(value, rate)), step)
    if "rate" not in fixed:
        rate = blend(rate, best_near(rate, RATES, lambda value: evidence(alpha, value)), step)
    return replace(prior, alpha=alpha, kernel=Exponential(rate))
