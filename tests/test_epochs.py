"""DPChain and HDP-EVO against enumeration: all labellings epoch by epoch, and all seatings."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import core
from core.samplers import seatings

from . import naive, naive_epochs
from .models import LIKELIHOODS, LikelihoodCase
from .naive_epochs import Posterior
from .test_enumeration import noise_floor, total_variation

TIMES = [0.0, 0.0, 1.0, 3.0, 3.0]
DRAWS = 6_000
LAG = 6
ALPHA, GAMMA, ETA = 0.8, 0.6, 0.4
CHAIN, EVO = core.DPChain(ALPHA, ETA), core.HDPEvo(ALPHA, GAMMA, ETA)
EACH_LIKELIHOOD = pytest.mark.parametrize("case", LIKELIHOODS, ids=lambda case: case.name)


def rows_of(case: LikelihoodCase, n: int = len(TIMES)) -> NDArray[Any]:
    return case.rows(np.random.default_rng(7), n)


def normalised(logs: dict[tuple[int, ...], float]) -> Posterior:
    best = max(logs.values())
    weights = {z: math.exp(value - best) for z, value in logs.items()}
    return {z: weight / sum(weights.values()) for z, weight in weights.items()}


def chain_joint(case: LikelihoodCase, rows: list[Any], labels: tuple[int, ...]) -> float:
    """The naive joint of the first documents."""
    times = TIMES[: len(labels)]
    likelihood = naive_epochs.epoch_likelihood(labels, times, rows, case.reference)
    return naive_epochs.dpchain(labels, times, ALPHA, ETA) + likelihood


def evo_posterior(case: LikelihoodCase, data: NDArray[Any]) -> Posterior:
    rows = data.tolist()
    return normalised(
        {
            z: math.log(p) + sum(case.reference([rows[i] for i in group]) for group in naive.groups(z))
            for z, p in naive_epochs.hdp_evo(TIMES, ALPHA, GAMMA, ETA).items()
        }
    )


def check_joint(prior: Any, case: LikelihoodCase, data: NDArray[Any], expected: dict[tuple[int, ...], float]) -> None:
    """Log joints agree up to one constant."""
    ours = {z: core.log_joint(prior, case.likelihood, data, TIMES, list(z)) for z in expected}
    first = next(iter(expected))
    for z, value in expected.items():
        assert ours[z] - ours[first] == pytest.approx(value - expected[first], abs=1e-9)


@EACH_LIKELIHOOD
def test_joint_of_dpchain_is_the_papers(case: LikelihoodCase) -> None:
    data = rows_of(case)
    rows = data.tolist()
    check_joint(CHAIN, case, data, {z: chain_joint(case, rows, z) for z in naive.partitions(len(TIMES))})


@EACH_LIKELIHOOD
def test_joint_of_hdp_evo_sums_over_all_seatings(case: LikelihoodCase) -> None:
    data = rows_of(case)
    check_joint(EVO, case, data, {z: math.log(p) for z, p in evo_posterior(case, data).items()})


def test_reference_priors_sum_to_one() -> None:
    chain = sum(math.exp(naive_epochs.dpchain(z, TIMES, ALPHA, ETA)) for z in naive.partitions(len(TIMES)))
    assert chain == pytest.approx(1.0, abs=1e-12)
    assert sum(naive_epochs.hdp_evo(TIMES, ALPHA, GAMMA, ETA).values()) == pytest.approx(1.0, abs=1e-12)


@EACH_LIKELIHOOD
def test_draws_of_dpchain_follow_the_filter(case: LikelihoodCase) -> None:
    data = rows_of(case)
    posterior = naive_epochs.filtered(TIMES, lambda z: chain_joint(case, data.tolist(), z))
    samples = core.sample(CHAIN, case.likelihood, data, TIMES, draws=DRAWS, burn_in=50, lag=LAG, seed=11)
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)


@EACH_LIKELIHOOD
def test_draws_of_hdp_evo_follow_the_exact_posterior(case: LikelihoodCase) -> None:
    data = rows_of(case)
    posterior = evo_posterior(case, data)
    samples = core.sample(EVO, case.likelihood, data, TIMES, draws=DRAWS, burn_in=50, lag=LAG, seed=12)
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)


@pytest.mark.parametrize("scan", ["forward", "random"])
@pytest.mark.parametrize("prior", [CHAIN, EVO], ids=["dpchain", "hdp_evo"])
def test_held_documents_keep_their_labels(prior: Any, scan: str) -> None:
    """The others follow the posterior given those labels."""
    case = LIKELIHOODS[1]
    data, kept = rows_of(case), (0, 1, 0)
    if prior is EVO:
        everything = evo_posterior(case, data)
    else:
        everything = naive_epochs.filtered(TIMES, lambda z: chain_joint(case, data.tolist(), z))
    chosen = {z: p for z, p in everything.items() if z[:3] == kept}
    posterior = {z: p / sum(chosen.values()) for z, p in chosen.items()}
    samples = core.sample(
        prior,
        case.likelihood,
        data,
        TIMES,
        draws=DRAWS,
        burn_in=50,
        lag=LAG,
        seed=13,
        scan=scan,
        init=[5, 2, 5, 9, 9],
        held=3,
    )
    assert (samples[:, :3] == kept).all()
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)


@EACH_LIKELIHOOD
@pytest.mark.parametrize("prior", [CHAIN, EVO], ids=["dpchain", "hdp_evo"])
def test_predictive_is_the_ratio_of_joints(prior: Any, case: LikelihoodCase) -> None:
    """Also with a thread that the last epoch has not used, and labels that are not 0, 1, …"""
    data = rows_of(case)
    rows = data.tolist()
    chances = naive_epochs.hdp_evo(TIMES, ALPHA, GAMMA, ETA)
    found = core.predictive(prior, case.likelihood, data, TIMES, [7, 3, 7, 3])
    assert found.labels.tolist() == [3, 7, -1]
    names = {7: 0, 3: 1, -1: 2}
    expected = []
    for label in found.labels.tolist():
        z = (0, 1, 0, 1, names[label])
        likelihood = sum(case.reference([rows[i] for i in group]) for group in naive.groups(z))
        expected.append(chain_joint(case, rows, z) if prior is CHAIN else math.log(chances[z]) + likelihood)
    ours = found.log_prior + found.log_likelihood
    assert ours - ours[-1] == pytest.approx(np.array(expected) - expected[-1], abs=1e-9)
    alone = case.reference([rows[-1]])
    assert found.log_likelihood[-1] == pytest.approx(alone, abs=1e-9)


@pytest.mark.parametrize("prior", [CHAIN, EVO], ids=["dpchain", "hdp_evo"])
def test_held_out_averages_the_predictive(prior: Any) -> None:
    case = LIKELIHOODS[1]
    data = rows_of(case)
    samples = np.array([[0, 1, 0], [0, 0, 0]])
    expected = []
    for i in (3, 4):
        rows, times = data[[0, 1, 2, i]], [*TIMES[:3], TIMES[i]]
        found = [core.predictive(prior, case.likelihood, rows, times, z) for z in samples]
        each = [np.exp(f.log_prior - np.logaddexp.reduce(f.log_prior) + f.log_likelihood).sum() for f in found]
        expected.append(math.log(np.mean(each)))
    ours = core.held_out(prior, case.likelihood, data, TIMES, samples)
    assert ours == pytest.approx(np.array(expected), abs=1e-9)


@pytest.mark.parametrize("alpha", [0.3, 3.0])
def test_many_seatings_are_predicted_at_an_estimate(alpha: float) -> None:
    """Beyond what can be summed, probabilities are off by little: by at most 0.03, here against the sum itself."""
    rng = np.random.default_rng(2)
    prior = core.HDPEvo(alpha, 1.5, 0.3)
    for _ in range(10):
        times, labels = np.sort(rng.integers(0, 3, 14)).astype(float), rng.integers(0, 3, 14)
        cells = seatings.cells_of(prior, times, labels)
        assert len(seatings.blocks(cells.size, seatings.MOST)) > 0
        found = []
        for limit in (seatings.MOST, 0):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(seatings, "FEW", limit)
                weights = seatings.dish_weights(prior, times, labels, times[-1])
                found.append(weights / weights.sum())
        assert np.abs(found[0] - found[1]).max() < 0.03


def test_threads_in_many_epochs_that_can_sit_in_one_way_are_summed() -> None:
    """A hundred cells of one document each, of which numpy could not count 65 as dimensions, and one of two."""
    times, labels = np.append(np.arange(100.0), 99.0), np.append(np.arange(100) % 2, 1)
    (rows,) = seatings.blocks(seatings.cells_of(EVO, times, labels).size, seatings.FEW)
    assert rows.sum(axis=1).tolist() == [100, 101]
    weights = seatings.dish_weights(EVO, times, labels, 99.0)
    assert (weights > 0).all()
    assert weights[1] > weights[0]  # it has the two documents of this epoch


def test_joint_of_too_many_seatings_is_refused() -> None:
    with pytest.raises(core.ArgumentError, match=r"^labels .* fewer documents"):
        core.log_joint(EVO, core.Gaussian(1.0, 1.0), np.zeros((100, 1)), np.arange(100) // 20, [0] * 100)


@pytest.mark.parametrize("prior", [CHAIN, EVO], ids=["dpchain", "hdp_evo"])
def test_bad_arguments_are_refused(prior: Any) -> None:
    words = core.DirichletMultinomial(1.0)
    data = [[1, 0], [0, 1]]
    cases: list[tuple[str, dict[str, Any]]] = [
        ("times", {"times": [0.0, 0.5]}),
        ("held", {"held": 1}),
        ("held", {"held": 3, "init": [0, 0]}),
        ("held", {"held": -1, "init": [0, 0]}),
        ("scan", {"scan": "backward"}),
        ("init", {"init": [0]}),
    ]
    for argument, options in cases:
        given: dict[str, Any] = {"times": [0.0, 1.0], "draws": 1, "seed": 1} | options
        with pytest.raises(core.ArgumentError, match=rf"^{argument} "):
            core.sample(prior, words, data, given.pop("times"), **given)
    with pytest.raises(core.ArgumentError, match=r"^labels "):
        core.predictive(prior, words, data, [0.0, 1.0], [0, 0, 0])


def test_many_epochs_and_threads_of_words_are_sampled_alike_by_both_scans() -> None:
    """Arrays grow, threads are born in every epoch: labels stay partitions and the same seed gives the same ones."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 100, 400)
    data = rng.poisson(0.02, (400, 300)) + (rng.random((400, 300)) < 0.02)
    data[np.arange(400), truth] += 6
    times = np.repeat(np.arange(20.0), 20)
    likelihood = core.DirichletMultinomial(30.0)
    for prior in (core.DPChain(2.0, 0.1), core.HDPEvo(2.0, 20.0, 0.1)):
        for scan in ("forward", "random"):
            one, two = (
                core.sample(prior, likelihood, data, times, draws=2, burn_in=5, seed=1, scan=scan) for _ in range(2)
            )
            assert (one == two).all()
            assert core.sample(prior, likelihood, data, times, draws=1, seed=1, init=one[-1], held=400)[0].tolist() == (
                one[-1].tolist()
            )
