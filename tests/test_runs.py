"""Whole runs: blocks, starts, predictions, and models that live outside core."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import core
from core import generators
from core.contracts import attach, detach, log_score, log_score_untouched, log_score_within, room
from core.growth import grow, widen
from core.items import Items, point_items
from core.metrics import normalized_mutual_information
from core.samplers import gibbs
from core.samplers.gibbs import Run

from . import naive
from .models import LIKELIHOODS, PRIORS
from .test_enumeration import DRAWS, LAG, exact, noise_floor, total_variation


@pytest.mark.parametrize("name", ["tdpm-exponential-fast", "rcrp-0.8-1", "tdpm-window"])
def test_blocks_leave_the_posterior_exact(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six documents in two far-apart groups, swept block by block."""
    monkeypatch.setattr(gibbs, "SMALL", 2)
    prior = next(case for case in PRIORS if case.name == name)
    likelihood = LIKELIHOODS[1]
    times = np.array([0.0, 1.0, 1.0, 500.0, 500.0, 501.0])
    data = likelihood.rows(np.random.default_rng(5), 6)
    posterior = exact(prior, likelihood, data, times)
    run = Run(prior.prior, likelihood.likelihood, data, times, seed=3)
    assert len(run.blocks) > 1
    samples = core.sample(prior.prior, likelihood.likelihood, data, times, draws=DRAWS, burn_in=20, lag=LAG, seed=3)
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)


def test_long_histories_go_in_blocks_and_find_the_threads() -> None:
    drawn = generators.tdpm(n=6000, vocabulary=40, words=25, strength=8.0, rng=np.random.default_rng(1))
    run = Run(core.TDPM(0.2, core.Exponential(0.5)), core.DirichletMultinomial(8.0), drawn.data, drawn.times, seed=1)
    assert len(run.blocks) > 1
    run.sweep(3)
    assert normalized_mutual_information(drawn.labels, run.labels()) > 0.97
    once_more = Run(
        core.TDPM(0.2, core.Exponential(0.5)),
        core.DirichletMultinomial(8.0),
        drawn.data,
        drawn.times,
        seed=2,
        init=run.labels(),
    )
    assert (once_more.labels() == run.labels()).all()


def test_init_is_where_the_chain_starts() -> None:
    data = np.array([[3, 0], [0, 3], [3, 0]])
    run = Run(core.CRP(1.0), core.DirichletMultinomial(2.0), data, [0.0, 1.0, 2.0], seed=0, init=[7, 7, 3])
    assert run.labels().tolist() == [0, 0, 1]


def test_same_seed_same_labels_and_another_seed_not() -> None:
    drawn = generators.tdpm(n=60, rng=np.random.default_rng(1))
    model = core.TDPM(0.2, core.Exponential(0.5)), core.DirichletMultinomial(3.0)
    first, second, other = (core.sample(*model, drawn.data, drawn.times, draws=20, seed=s) for s in (1, 1, 2))
    assert (first == second).all()
    assert (first != other).any()


@pytest.mark.parametrize("name", ["crp", "tdpm-exponential", "tdpm-logistic", "rcrp-1.5-2"])
def test_held_out_likelihood_is_the_ratio_of_joints(name: str) -> None:
    """p(x_new | x, z) = Σ_c P(z, c) p(x, x_new | z, c) / (P(z) p(x | z)), from the naive joints."""
    prior = next(case for case in PRIORS if case.name == name)
    likelihood = LIKELIHOODS[1]
    rng = np.random.default_rng(2)
    times = np.array([0.0, 1.0, 1.0, 2.0, 3.0, 4.0])
    data = likelihood.rows(rng, 6)
    samples = np.array([[0, 0, 1, 0], [0, 1, 1, 2]])
    found = core.held_out(prior.prior, likelihood.likelihood, data, times, samples)
    for place, new in enumerate((4, 5)):
        expected = [_predictive(prior, likelihood, data, times, z.tolist(), new) for z in samples]
        assert found[place] == pytest.approx(math.log(np.mean(np.exp(expected))), abs=1e-9)


def _predictive(prior: Any, likelihood: Any, data: Any, times: Any, z: list[int], new: int) -> float:
    rows = [*range(len(z)), new]
    total = 0.0
    for c in range(max(z) + 2):
        labels = [*z, c]
        log_p = prior.reference(labels, times[rows].tolist()) - prior.reference(z, times[: len(z)].tolist())
        own = [data[i].tolist() for i, label in zip(rows, labels, strict=True) if label == c]
        total += math.exp(log_p + likelihood.reference(own) - (likelihood.reference(own[:-1]) if own[:-1] else 0.0))
    return math.log(total)


class Fixed(NamedTuple):
    """A likelihood from outside: known means, refreshed between sweeps, as an evolving thread's parameters will be."""

    means: NDArray[np.float64]
    size: NDArray[np.int64]


class FixedMeans:
    def items(self, data: Any, times: Any) -> Items:
        return point_items(data, times)

    def start(self, items: Items, vocabulary: int, capacity: int) -> Fixed:
        return Fixed(np.zeros(capacity), np.zeros(capacity, np.int64))


@widen.register
def _widen(state: Fixed, capacity: int) -> Fixed:
    return Fixed(
        np.pad(state.means, (0, capacity - len(state.means))), np.pad(state.size, (0, capacity - len(state.size)))
    )


@grow.register
def _grow(state: Fixed) -> Fixed:
    return state


@room.implements(Fixed)
def fixed_room(state: Fixed, items: Items, i: int) -> bool:
    return True


@attach.implements(Fixed)
def fixed_attach(state: Fixed, items: Items, i: int, slot: int) -> None:
    if state.size[slot] == 0:
        state.means[slot] = items.points[i, 0]
    state.size[slot] += 1


@detach.implements(Fixed)
def fixed_detach(state: Fixed, items: Items, i: int, slot: int) -> None:
    state.size[slot] -= 1


@log_score.implements(Fixed)
def fixed_log_score(state: Fixed, items: Items, i: int, scratch: Any, slots: Any) -> tuple[int, float]:
    scratch.stamp[0] += 1
    touched = 0
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0:
            scratch.slots[touched] = slot
            scratch.scores[touched] = -0.5 * (items.points[i, 0] - state.means[slot]) ** 2
            scratch.mark[slot] = scratch.stamp[0]
            scratch.where[slot] = touched
            touched += 1
    return touched, -8.0


@log_score_within.implements(Fixed)
def fixed_log_score_within(state: Fixed, items: Items, i: int, slot: int) -> float:
    return -0.5 * (items.points[i, 0] - state.means[slot]) ** 2


@log_score_untouched.implements(Fixed)
def fixed_log_score_untouched(state: Fixed, items: Items, i: int, slot: int) -> float:
    return -math.inf


def test_a_model_from_outside_fits_the_same_sweep() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    order = rng.permutation(60)
    data = (np.array([0.0, 20.0, 40.0])[truth] + rng.normal(size=60))[order, None]
    run = Run(core.CRP(1.0), FixedMeans(), data, np.arange(60.0), seed=1)
    for _ in range(5):
        run.sweep()
        state = run.labelling.likelihood
        for slot in np.flatnonzero(state.size):  # the refresh between sweeps
            state.means[slot] = data[run.labelling.labels == slot, 0].mean()
    assert normalized_mutual_information(truth[order], run.labels()) == pytest.approx(1.0)


def test_reference_priors_are_the_generators() -> None:
    """The naive joint and the generator agree on how often two documents share a thread."""
    rng = np.random.default_rng(9)
    gap, alpha, rate = 1.0, 0.5, 0.8
    together = math.exp(naive.tdpm([0, 0], [0.0, gap], alpha, lambda d: math.exp(-rate * d)))
    assert together == pytest.approx(math.exp(-rate * gap) / (math.exp(-rate * gap) + alpha))
    draws = [
        generators.rcrp_partition(epochs=2, size=1, alpha=alpha, decay=1 / rate, width=1, rng=rng) for _ in range(4000)
    ]
    share = np.mean([d.labels[0] == d.labels[1] for d in draws])
    assert abs(share - together) < 4 * math.sqrt(together * (1 - together) / 4000)
