"""Every prior and likelihood that the suites run on, each with its naive reference."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import core

from . import naive

DISTANCES = ("mean", "weighted", "nearest")
LogPrior = Callable[[Sequence[int], Sequence[float]], float]


class PriorCase(NamedTuple):
    """A prior, its reference, and whether its times are epochs."""

    name: str
    prior: Any
    reference: LogPrior
    epochs: bool = False


def _tdpm(name: str, kernel: Any, decay: naive.Decay, alpha: float = 0.7) -> PriorCase:
    return PriorCase(name, core.TDPM(alpha, kernel), lambda z, t: naive.tdpm(z, t, alpha, decay))


def _rcrp(alpha: float, decay: float, width: float) -> PriorCase:
    name = f"rcrp-{decay}-{width}"
    return PriorCase(name, core.RCRP(alpha, decay, width), lambda z, t: naive.rcrp(z, t, alpha, decay, width), True)


def _addcrp(distance: str, name: str, kernel: Any, decay: naive.Decay, alpha: float = 0.7) -> PriorCase:
    return PriorCase(
        f"addcrp-{distance}-{name}",
        core.ADDCRP(alpha, kernel, distance),
        lambda z, t: naive.addcrp(z, t, alpha, decay, distance),
    )


PRIORS = [
    PriorCase("crp", core.CRP(0.7), lambda z, t: naive.crp(z, t, 0.7)),
    _tdpm("tdpm-exponential", core.Exponential(0.5), lambda d: math.exp(-0.5 * d)),
    _tdpm("tdpm-exponential-fast", core.Exponential(3.0), lambda d: math.exp(-3.0 * d), 2.0),
    _tdpm("tdpm-step", core.Step(), lambda d: 1.0),
    _tdpm("tdpm-window", core.Window(2.0), lambda d: 1.0 if d <= 2.0 else 0.0),
    _tdpm("tdpm-logistic", core.Logistic(1.5, 0.6), lambda d: 1.0 / (1.0 + math.exp((d - 1.5) / 0.6))),
    _tdpm(
        "tdpm-periodic",
        core.Periodic(3.0, 2.0, 0.1),
        lambda d: math.exp(2.0 * (math.cos(2 * math.pi * d / 3.0) - 1.0) - 0.1 * d),
    ),
    _rcrp(0.7, 1.5, 2),
    _rcrp(0.7, 0.8, 1),
    _rcrp(1.3, 1.0, 0),
    _rcrp(0.7, 2.0, math.inf),
    _rcrp(0.7, math.inf, math.inf),
    *(_addcrp(name, "exponential", core.Exponential(0.5), lambda d: math.exp(-0.5 * d)) for name in DISTANCES),
    _addcrp("mean", "window", core.Window(2.0), lambda d: 1.0 if d <= 2.0 else 0.0, 1.3),
    _addcrp("weighted", "logistic", core.Logistic(1.5, 0.6), lambda d: 1.0 / (1.0 + math.exp((d - 1.5) / 0.6))),
]


class LikelihoodCase(NamedTuple):
    """A likelihood, its reference over one group's rows, and how to make rows of some contrast."""

    name: str
    likelihood: Any
    reference: Callable[[Sequence[Any]], float]
    rows: Callable[[np.random.Generator, int], NDArray[Any]]


def _words(strength: float, base: Sequence[float] | None, length: int) -> LikelihoodCase:
    mass = [strength * m for m in (base or [1 / 3] * 3)]

    def rows(rng: np.random.Generator, n: int) -> NDArray[Any]:
        return rng.multinomial(length, [0.5, 0.3, 0.2], size=n) if length else rng.integers(0, 2, (n, 3))

    name = f"words-{strength}-{length}" + ("-base" if base else "")
    return LikelihoodCase(
        name, core.DirichletMultinomial(strength, base), lambda x: naive.dirichlet_multinomial(x, mass), rows
    )


def _sparse_words(strength: float, vocabulary: int) -> LikelihoodCase:
    """Documents of two words, many of which share none: the case that the inverted index does not score one by one."""

    def rows(rng: np.random.Generator, n: int) -> NDArray[Any]:
        counts = np.zeros((n, vocabulary), np.int64)
        for i in range(n):
            counts[i, rng.choice(vocabulary, 2, replace=False)] = rng.integers(1, 3, 2)
        return counts

    mass = [strength / vocabulary] * vocabulary
    return LikelihoodCase(
        f"words-sparse-{strength}",
        core.DirichletMultinomial(strength),
        lambda x: naive.dirichlet_multinomial(x, mass),
        rows,
    )


def _points(noise: float, spread: float) -> LikelihoodCase:
    return LikelihoodCase(
        f"points-{noise}-{spread}",
        core.Gaussian(noise, spread),
        lambda x: naive.gaussian(x, noise, spread),
        lambda rng, n: rng.normal(size=(n, 2)),
    )


# Weak likelihoods say little about the labels, informative ones much.
LIKELIHOODS = [
    _words(3.0, None, 0),
    _words(1.5, [0.2, 0.3, 0.5], 6),
    _sparse_words(20.0, 6),
    _points(25.0, 1.0),
    _points(0.5, 3.0),
]


def times_for(case: PriorCase, rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Sorted times with a tie; for epochs whole numbers with a shared and an unused one."""
    if case.epochs:
        return np.array([0.0, 1.0, 1.0, 2.0, 4.0, 5.0])[:n]
    times = np.sort(rng.uniform(0, 6, n))
    times[n // 2] = times[n // 2 - 1]
    return times


def log_joint(prior: PriorCase, likelihood: LikelihoodCase, data: Any, times: Any, labels: Sequence[int]) -> float:
    """The naive log joint."""
    total = prior.reference(labels, list(times))
    rows = data.tolist()
    return total + sum(likelihood.reference([rows[i] for i in group]) for group in naive.groups(labels))
