"""Draws of the ddCRP / ADDCRP paper (Wybo et al. 2012), section 3: partitions (figure 1) and documents."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from core.generators.common import (
    Decay,
    FloatArray,
    IntArray,
    Partition,
    draw_words,
    number_by_appearance,
    pick,
    require_positive,
    require_share,
)


class LinkedPartition(NamedTuple):
    """A ddCRP draw; `links[i]` is the earlier customer that i follows, or i itself."""

    times: FloatArray
    labels: IntArray
    links: IntArray


class ClassDocuments(NamedTuple):
    """Documents of word classes: each word's class, each group's main classes and multinomial."""

    times: FloatArray
    labels: IntArray
    data: sparse.csr_array[np.int64]
    word_classes: IntArray
    main_classes: NDArray[np.bool_]
    theta: FloatArray


def crp_partition(n: int, alpha: float, *, rng: np.random.Generator) -> Partition:
    """Eq. 3, drawn as the ddCRP without decay, which it equals."""
    draw = ddcrp_partition(n, alpha, np.ones_like, rng=rng)
    return Partition(draw.times, draw.labels)


def ddcrp_partition(n: int, alpha: float, decay: Decay, *, rng: np.random.Generator) -> LinkedPartition:
    """Eq. 6, one customer per unit of time: link to the one d earlier with weight decay(d), to oneself with alpha."""
    require_positive(n=n, alpha=alpha)
    customers = np.arange(n)
    weights = decay(np.arange(1.0, n))
    if not np.all((weights >= 0) & np.isfinite(weights)):
        raise ValueError("decay must be finite and not negative")
    cumulative = np.append(0.0, np.cumsum(weights))
    ages = np.searchsorted(cumulative, rng.random(n) * (cumulative + alpha), side="right")
    links = np.where(ages <= customers, customers - ages, customers)
    roots = links.copy()
    for i in customers:
        roots[i] = roots[links[i]]
    return LinkedPartition(customers.astype(np.float64), number_by_appearance(roots)[0], links)


def addcrp_partition(
    n: int,
    alpha: float,
    decay: Decay,
    distance: Literal["mean", "weighted", "nearest"] = "mean",
    *,
    rng: np.random.Generator,
) -> Partition:
    """Eq. 12, one customer per unit of time: join group k with weight decay(d_ik)·n_k, a new one with alpha."""
    require_positive(n=n, alpha=alpha)
    if distance not in ("mean", "weighted", "nearest"):
        raise ValueError(f"distance must be mean, weighted or nearest, got {distance}")
    labels = np.empty(n, dtype=np.int64)
    counts, sums, latest = np.zeros((3, n))
    groups = 0
    for i in range(n):
        ages = i - latest[:groups]
        if distance == "mean":
            ages = i - sums[:groups] / counts[:groups]
        elif distance == "weighted":
            ages = _weighted_ages(labels[:i], decay, ages)
        choice = pick(decay(ages) * counts[:groups], alpha, rng)
        groups = max(groups, choice + 1)
        labels[i], latest[choice] = choice, i
        counts[choice] += 1
        sums[choice] += i
    return Partition(np.arange(n, dtype=np.float64), labels)


def _weighted_ages(labels: IntArray, decay: Decay, nearest: FloatArray) -> FloatArray:
    """Eq. 10: each group's mean age with weights decay(age); the nearest age where all those weights are zero."""
    ages = np.arange(labels.size, 0.0, -1.0)
    weights = decay(ages)
    mass = np.bincount(labels, weights, nearest.size)
    moment = np.bincount(labels, weights * ages, nearest.size)
    return np.divide(moment, mass, out=nearest.copy(), where=mass > 0)


def ddcrp_documents(
    labels: IntArray,
    vocabulary: int = 850,
    classes: int = 16,
    words: float = 600.0,
    main_share: float = 2 / 3,
    *,
    rng: np.random.Generator,
) -> ClassDocuments:
    """Section 3's documents for given groups, one document per unit of time.

    Settled here: classes are equal slices of the vocabulary; a group has one or two main classes with equal
    probability; each word is from the main classes with probability `main_share`, otherwise from the others, uniformly
    within; lengths are 1 + Poisson(words - 1).
    """
    require_share(main_share=main_share)
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError("labels must be a non-empty vector")
    if not 3 <= classes <= vocabulary:
        raise ValueError(f"classes must lie between 3 and the vocabulary's size, got {classes}")
    if not 1 <= words < np.inf:
        raise ValueError(f"words must be at least 1, got {words}")
    labels, names = number_by_appearance(labels)
    word_classes = np.arange(vocabulary) * classes // vocabulary
    ranks = rng.permuted(np.tile(np.arange(classes), (names.size, 1)), axis=1)
    main_classes = ranks < rng.integers(1, 2, (names.size, 1), endpoint=True)
    main = main_classes[:, word_classes]
    share = main.sum(axis=1, keepdims=True)
    theta = np.where(main, main_share / share, (1.0 - main_share) / (vocabulary - share))
    data = draw_words(theta, labels, 1 + rng.poisson(words - 1.0, labels.size), rng)
    times = np.arange(labels.size, dtype=np.float64)
    return ClassDocuments(times, labels, data, word_classes, main_classes, theta)
