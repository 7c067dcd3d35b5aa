"""Learned knobs: gradients against finite differences, optima against the truth on data drawn from the model."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import core
from core import generators
from core.samplers.evidence import Evidence, crp_evidence, rcrp_evidence, tdpm_evidence
from core.samplers.learn import group_words, learn_strength, maximise, sample_alpha

from . import naive

POSITIVE = st.floats(0.05, 5.0)


def check_slopes(evidence: Callable[[float, float], Evidence], alpha: float, decay: float) -> None:
    """Both derivatives against central differences."""
    step = 1e-5
    found = evidence(alpha, decay)
    by_alpha = (evidence(alpha + step, decay).value - evidence(alpha - step, decay).value) / (2 * step)
    by_decay = (evidence(alpha, decay + step).value - evidence(alpha, decay - step).value) / (2 * step)
    assert found.by_alpha == pytest.approx(by_alpha, rel=1e-5, abs=1e-5)
    assert found.by_decay == pytest.approx(by_decay, rel=1e-5, abs=1e-5)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), POSITIVE, POSITIVE)
def test_tdpm_evidence_and_its_gradient(seed: int, alpha: float, rate: float) -> None:
    drawn = generators.tdpm(n=25, rng=np.random.default_rng(seed))
    times = np.round(drawn.times)  # with ties
    expected = naive.tdpm(drawn.labels.tolist(), times.tolist(), alpha, lambda d: math.exp(-rate * d))
    assert tdpm_evidence(drawn.labels, times, alpha, rate).value == pytest.approx(expected, abs=1e-9)
    check_slopes(lambda a, r: tdpm_evidence(drawn.labels, times, a, r), alpha, rate)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), POSITIVE, POSITIVE, st.sampled_from([0, 1, 3, math.inf]))
def test_rcrp_evidence_and_its_gradient(seed: int, alpha: float, decay: float, width: float) -> None:
    rng = np.random.default_rng(seed)
    drawn = generators.rcrp_partition(epochs=7, size=4, alpha=1.0, decay=2.0, width=width, rng=rng)
    expected = naive.rcrp(drawn.labels.tolist(), drawn.times.tolist(), alpha, decay, width)
    assert rcrp_evidence(drawn.labels, drawn.times, alpha, decay, width).value == pytest.approx(expected, abs=1e-9)
    check_slopes(lambda a, d: rcrp_evidence(drawn.labels, drawn.times, a, d, width), alpha, decay)


def test_optimum_on_true_labels_is_near_the_truth() -> None:
    """Mean over 20 data sets within four standard errors, each knob."""
    found = []
    for seed in range(20):
        drawn = generators.tdpm(n=600, rng=np.random.default_rng(seed))
        times = drawn.times
        found.append(maximise(lambda z, a, r, t=times: tdpm_evidence(z, t, a, r), [drawn.labels], 1.0, 2.0, (), "rate"))  # type: ignore[misc]
    logs = np.log(found)
    error = logs.mean(axis=0) - np.log([0.2, 0.5])
    assert (np.abs(error) < 4 * logs.std(axis=0, ddof=1) / math.sqrt(20)).all()


def test_rcrp_optimum_on_true_labels_is_near_the_truth() -> None:
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        drawn = generators.rcrp_partition(epochs=40, size=40, alpha=2.0, decay=1.5, width=4, rng=rng)
        t = drawn.times
        found.append(maximise(lambda z, a, d, t=t: rcrp_evidence(z, t, a, d, 4), [drawn.labels], 1.0, 4.0, (), "decay"))  # type: ignore[misc]
    logs = np.log(found)
    error = logs.mean(axis=0) - np.log([2.0, 1.5])
    assert (np.abs(error) < 4 * logs.std(axis=0, ddof=1) / math.sqrt(20)).all()


def test_learning_recovers_all_knobs_of_tdpm() -> None:
    """From starting values off by a factor of four, labels unknown; benchmarks/learning.py states the spread."""
    drawn = generators.tdpm(n=600, vocabulary=30, words=30, strength=10.0, rng=np.random.default_rng(4))
    start = core.TDPM(0.8, core.Exponential(2.0)), core.DirichletMultinomial(40.0)
    learned = core.learn(*start, drawn.data, drawn.times, rounds=16, seed=2)
    assert learned.prior.alpha == pytest.approx(0.2, rel=0.4)
    assert learned.prior.kernel.rate == pytest.approx(0.5, rel=0.3)
    assert learned.likelihood.strength == pytest.approx(10.0, rel=0.3)


def test_fixed_knobs_stay_and_same_seed_repeats() -> None:
    drawn = generators.tdpm(n=80, rng=np.random.default_rng(4))
    start = core.TDPM(0.8, core.Exponential(2.0)), core.DirichletMultinomial(3.0)
    kept = core.learn(*start, drawn.data, drawn.times, rounds=4, seed=2, fixed=("alpha", "rate", "strength"))
    assert (kept.prior, kept.likelihood.strength) == (start[0], 3.0)
    half = core.learn(*start, drawn.data, drawn.times, rounds=4, seed=2, fixed=("rate",))
    again = core.learn(*start, drawn.data, drawn.times, rounds=4, seed=2, fixed=("rate",))
    assert half.prior.kernel.rate == 2.0
    assert half.prior.alpha != 0.8
    assert half.prior == again.prior
    assert (half.labels == again.labels).all()


def test_unknown_knob_is_refused() -> None:
    with pytest.raises(core.ArgumentError, match=r"^fixed names"):
        core.learn(core.CRP(1.0), core.DirichletMultinomial(1.0), [[1]], [0.0], seed=1, fixed=("beta",))


def test_strength_is_where_the_likelihood_peaks() -> None:
    rng = np.random.default_rng(6)
    base = rng.dirichlet(np.ones(40))
    theta = rng.dirichlet(25.0 * base, size=150)
    counts = np.array([rng.multinomial(60, p) for p in theta])
    best = learn_strength(group_words(counts, np.arange(150)), base)

    def log_likelihood(strength: float) -> float:
        return sum(naive.dirichlet_multinomial([row], (strength * base).tolist()) for row in counts.tolist())

    assert log_likelihood(best) > max(log_likelihood(best * 1.02), log_likelihood(best / 1.02))
    assert best == pytest.approx(25.0, rel=0.15)


def test_alpha_draws_follow_their_posterior() -> None:
    """Escobar and West's sampler against the posterior on a grid."""
    groups, documents, shape, rate = 6, 60, 1.0, 0.1
    rng = np.random.default_rng(8)
    alpha, draws = 1.0, []
    for _ in range(20_000):
        alpha = sample_alpha(alpha, groups, documents, rng, shape=shape, rate=rate)
        draws.append(alpha)
    grid = np.linspace(1e-3, 40, 40_000)
    logs = np.array([crp_evidence(groups, documents, a).value for a in grid]) + (shape - 1) * np.log(grid) - rate * grid
    weights = np.exp(logs - logs.max())
    mean = (grid * weights).sum() / weights.sum()
    sd = math.sqrt((grid**2 * weights).sum() / weights.sum() - mean**2)
    kept = np.array(draws[::10])  # thinned, so that draws count as independent
    assert abs(kept.mean() - mean) < 5 * sd / math.sqrt(len(kept))
    assert kept.std() == pytest.approx(sd, rel=0.15)
