"""Simulation-based calibration (slow tier): for data drawn from prior and likelihood themselves, the rank of the truth
among posterior draws is uniform. One prior of each kind: exchangeable, event time, epochs."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

import core
from core import generators

REPLICATES = 600
DRAWS = 15  # ranks 0 … 15
N = 12
VOCABULARY = 5


def statistic(labels: NDArray[np.int64], jitter: float) -> float:
    """Pairs in the same thread weighted by where they are, made continuous so that ranks have no ties."""
    same = labels[:, None] == labels[None, :]
    where = np.arange(len(labels)) + 1.0
    return float((same * where[:, None]).sum() + jitter)


def words(labels: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    theta = rng.dirichlet(np.full(VOCABULARY, 3.0 / VOCABULARY), size=labels.max() + 1)
    return np.array([rng.multinomial(6, theta[label]) for label in labels])


def draw_truth(kind: str, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    if kind == "crp":
        return np.arange(float(N)), generators.crp_partition(N, 1.0, rng=rng).labels
    if kind == "tdpm":
        drawn = generators.tdpm(n=N, alpha=0.5, rate=0.5, rng=rng)
        return drawn.times, drawn.labels
    epochs = generators.rcrp_partition(epochs=4, size=N // 4, alpha=1.0, decay=1.5, width=2, rng=rng)
    return epochs.times, epochs.labels


PRIORS = {"crp": core.CRP(1.0), "tdpm": core.TDPM(0.5, core.Exponential(0.5)), "rcrp": core.RCRP(1.0, 1.5, 2)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(PRIORS))
def test_ranks_of_the_truth_are_uniform(kind: str) -> None:
    rng = np.random.default_rng(20261118)
    ranks = np.empty(REPLICATES, np.int64)
    for r in range(REPLICATES):
        times, labels = draw_truth(kind, rng)
        data = words(labels, rng)
        samples = core.sample(
            PRIORS[kind], core.DirichletMultinomial(3.0), data, times, draws=DRAWS, burn_in=30, lag=12, seed=r
        )
        truth = statistic(labels, rng.random())
        ranks[r] = sum(statistic(z, rng.random()) < truth for z in samples)
    counts = np.bincount(ranks, minlength=DRAWS + 1)
    assert chisquare(counts).pvalue > 1e-4
