"""Threads whose parameters walk: against dense Gaussians, exact posteriors and numerical integration."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import core
from core.contracts import log_score_in, log_score_within
from core.items import canonical
from core.jit import kernel
from core.samplers.labelling import Labelling

from . import naive
from .models import PRIORS, PriorCase
from .test_enumeration import DRAWS, LAG, noise_floor, total_variation

CHAIN = core.GaussianChain(0.5, 3.0, 0.4)
EVOLVING = [case for case in PRIORS if case.name in ("rcrp-1.5-2", "rcrp-0.8-1", "crp", "tdpm-exponential")]
Array = NDArray[Any]


def naive_joint(prior: PriorCase, data: Array, times: Array, labels: Any) -> float:
    total = prior.reference(list(labels), list(times))
    for group in naive.groups(list(labels)):
        total += naive.gaussian_chain(data[group].tolist(), times[group].tolist(), 0.5, 3.0, 0.4)
    return total


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(EVOLVING), st.integers(0, 2**32 - 1), st.integers(2, 8), st.sampled_from([0.3, 1.0, 3.0]))
def test_scores_are_differences_of_dense_joints(prior: PriorCase, seed: int, n: int, gap: float) -> None:
    """Births moved earlier and later, gaps, ties: every document of a labelling against every thread."""
    rng = np.random.default_rng(seed)
    times = np.floor(np.cumsum(rng.exponential(gap, n)))
    data = rng.normal(0.0, 2.0, (n, 2))
    labels = rng.integers(0, 3, n)
    while math.isinf(prior.reference(labels.tolist(), times.tolist())):
        labels[rng.integers(n)] = labels.max() + 1
    labels = canonical(labels)
    labelling = Labelling(prior.prior, CHAIN, CHAIN.items(data, times), 2)
    labelling.load(np.arange(n), labels)
    for i in range(n):
        keep = np.arange(n) != i
        if math.isinf(prior.reference(labels[keep].tolist(), times[keep].tolist())):
            continue
        within = score_within(labelling.likelihood, labelling.items, i, int(labels[i]))
        labelling.unload(np.array([i]))
        slots, scores, new = labelling.scores(i)
        moved = labels.copy()
        moved[i] = labels.max() + 1
        base = naive_joint(prior, data, times, moved)
        for slot, score in zip(slots, scores, strict=True):
            moved[i] = slot
            assert score - new == pytest.approx(naive_joint(prior, data, times, moved) - base, abs=1e-8)
            if slot == labels[i]:
                assert within == pytest.approx(float(score_in(labelling.likelihood, labelling.items, i, slot)))
        labelling.load(np.array([i]), labels[i : i + 1])


@kernel
def score_within(likelihood: Any, items: Any, i: int, slot: int) -> float:
    return log_score_within(likelihood, items, i, slot)


@kernel
def score_in(likelihood: Any, items: Any, i: int, slot: int) -> float:
    return log_score_in(likelihood, items, i, slot)


@pytest.mark.parametrize("prior", EVOLVING, ids=lambda case: case.name)
def test_draws_follow_the_exact_posterior(prior: PriorCase) -> None:
    rng = np.random.default_rng(3)
    times = np.array([0.0, 1.0, 1.0, 2.0, 4.0])
    data = rng.normal(0.0, 1.5, (5, 2))
    logs = {z: naive_joint(prior, data, times, z) for z in naive.partitions(5)}
    best = max(logs.values())
    total = sum(math.exp(value - best) for value in logs.values())
    posterior = {z: math.exp(value - best) / total for z, value in logs.items()}
    samples = core.sample(prior.prior, CHAIN, data, times, draws=DRAWS, burn_in=50, lag=LAG, seed=4)
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)


def test_without_drift_it_is_gaussian() -> None:
    rng = np.random.default_rng(1)
    data, times = rng.normal(size=(20, 3)), np.floor(np.arange(20.0) / 4)
    labels = rng.integers(0, 4, 20)
    prior = core.RCRP(1.0, 2.0, math.inf)
    still = core.log_joint(prior, core.Gaussian(0.5, 3.0), data, times, labels)
    assert core.log_joint(prior, core.GaussianChain(0.5, 3.0, 0.0), data, times, labels) == pytest.approx(still)
