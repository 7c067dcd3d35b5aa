"""core.predictive against differences of the naive joint, and draws that hold some labels against enumeration."""

import math
from typing import Any

import numpy as np
import pytest

import core
from tests.models import LIKELIHOODS, PRIORS, LikelihoodCase, PriorCase, log_joint, times_for
from tests.test_enumeration import DRAWS, LAG, exact, noise_floor, problem, total_variation

N = 6
LABELS = [0, 1, 0, 1, 2]


@pytest.mark.parametrize("likelihood", LIKELIHOODS[1::3], ids=lambda case: case.name)
@pytest.mark.parametrize("prior", PRIORS, ids=lambda case: case.name)
def test_weights_are_differences_of_the_joint(prior: PriorCase, likelihood: LikelihoodCase) -> None:
    rng = np.random.default_rng(3)
    data, times = likelihood.rows(rng, N), times_for(prior, rng, N)
    labels = list(range(N - 1)) if log_joint(prior, likelihood, data[:-1], times[:-1], LABELS) == -math.inf else LABELS
    found = core.predictive(prior.prior, likelihood.likelihood, data, times, labels)
    assert found.labels.tolist() == [*sorted(set(labels)), -1]
    before = log_joint(prior, likelihood, data[:-1], times[:-1], labels)
    new = max(labels) + 1
    wanted = [
        log_joint(prior, likelihood, data, times, [*labels, new if label == -1 else label]) - before
        for label in found.labels.tolist()
    ]
    scores = found.log_prior + found.log_likelihood
    np.testing.assert_allclose(scores - np.log(np.exp(found.log_prior).sum()), wanted, rtol=0, atol=1e-9)


def test_labels_that_do_not_fit_are_refused() -> None:
    models: tuple[Any, Any] = core.CRP(1.0), core.Gaussian(1.0, 1.0)
    for bad in ([0], [0, 0, 0, 0], [0.5, 1.0], [[0, 0]]):
        with pytest.raises(core.ArgumentError, match="labels"):
            core.predictive(*models, np.zeros((3, 1)), [0.0, 1.0, 2.0], bad)


@pytest.mark.parametrize("prior", PRIORS, ids=lambda case: case.name)
def test_held_labels_stay_and_the_others_follow_their_conditional(prior: PriorCase) -> None:
    likelihood, held = LIKELIHOODS[1], 2
    data, times = problem(prior, likelihood)
    start = core.sample(prior.prior, likelihood.likelihood, data, times, draws=1, seed=1)[0]
    posterior = exact(prior, likelihood, data, times)
    given = {z: p for z, p in posterior.items() if list(z[:held]) == start[:held].tolist()}
    total = sum(given.values())
    found = core.sample(
        prior.prior, likelihood.likelihood, data, times, draws=DRAWS, lag=LAG, seed=2, init=start, held=held
    )
    conditional = {z: p / total for z, p in given.items()}
    assert total_variation(conditional, found) < noise_floor(conditional, DRAWS)


def test_holding_needs_labels_to_hold() -> None:
    for held, init in ((1, None), (4, [0, 0, 0]), (-1, [0, 0, 0])):
        with pytest.raises(core.ArgumentError, match="held"):
            core.sample(
                core.CRP(1.0), core.Gaussian(1.0, 1.0), np.zeros((3, 1)), [0.0, 1.0, 2.0], draws=1, seed=1, init=init,
                held=held,
            )  # fmt: skip
