"""Learned knobs: gradients against finite differences, optima against the truth on data drawn from the model."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import gammaln

import core
from core import generators
from core.items import canonical
from core.samplers.evidence import Evidence, crp_evidence, rcrp_evidence, tdpm_alpha_evidence, tdpm_evidence
from core.samplers.learn import group_words, learn_strength, maximise, sample_alpha
from core.samplers.learn_ages import log_prior
from core.samplers.learn_epochs import best_eta, epochs_with_past, sample_concentration
from core.samplers.nearby import best_near

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


@pytest.mark.parametrize(
    ("away", "limits", "expected"),
    [
        (0.0, (1e-6, 1e6), 0.0),
        (-0.3, (1e-6, 1e6), -0.3),
        (1.9, (1e-6, 1e6), 1.9),
        (9.0, (1e-6, 1e6), math.log(16.0)),  # no farther than that at a time
        (1.9, (1e-6, 2.0), math.log(2.0)),
        (-0.3, (1.0, 1e6), 0.0),
    ],
)
def test_the_best_nearby_is_found_roughly(away: float, limits: tuple[float, float], expected: float) -> None:
    found = best_near(1.0, limits, lambda x: -math.cosh(math.log(x) - away))
    assert math.log(found) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("settled", [0, 6])
def test_tdpm_evidence_by_alpha_alone_differs_by_a_constant(settled: int) -> None:
    drawn = generators.tdpm(n=25, rng=np.random.default_rng(4))
    weights = np.linspace(0.0, 2.0, settled)
    by_alpha = tdpm_alpha_evidence(drawn.labels, drawn.times, 0.3, weights)
    whole = [tdpm_evidence(drawn.labels, drawn.times, alpha, 0.3, weights).value for alpha in (0.1, 5.0)]
    assert by_alpha(5.0) - by_alpha(0.1) == pytest.approx(whole[1] - whole[0], abs=1e-9)


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


def test_concentration_draws_follow_their_posterior_after_a_past() -> None:
    """Several epochs, each with a weight from those before: against the posterior on a grid."""
    groups, sizes, past, shape, rate = 5, np.array([8.0, 3.0, 12.0]), np.array([0.0, 4.0, 2.5]), 1.0, 0.1
    rng = np.random.default_rng(9)
    value, draws = 1.0, []
    for _ in range(20_000):
        value = sample_concentration(value, groups, sizes, past, rng, shape=shape, rate=rate)
        draws.append(value)
    grid = np.linspace(1e-3, 60, 60_000)
    logs = (shape - 1 + groups) * np.log(grid) - rate * grid
    for n, w in zip(sizes, past, strict=True):
        logs -= gammaln(grid + w + n) - gammaln(grid + w)
    weights = np.exp(logs - logs.max())
    mean = (grid * weights).sum() / weights.sum()
    sd = math.sqrt((grid**2 * weights).sum() / weights.sum() - mean**2)
    kept = np.array(draws[::10])
    assert abs(kept.mean() - mean) < 5 * sd / math.sqrt(len(kept))
    assert kept.std() == pytest.approx(sd, rel=0.15)


def hdp_evo_words(
    rng: np.random.Generator, alpha: float, gamma: float, eta: float, epochs: int = 12, size: int = 60
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Documents of 40 words from HDP-EVO, seated one after the other; threads of very different words. Last, epoch and
    dish of each table."""
    served: list[tuple[int, int]] = []  # epoch and dish of each table
    labels = []
    for t in range(epochs):
        sizes: list[int] = []
        first = len(served)
        for _ in range(size):
            table = rng.choice(len(sizes) + 1, p=np.array([*sizes, alpha]) / (sum(sizes) + alpha))
            if table == len(sizes):
                dishes = 1 + max((dish for _, dish in served), default=-1)
                weights = np.zeros(dishes + 1)
                for epoch, dish in served:
                    weights[dish] += math.exp(-eta * (t - epoch))
                weights[-1] = gamma
                served.append((t, int(rng.choice(dishes + 1, p=weights / weights.sum()))))
                sizes.append(0)
            sizes[table] += 1
            labels.append(served[first + table][1])
    theta = rng.dirichlet(np.full(20, 0.2), size=max(labels) + 1)
    data = np.array([rng.multinomial(40, theta[k]) for k in labels])
    return data, np.repeat(np.arange(float(epochs)), size), np.array(served)


def knobs_of_tables(served: NDArray[np.int64], rng: np.random.Generator) -> tuple[float, float]:
    """Mean logs of γ and η with the true tables known."""
    epochs, dishes = served[:, 0].astype(np.float64), canonical(served[:, 1])
    gamma, eta, logs = 2.0, 0.5, []
    for _ in range(100):
        gamma = sample_concentration(gamma, int(dishes.max()) + 1, *epochs_with_past(epochs, eta), rng)
        eta = best_eta([(dishes, epochs)], gamma, eta)
        logs.append((math.log(gamma), math.log(eta)))
    return tuple(np.mean(logs[20:], axis=0).tolist())


def test_learning_finds_the_knobs_of_hdp_evo() -> None:
    """From starts three times off; γ and η against what the true tables tell, which for so few is not quite the truth.
    Mean differences over data sets within four standard errors."""
    differences = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        data, times, served = hdp_evo_words(rng, alpha=3.0, gamma=2.0, eta=0.5)
        start = core.HDPEvo(1.0, 6.0, 1.5), core.DirichletMultinomial(4.0)
        learned = core.learn(*start, data, times, rounds=30, seed=seed, fixed=("strength",)).prior
        told = math.log(3.0), *knobs_of_tables(served, rng)
        differences.append(np.log([learned.alpha, learned.gamma, learned.eta]) - told)
    error = np.abs(np.mean(differences, axis=0))
    assert (error < 4 * np.std(differences, axis=0, ddof=1) / math.sqrt(len(differences))).all()


def test_learning_finds_alpha_of_dpchain_and_keeps_what_is_fixed() -> None:
    """One epoch is a Dirichlet process mixture, whose alpha the CRP's learner finds as well."""
    rng = np.random.default_rng(5)
    theta = rng.dirichlet(np.full(20, 0.2), size=12)
    data = np.array([rng.multinomial(40, theta[k]) for k in rng.integers(0, 12, 150)])
    words = core.DirichletMultinomial(4.0)
    options = {"rounds": 60, "seed": 1, "fixed": ("strength", "eta")}
    ours = core.learn(core.DPChain(0.5, 0.7), words, data, np.zeros(150), **options).prior  # type: ignore[arg-type]
    theirs = core.learn(core.CRP(0.5), words, data, np.zeros(150), **options).prior  # type: ignore[arg-type]
    assert ours.eta == 0.7
    assert math.log(ours.alpha / theirs.alpha) == pytest.approx(0.0, abs=0.3)


def test_labels_of_addcrp_are_as_likely_as_in_the_joint() -> None:
    """What the documents say does not depend on the rate."""
    rng = np.random.default_rng(4)
    times, labels = np.sort(rng.uniform(0.0, 5.0, 40)), canonical(rng.integers(0, 4, 40))
    silent = core.Gaussian(1.0, 1.0)
    items = silent.items(np.zeros((40, 1)), times)
    apart = []
    for rate in (0.2, 2.0):
        prior = core.ADDCRP(0.7, core.Exponential(rate))
        apart.append(core.log_joint(prior, silent, np.zeros((40, 1)), times, labels) - log_prior(prior, items, labels))
    assert apart[0] == pytest.approx(apart[1], abs=1e-9)


def test_learning_finds_the_rate_of_addcrp_and_keeps_what_is_fixed() -> None:
    """Labels from the model itself, told apart by their words; mean over data sets within four standard errors."""
    alpha, rate, logs = 0.5, 0.8, []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        times, members = np.sort(rng.uniform(0.0, 40.0, 250)), list[list[float]]()
        labels = []
        for t in times:
            weights = [len(m) * math.exp(-rate * (t - np.mean(m))) for m in members] + [alpha]
            k = int(rng.choice(len(weights), p=np.array(weights) / sum(weights)))
            members += [[]] if k == len(members) else []
            members[k].append(float(t))
            labels.append(k)
        theta = rng.dirichlet(np.full(60, 0.05), size=len(members))
        data = np.array([rng.multinomial(30, theta[k]) for k in labels])
        start = core.ADDCRP(1.5, core.Exponential(0.25))
        learned = core.learn(start, core.DirichletMultinomial(3.0), data, times, seed=seed, fixed=("strength",)).prior
        logs.append(np.log([learned.alpha, learned.kernel.rate]))
    error = np.abs(np.mean(logs, axis=0) - np.log([alpha, rate]))
    assert (error < 4 * np.std(logs, axis=0, ddof=1) / math.sqrt(len(logs))).all()
    kept = core.learn(start, core.DirichletMultinomial(3.0), data, times, rounds=2, seed=1, fixed=("alpha", "rate"))
    assert kept.prior == start
