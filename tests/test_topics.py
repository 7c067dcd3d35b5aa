"""LDA against enumeration over all topics of all tokens, and on documents whose topics are known."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats

import core
from core.items import word_items
from core.samplers.slice import slice_sample
from core.samplers.topics import TopicRun, settled

from .test_enumeration import noise_floor, total_variation

DRAWS = 10_000
LAG = 5


def log_joint(
    tokens: list[tuple[int, int]], topics: tuple[int, ...], k: int, v: int, alpha: float, eta: float
) -> float:
    """log p(words, topics): token after token, from the urns of its document and of its topic."""
    total = 0.0
    for i, ((document, word), topic) in enumerate(zip(tokens, topics, strict=True)):
        before = list(zip(tokens[:i], topics[:i], strict=True))
        here = [z for (d, _), z in before if d == document]
        there = [w for (_, w), z in before if z == topic]
        total += math.log((here.count(topic) + alpha) / (len(here) + k * alpha))
        total += math.log((there.count(word) + eta) / (len(there) + v * eta))
    return total


@pytest.mark.parametrize(("alpha", "eta"), [(0.3, 0.2), (2.0, 1.5)])
def test_topics_of_tokens_follow_the_exact_posterior(alpha: float, eta: float) -> None:
    counts = np.array([[2, 1, 0], [0, 1, 1]])
    run = TopicRun(word_items(counts, np.zeros(2)), 3, 2, alpha, eta, seed=3)
    tokens = list(zip(run.counts.document.tolist(), run.counts.word.tolist(), strict=True))
    logs = {z: log_joint(tokens, z, 2, 3, alpha, eta) for z in itertools.product(range(2), repeat=5)}
    total = sum(math.exp(value) for value in logs.values())
    posterior = {z: math.exp(value) / total for z, value in logs.items()}
    samples = np.empty((DRAWS, 5), np.int64)
    for d in range(DRAWS):
        for _ in range(LAG):
            value = run.sweep()
        samples[d] = run.counts.topic
        assert value == pytest.approx(logs[tuple(samples[d].tolist())], abs=1e-9)
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)


def test_hyper_parameters_follow_their_posterior() -> None:
    """With them drawn too, topics of tokens follow the joint posterior, worked out on a grid."""
    counts = np.array([[2, 0], [0, 2]])
    run = TopicRun(word_items(counts, np.zeros(2)), 2, 2, None, None, seed=4)
    tokens = list(zip(run.counts.document.tolist(), run.counts.word.tolist(), strict=True))
    steps = (np.arange(60) + 0.5) / 60
    grid = -np.log1p(-steps)  # quantiles of Gamma(1, 1): each stands for the same mass
    posterior = {}
    for z in itertools.product(range(2), repeat=4):
        posterior[z] = sum(math.exp(log_joint(tokens, z, 2, 2, a, e)) for a in grid for e in grid)
    total = sum(posterior.values())
    posterior = {z: p / total for z, p in posterior.items()}
    samples = np.empty((DRAWS, 4), np.int64)
    for d in range(DRAWS):
        for _ in range(2 * LAG):
            run.sweep()
        samples[d] = run.counts.topic
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)


def test_slice_sampler_leaves_a_normal_invariant() -> None:
    rng = np.random.default_rng(5)
    x, draws = 0.0, []
    for _ in range(20_000):
        x = slice_sample(lambda y: -0.5 * y * y, x, 1.5, rng)
        draws.append(x)
    assert stats.kstest(draws[::10], "norm").pvalue > 1e-4


def documents(rng: np.random.Generator, topics: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Two hundred documents of one topic each; every topic has ten words of its own and ten that all share."""
    truth = rng.integers(0, topics, 200)
    beta = np.full((topics, 10 * topics + 10), 0.002)
    for k in range(topics):
        beta[k, 10 * k : 10 * k + 10] = 0.07
    beta[:, -10:] = 0.02
    beta /= beta.sum(axis=1, keepdims=True)
    return np.array([rng.multinomial(60, beta[k]) for k in truth]), truth


def test_topics_that_are_there_are_found() -> None:
    counts, truth = documents(np.random.default_rng(6))
    told: list[int] = []
    found = core.lda(counts, topics=4, sweeps=300, chains=2, seed=1, progress=told.append)
    assert found.converged
    assert told == list(range(1, found.log_likelihood.shape[1] + 1))
    assert found.words.sum(axis=1) == pytest.approx(np.ones(4))
    assert found.shares.sum(axis=1) == pytest.approx(np.ones(200))
    best = found.shares.argmax(axis=1)
    pairs = Counter(zip(truth.tolist(), best.tolist(), strict=True))
    assert sum(count for _, count in pairs.most_common(4)) > 195
    for k in range(4):
        top = np.argsort(found.words[k])[::-1][:10]
        assert len(set((top // 10).tolist())) == 1


def test_same_seed_same_topics_and_given_knobs_stay() -> None:
    counts, _ = documents(np.random.default_rng(7))
    one, two = (core.lda(counts, topics=3, sweeps=10, chains=1, seed=2, alpha=0.5, eta=0.02) for _ in range(2))
    assert (one.words == two.words).all()
    assert (one.alpha, one.eta) == (0.5, 0.02)
    assert one.log_likelihood.shape == (1, 10)
    assert not one.converged


def test_a_rising_trace_has_not_settled() -> None:
    noise = np.random.default_rng(8).normal(size=100)
    assert settled(noise)
    assert not settled(noise + np.arange(100.0))


@pytest.mark.parametrize(
    ("argument", "counts", "options"),
    [
        ("topics", [[1, 2]], {"topics": 0}),
        ("sweeps", [[1, 2]], {"sweeps": 0}),
        ("chains", [[1, 2]], {"chains": 0}),
        ("alpha", [[1, 2]], {"alpha": 0.0}),
        ("eta", [[1, 2]], {"eta": -1.0}),
        ("counts", [[0, 0]], {}),
        ("data", [[-1, 2]], {}),
        ("seed", [[1, 2]], {"seed": -1}),
    ],
)
def test_bad_arguments_are_refused(argument: str, counts: list[list[int]], options: dict[str, float]) -> None:
    with pytest.raises(core.ArgumentError, match=rf"^{argument} "):
        core.lda(counts, **{"topics": 2, "seed": 1} | options)  # type: ignore[arg-type]
