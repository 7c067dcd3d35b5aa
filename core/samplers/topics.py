"""LDA by collapsed Gibbs sampling: several chains, hyper-parameters by slice sampling, until the likelihood settles."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError
from ..items import positive, whole, word_items
from ..priors.dirichlet import log_topics, log_words, topic_counts, topics_kernel
from .gibbs import generator, vocabulary
from .slice import slice_sample

Floats = NDArray[np.float64]
ALPHA, ETA = 0.1, 0.1  # where learned hyper-parameters start
WIDTH = 1.0  # of a slice, in logs
EARLIEST = 60  # sweeps before a chain can count as settled: its first half is burn-in
EVERY = 20  # sweeps between looks
KEPT = 20  # sweeps of the best chain that the answer averages


class Topics(NamedTuple):
    """What LDA found."""

    words: Floats  # (K, V): p(word | topic)
    shares: Floats  # (documents, K): p(topic | document)
    alpha: float
    eta: float
    log_likelihood: Floats  # (chains, sweeps made): log p(words, topics of tokens | α, η)
    converged: bool  # whether every chain's log likelihood had settled


class TopicRun:
    """One chain. Hyper-parameters that are None are drawn, each under a Gamma(1, 1) prior."""

    def __init__(self, items: Any, words: int, topics: int, alpha: float | None, eta: float | None, seed: int) -> None:
        self.rng = generator(seed)
        self.counts = topic_counts(items, words, topics, self.rng)
        self.draws_alpha, self.draws_eta = alpha is None, eta is None
        self.alpha = ALPHA if alpha is None else alpha
        self.eta = ETA if eta is None else eta

    def sweep(self) -> float:
        """Resample every token in random order, then the hyper-parameters; returns the log likelihood."""
        tokens = len(self.counts.word)
        topics_kernel(self.counts, self.alpha, self.eta, self.rng.permutation(tokens), self.rng.random(tokens))
        if self.draws_alpha:
            self.alpha = self._draw(lambda a: log_topics(self.counts, a), self.alpha)
        if self.draws_eta:
            self.eta = self._draw(lambda e: log_words(self.counts, e), self.eta)
        return float(log_topics(self.counts, self.alpha) + log_words(self.counts, self.eta))

    def words(self) -> Floats:
        """p(word | topic) given the topics of the tokens."""
        mass = self.counts.by_word.T + self.eta
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))

    def shares(self) -> Floats:
        """p(topic | document) given the topics of the tokens."""
        mass = self.counts.by_document + self.alpha
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))

    def _draw(self, log_likelihood: Callable[[float], float], value: float) -> float:
        """On the log scale, whose Jacobian is the value itself."""
        x = slice_sample(lambda y: log_likelihood(math.exp(y)) - math.exp(y) + y, math.log(value), WIDTH, self.rng)
        return math.exp(x)


def lda(
    counts: Any,
    *,
    topics: int,
    sweeps: int = 500,
    chains: int = 2,
    seed: int,
    alpha: float | None = None,
    eta: float | None = None,
    progress: Callable[[int], None] | None = None,
) -> Topics:
    """Latent Dirichlet allocation with so many topics over a matrix (documents, words) of counts.

    Chains run side by side, at most `sweeps` each, until the log likelihood of all has settled; the answer averages
    some more sweeps of the likeliest. alpha and eta (the mass of each topic in a document and of each word in a topic)
    are learned unless given. `progress` is told the number of each sweep.
    """
    whole("topics", topics, 1)
    whole("sweeps", sweeps, 1)
    whole("chains", chains, 1)
    alpha = None if alpha is None else positive("alpha", alpha)
    eta = None if eta is None else positive("eta", eta)
    count = int((counts if hasattr(counts, "shape") else np.asarray(counts)).shape[0])
    items = word_items(counts, np.zeros(count))
    if len(items.words) == 0:
        raise ArgumentError("counts", "has no words", "pass documents with at least one word among them")
    seeds = generator(seed).integers(2**62, size=chains)
    runs = [TopicRun(items, vocabulary(counts), topics, alpha, eta, int(s)) for s in seeds]
    trace = np.empty((chains, sweeps))
    done, converged = 0, False
    while done < sweeps and not converged:
        trace[:, done] = [run.sweep() for run in runs]
        done += 1
        if progress is not None:
            progress(done)
        if done >= EARLIEST and done % EVERY == 0:
            converged = all(settled(row[:done]) for row in trace)
    best = runs[int(np.argmax(trace[:, done // 2 : done].mean(axis=1)))]
    return Topics(*average(best), best.alpha, best.eta, trace[:, :done].copy(), converged)


def settled(trace: Floats) -> bool:
    """Whether the last quarter of a trace is no higher than the quarter before, but for its own spread."""
    quarter = len(trace) // 4
    before, last = trace[-2 * quarter : -quarter], trace[-quarter:]
    return bool(last.mean() - before.mean() <= last.std())


def average(run: TopicRun) -> tuple[Floats, Floats]:
    """Words and shares, averaged over some more sweeps of a chain."""
    words, shares = run.words(), run.shares()
    for _ in range(KEPT - 1):
        run.sweep()
        words += run.words()
        shares += run.shares()
    return words / KEPT, shares / KEPT
