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


def dense_path(points: Array, times: Array) -> tuple[Array, Array, Array]:
    """Posterior mean and covariance of the path at the distinct times: one dense joint Gaussian, conditioned."""
    when = np.unique(times)
    prior = 3.0 + 0.4 * (np.minimum.outer(when, when) - when[0])
    cross = 3.0 + 0.4 * (np.minimum.outer(when, times) - when[0])
    data = 3.0 + 0.4 * (np.minimum.outer(times, times) - when[0]) + 0.5 * np.eye(len(times))
    gain = np.linalg.solve(data, cross.T).T
    return when, gain @ points, prior - gain @ cross.T


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_smoother_is_the_dense_gaussian(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    times = np.sort(rng.choice([0.0, 1.0, 2.5, 3.0, 7.0], n))
    data = rng.normal(0.0, 2.0, (n, 2))
    labels = rng.choice([4, 9], n)
    paths = core.smooth(CHAIN, data, times, labels)
    assert set(paths) == set(labels.tolist())
    for label, path in paths.items():
        when, mean, covariance = dense_path(data[labels == label], times[labels == label])
        assert path.times.tolist() == when.tolist()
        assert path.mean == pytest.approx(mean, abs=1e-9)
        assert path.variance == pytest.approx(np.repeat(np.diag(covariance)[:, None], 2, 1), abs=1e-9)


def test_paths_are_drawn_from_the_dense_gaussian() -> None:
    """Mean and covariance of many draws, within what so many draws leave to chance."""
    times = np.array([0.0, 1.0, 1.0, 4.0])
    data = np.random.default_rng(5).normal(0.0, 2.0, (4, 1))
    draws = np.array([core.draw_paths(CHAIN, data, times, [0, 0, 0, 0], seed=s)[0][:, 0] for s in range(4000)])
    _, mean, covariance = dense_path(data, times)
    deviation = np.sqrt(np.diag(covariance))
    assert (np.abs(draws.mean(axis=0) - mean[:, 0]) < 5 * deviation / math.sqrt(4000)).all()
    error = np.abs(np.cov(draws.T) - covariance) / np.outer(deviation, deviation)
    assert (error < 5 * math.sqrt(2 / 4000)).all()


@pytest.mark.parametrize("likelihood", [core.Gaussian(1.0, 1.0), core.DirichletMultinomial(1.0)])
def test_only_chains_have_paths(likelihood: Any) -> None:
    with pytest.raises(core.ArgumentError, match="likelihood"):
        core.smooth(likelihood, np.ones((2, 2)), [0.0, 1.0], [0, 0])


# Words. With two of them only δ = φ_0 − φ_1 matters, which walks in one dimension: a grid integrates it out.

GRID = np.linspace(-20.0, 20.0, 4001)
SPREAD, DRIFT = 1.5, 0.3
WORDS = core.LogisticNormalChain(SPREAD, DRIFT, [0.6, 0.4])


def log_normal(x: Array, mean: Array | float, variance: float) -> Array:
    return np.asarray(-0.5 * (np.log(2 * math.pi * variance) + (x - mean) ** 2 / variance))


def integrated(documents: Array, times: Array, mean: float, spread: float, drift: float) -> tuple[float, Array]:
    """log p of one thread's documents of two words, and the density of δ at the last time, on the grid."""
    step = GRID[1] - GRID[0]
    belief = np.exp(log_normal(GRID, mean, 2 * spread))
    total = 0.0
    for i, (one, other) in enumerate(documents.tolist()):
        if i and times[i] > times[i - 1]:
            reach = 10 * math.sqrt(2 * drift * (times[i] - times[i - 1]))
            lags = np.arange(-reach, reach + step / 2, step)
            kernel_ = np.exp(log_normal(lags, 0.0, 2 * drift * (times[i] - times[i - 1])))
            belief = np.convolve(belief, kernel_ / kernel_.sum(), mode="same")
        belief = belief * np.exp(-one * np.logaddexp(0, -GRID) - other * np.logaddexp(0, GRID))
        share = belief.sum() * step
        total += math.log(share)
        belief /= share
    return total, belief


@pytest.mark.parametrize("variance", [0.01, 0.3, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("document", [(1, 0), (1, 1), (3, 1), (10, 2), (50, 50), (60, 0)])
def test_laplace_is_the_integral_in_one_dimension(document: tuple[int, int], variance: float) -> None:
    """The error grows with what the words leave open: for variances up to 1 it is below 0.05 nats."""
    likelihood = core.LogisticNormalChain(variance, 0.0, [0.6, 0.4])
    ours = core.log_joint(core.CRP(1.0), likelihood, np.array([document]), [0.0], [0])
    exact, _ = integrated(np.array([document]), np.zeros(1), math.log(1.5), variance, 0.0)
    assert ours == pytest.approx(exact, abs=0.05 if variance <= 1.0 else 0.15)


def test_walking_words_are_integrated_well() -> None:
    rng = np.random.default_rng(8)
    times = np.array([0.0, 0.0, 1.0, 2.0, 2.0, 3.0])
    data = rng.multinomial(30, [0.7, 0.3], 6)
    ours = core.log_joint(core.CRP(1.0), WORDS, data, times, np.zeros(6, int)) - math.lgamma(6)
    exact, belief = integrated(data, times, math.log(1.5), SPREAD, DRIFT)
    assert ours == pytest.approx(exact, abs=0.1)
    path = core.smooth(WORDS, data, times, np.zeros(6, int))[0]
    mean = (belief * GRID).sum() / belief.sum()
    variance = (belief * (GRID - mean) ** 2).sum() / belief.sum()
    assert path.mean[-1, 0] - path.mean[-1, 1] == pytest.approx(mean, abs=0.15 * math.sqrt(variance))
    assert path.variance[-1].sum() == pytest.approx(variance, rel=0.15)


def test_draws_of_walking_words_are_near_the_exact_posterior() -> None:
    """Every partition integrated on the grid; what is left over the sampler's noise is Laplace's error."""
    prior = next(case for case in PRIORS if case.name == "rcrp-1.5-2")
    times = np.array([0.0, 1.0, 1.0, 2.0])
    data = np.array([[9, 3], [2, 10], [10, 2], [6, 6]])
    logs = {}
    for z in naive.partitions(4):
        logs[z] = prior.reference(z, times.tolist())
        for group in naive.groups(z):
            logs[z] += integrated(data[group], times[group], math.log(1.5), SPREAD, DRIFT)[0]
    best = max(logs.values())
    total = sum(math.exp(value - best) for value in logs.values())
    posterior = {z: math.exp(value - best) / total for z, value in logs.items()}
    samples = core.sample(prior.prior, WORDS, data, times, draws=DRAWS, burn_in=50, lag=LAG, seed=4)
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS) + 0.03
