"""The sampler against the exact posterior over all partitions, with random scan.

The noise floor is computed, not guessed: perfect samplers are simulated, independent draws from the exact posterior,
and the total variation of theirs gives the mean and spread that a right sampler must stay within. Draws are LAG sweeps
apart, which for so few documents makes them as good as independent.
"""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import core
from core.items import canonical
from core.samplers.labelling import Labelling

from . import naive
from .models import LIKELIHOODS, PRIORS, LikelihoodCase, PriorCase, log_joint, times_for

N = 5
DRAWS = 10_000
LAG = 6
DEVIATIONS = 6.0  # standard deviations above a perfect sampler's mean: below one in 10^8 by chance

Posterior = dict[tuple[int, ...], float]
Array = NDArray[Any]


def exact(prior: PriorCase, likelihood: LikelihoodCase, data: Array, times: Array) -> Posterior:
    """The posterior over all partitions."""
    logs = {z: log_joint(prior, likelihood, data, times, z) for z in naive.partitions(len(times))}
    best = max(logs.values())
    weights = {z: math.exp(value - best) for z, value in logs.items()}
    total = sum(weights.values())
    return {z: weight / total for z, weight in weights.items()}


def noise_floor(posterior: Posterior, draws: int) -> float:
    """The total variation that a perfect sampler stays below."""
    p = np.array(list(posterior.values()))
    counts = np.random.default_rng(0).multinomial(draws, p, size=500)
    distances = 0.5 * np.abs(counts / draws - p).sum(axis=1)
    return float(distances.mean() + DEVIATIONS * distances.std())


def total_variation(posterior: Posterior, samples: Array) -> float:
    """Between the posterior and the draws; labels are already named by first appearance."""
    counts = Counter(map(tuple, samples.tolist()))
    assert set(counts) <= set(posterior)
    return 0.5 * sum(abs(p - counts[z] / len(samples)) for z, p in posterior.items())


def problem(prior: PriorCase, likelihood: LikelihoodCase, n: int = N) -> tuple[Array, Array]:
    rng = np.random.default_rng(7)
    return likelihood.rows(rng, n), times_for(prior, rng, n)


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda case: case.name)
@pytest.mark.parametrize("prior", PRIORS, ids=lambda case: case.name)
def test_draws_follow_the_exact_posterior(prior: PriorCase, likelihood: LikelihoodCase) -> None:
    data, times = problem(prior, likelihood)
    posterior = exact(prior, likelihood, data, times)
    samples = core.sample(prior.prior, likelihood.likelihood, data, times, draws=DRAWS, burn_in=50, lag=LAG, seed=11)
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)


@pytest.mark.parametrize("scan", ["forward", "random"])
@pytest.mark.parametrize("name", ["tdpm-exponential", "rcrp-1.5-2"])
def test_six_documents_and_either_scan(name: str, scan: str) -> None:
    prior = next(case for case in PRIORS if case.name == name)
    likelihood = LIKELIHOODS[1]
    data, times = problem(prior, likelihood, 6)
    posterior = exact(prior, likelihood, data, times)
    samples = core.sample(
        prior.prior, likelihood.likelihood, data, times, draws=DRAWS, burn_in=50, lag=LAG, seed=12, scan=scan
    )
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)


def sample_past_only(prior: PriorCase, likelihood: LikelihoodCase, data: Array, times: Array, forward: bool) -> Array:
    """The classic mutant: sweeps with the predictive weights in place of the full conditional."""
    rng = np.random.default_rng(11)
    items = likelihood.likelihood.items(data, times)
    labelling = Labelling(prior.prior, likelihood.likelihood, items, data.shape[1])
    samples = np.empty((DRAWS, len(times)), np.int64)
    for d in range(DRAWS):
        for _ in range(LAG):
            order = np.arange(len(times)) if forward else rng.permutation(len(times))
            labelling.sweep(order, rng.random(len(times)), full=False)
        samples[d] = canonical(labelling.labels)
    return samples


@pytest.mark.parametrize("likelihood", [LIKELIHOODS[0], LIKELIHOODS[-1]], ids=lambda case: case.name)
@pytest.mark.parametrize("name", ["tdpm-exponential", "rcrp-1.5-2"])
def test_past_weights_alone_are_caught(name: str, likelihood: LikelihoodCase) -> None:
    prior = next(case for case in PRIORS if case.name == name)
    data, times = problem(prior, likelihood)
    posterior = exact(prior, likelihood, data, times)
    samples = sample_past_only(prior, likelihood, data, times, forward=False)
    assert total_variation(posterior, samples) > 3 * noise_floor(posterior, DRAWS)
