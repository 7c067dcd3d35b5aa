"""Latent Dirichlet allocation (Boyd-Graber 2013): a document is a group of tokens, each from one of K topics.

θ_d ~ Dir(α, …, α), z ~ θ_d, β_k ~ Dir(η, …, η), w ~ β_z; θ and β are integrated out. The conditional of a token is
(n_{d,k} + α) (v_{k,w} + η) / (v_k + V η), counts without it.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..items import Items
from ..jit import helper, kernel

Counts = NDArray[np.int64]


class TopicCounts(NamedTuple):
    """Tokens with their topics, and what follows from these."""

    document: Counts  # of each token
    word: Counts
    topic: Counts
    by_document: Counts  # (documents, K): n_{d,k}
    by_word: Counts  # (V, K): v_{k,w}
    by_topic: Counts  # (K,): v_k
    lengths: Counts  # tokens of each document


def topic_counts(items: Items, vocabulary: int, topics: int, rng: np.random.Generator) -> TopicCounts:
    """Every token in a topic at random."""
    documents = len(items.lengths)
    document = np.repeat(np.arange(documents), items.lengths)
    word = np.repeat(items.words, items.counts)
    topic = rng.integers(0, topics, len(word))
    by_document = np.zeros((documents, topics), np.int64)
    by_word = np.zeros((vocabulary, topics), np.int64)
    np.add.at(by_document, (document, topic), 1)
    np.add.at(by_word, (word, topic), 1)
    return TopicCounts(document, word, topic, by_document, by_word, by_word.sum(axis=0), items.lengths)


@helper
def move(counts: TopicCounts, token: int, topic: int, change: int) -> None:
    """Count a token in a topic (1) or no more (−1)."""
    counts.by_document[counts.document[token], topic] += change
    counts.by_word[counts.word[token], topic] += change
    counts.by_topic[topic] += change


@kernel
def topics_kernel(counts: TopicCounts, alpha: float, eta: float, order: Counts, uniforms: NDArray[np.float64]) -> None:
    """Draw a topic for each token of `order` by its full conditional."""
    topics = len(counts.by_topic)
    total_eta = eta * counts.by_word.shape[0]
    weights = np.empty(topics)
    for step in range(len(order)):
        token = order[step]
        d, w = counts.document[token], counts.word[token]
        move(counts, token, counts.topic[token], -1)
        total = 0.0
        for k in range(topics):
            weight = (counts.by_document[d, k] + alpha) * (counts.by_word[w, k] + eta)
            total += weight / (counts.by_topic[k] + total_eta)
            weights[k] = total
        target = uniforms[step] * total
        k = 0
        while k < topics - 1 and weights[k] <= target:
            k += 1
        counts.topic[token] = k
        move(counts, token, k, 1)


@kernel
def log_topics(counts: TopicCounts, alpha: float) -> float:
    """log p(z | α)."""
    documents, topics = counts.by_document.shape
    total = 0.0
    for d in range(documents):
        total += math.lgamma(topics * alpha) - math.lgamma(topics * alpha + counts.lengths[d])
        for k in range(topics):
            if counts.by_document[d, k] > 0:
                total += math.lgamma(counts.by_document[d, k] + alpha) - math.lgamma(alpha)
    return total


@kernel
def log_words(counts: TopicCounts, eta: float) -> float:
    """log p(w | z, η)."""
    vocabulary, topics = counts.by_word.shape
    total = 0.0
    for k in range(topics):
        total += math.lgamma(vocabulary * eta) - math.lgamma(vocabulary * eta + counts.by_topic[k])
    for w in range(vocabulary):
        for k in range(topics):
            if counts.by_word[w, k] > 0:
                total += math.lgamma(counts.by_word[w, k] + eta) - math.lgamma(eta)
    return total
