"""ddCRP: the sampler over links against all link structures, and what its labels have to do with tDPM's."""

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import core
from core.items import NONE
from core.samplers.links import LinkRun

from . import naive
from .models import LIKELIHOODS, LikelihoodCase
from .test_enumeration import DRAWS, LAG, Posterior, noise_floor, total_variation

TIMES = [0.0, 0.7, 0.7, 2.1, 4.0]
KERNELS: list[tuple[Any, naive.Decay]] = [
    (core.Exponential(0.5), lambda d: math.exp(-0.5 * d)),
    (core.Window(2.0), lambda d: 1.0 if d <= 2.0 else 0.0),
]
WORDS, POINTS = LIKELIHOODS[1], LIKELIHOODS[4]


def exact(likelihood: LikelihoodCase, data: Any, alpha: float, decay: naive.Decay) -> Posterior:
    """The posterior over threads, summed over all link structures."""
    weights: dict[tuple[int, ...], float] = defaultdict(float)
    for links in naive.ddcrp_links(len(TIMES)):
        threads = naive.threads_of(links)
        fit = sum(likelihood.reference([data[i].tolist() for i in group]) for group in naive.groups(threads))
        weights[threads] += math.exp(naive.ddcrp(links, TIMES, alpha, decay) + fit)
    total = sum(weights.values())
    return {threads: weight / total for threads, weight in weights.items()}


@pytest.mark.parametrize("scan", ["random", "forward"])
@pytest.mark.parametrize("likelihood", [LIKELIHOODS[0], WORDS, POINTS], ids=lambda case: case.name)
@pytest.mark.parametrize(("kernel", "decay"), KERNELS, ids=["exponential", "window"])
def test_draws_follow_the_exact_posterior(
    kernel: Any, decay: naive.Decay, likelihood: LikelihoodCase, scan: str
) -> None:
    data = likelihood.rows(np.random.default_rng(7), len(TIMES))
    posterior = exact(likelihood, data, 0.7, decay)
    samples = core.sample(
        core.DDCRP(0.7, kernel), likelihood.likelihood, data, TIMES, draws=DRAWS, burn_in=50, lag=LAG, seed=3, scan=scan
    )
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)


@pytest.mark.parametrize(("kernel", "decay"), KERNELS, ids=["exponential", "window"])
def test_labels_are_distributed_as_in_tdpm(kernel: Any, decay: naive.Decay) -> None:
    """Summed over the links behind it, a labelling has tDPM's prior probability; and so it has in core."""
    weights: dict[tuple[int, ...], float] = defaultdict(float)
    for links in naive.ddcrp_links(len(TIMES)):
        weights[naive.threads_of(links)] += math.exp(naive.ddcrp(links, TIMES, 0.7, decay))
    data = WORDS.rows(np.random.default_rng(1), len(TIMES))
    for threads in naive.partitions(len(TIMES)):
        assert weights[threads] == pytest.approx(math.exp(naive.tdpm(threads, TIMES, 0.7, decay)), abs=1e-12)
        ours, other = (
            core.log_joint(prior(0.7, kernel), WORDS.likelihood, data, TIMES, threads)
            for prior in (core.DDCRP, core.TDPM)
        )
        assert ours == other


def test_the_trees_are_the_threads() -> None:
    rng = np.random.default_rng(2)
    data, times = rng.multinomial(8, [0.5, 0.3, 0.2], 60), np.sort(rng.uniform(0, 30, 60))
    run = LinkRun(core.DDCRP(1.0, core.Logistic(3.0, 1.0)), core.DirichletMultinomial(3.0), data, times, seed=1)
    for _ in range(20):
        run.sweep()
        parents = run.forest.parent
        assert (parents[parents != NONE] < np.flatnonzero(parents != NONE)).all()
        links = np.where(parents == NONE, np.arange(60), parents)
        assert naive.threads_of(links.tolist()) == tuple(run.labels().tolist())
    assert run.labelling.likelihood.total.sum() == data.sum()


def test_init_is_where_the_chain_starts_and_held_labels_stay() -> None:
    rng = np.random.default_rng(4)
    data, times = rng.normal(size=(12, 2)), np.arange(12.0)
    init = np.array([3, 3, 5, 3, 5, 5, 1, 1, 3, 1, 2, 2])
    prior, likelihood = core.DDCRP(1.0, core.Exponential(0.3)), core.Gaussian(0.5, 2.0)
    run = LinkRun(prior, likelihood, data, times, seed=1, init=init, held=7)
    assert run.labels().tolist() == [0, 0, 1, 0, 1, 1, 2, 2, 0, 2, 3, 3]
    samples = core.sample(prior, likelihood, data, times, draws=50, seed=1, init=init, held=7)
    assert (samples[:, :7] == [0, 0, 1, 0, 1, 1, 2]).all()
    assert len({tuple(row) for row in samples[:, 7:].tolist()}) > 1


def test_bad_arguments_are_refused() -> None:
    prior, data = core.DDCRP(1.0, core.Window(1.0)), np.ones((3, 2))
    for argument, keywords in (
        ("init", {"init": [0, 1, 0]}),
        ("held", {"held": 2}),
        ("held", {"held": 4, "init": [0, 1, 2]}),
        ("scan", {"scan": "back"}),
    ):
        with pytest.raises(core.ArgumentError) as caught:
            core.sample(prior, core.Gaussian(1.0, 1.0), data, [0.0, 1.0, 3.0], draws=1, seed=1, **keywords)
        assert caught.value.argument == argument
    with pytest.raises(core.ArgumentError, match="likelihood"):
        core.sample(prior, core.GaussianChain(1.0, 1.0, 0.1), data, [0.0, 1.0, 3.0], draws=1, seed=1)
