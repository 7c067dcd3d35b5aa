"""Data of the RCRP paper (Ahmed, Xing 2007): sections 5 (labels), 6 (Gaussian chains) and 7 (topic chains)."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from scipy import sparse, special

from core.generators.common import (
    FloatArray,
    IntArray,
    Partition,
    draw_words,
    pick,
    require_nonnegative,
    require_positive,
)


class RcrpPoints(NamedTuple):
    """Points of moving groups; the mean of group k at epoch t is `chains[k][t - births[k]]`."""

    times: FloatArray
    labels: IntArray
    data: FloatArray
    births: IntArray
    chains: list[FloatArray]


class RcrpWords(NamedTuple):
    """Documents of moving groups; group k at epoch t has multinomial softmax(`chains[k][t - births[k]]`)."""

    times: FloatArray
    labels: IntArray
    data: sparse.csr_array[np.int64]
    births: IntArray
    chains: list[FloatArray]


def rcrp_partition(
    epochs: int = 50,
    size: int = 300,
    alpha: float = 5.0,
    decay: float = 4.0,
    width: float = 4,
    *,
    rng: np.random.Generator,
) -> Partition:
    """Labels of RCRP(alpha, decay, width), eq. 4 with section 5; decay and width may be infinite (figure 2)."""
    require_positive(epochs=epochs, size=size, alpha=alpha)
    if not decay > 0:
        raise ValueError(f"decay must be positive, got {decay}")
    if not (width >= 0 and (width == np.inf or float(width).is_integer())):
        raise ValueError(f"width must be a whole number of epochs or infinite, got {width}")
    recent: deque[IntArray] = deque(maxlen=None if width == np.inf else int(width))
    labels = np.empty((epochs, size), dtype=np.int64)
    born = 0
    for row in labels:
        history = _history(recent, born, decay)
        known = np.flatnonzero(history)
        row[:] = np.append(known, np.arange(born, born + size))[_seats(history[known], size, alpha, rng)]
        born = max(born, int(row.max()) + 1)
        recent.append(np.bincount(row, minlength=born))
    return Partition(np.repeat(np.arange(epochs, dtype=np.float64), size), labels.ravel())


def _history(recent: deque[IntArray], groups: int, decay: float) -> FloatArray:
    """m_k = Σ_h exp(-h/decay) n_{k,t-h} over the epochs kept, the youngest last."""
    history = np.zeros(groups)
    for age, counts in enumerate(reversed(recent), start=1):
        history[: counts.size] += np.exp(-age / decay) * counts
    return history


def _seats(history: FloatArray, size: int, alpha: float, rng: np.random.Generator) -> IntArray:
    """Seat one epoch's customers one by one; tables past the history are new, in order of opening."""
    weights = np.append(history, np.zeros(size))
    seats = np.empty(size, dtype=np.int64)
    tables = history.size
    for i in range(size):
        seats[i] = pick(weights[:tables], alpha, rng)
        tables = max(tables, int(seats[i]) + 1)
        weights[seats[i]] += 1.0
    return seats


def rcrp_gaussian(
    epochs: int = 30,
    size: int = 100,
    alpha: float = 2.5,
    decay: float = 0.8,
    width: float = 1,
    spread: float = 10.0,
    drift: float = 0.1,
    noise: float = 0.11,
    dimension: int = 2,
    *,
    rng: np.random.Generator,
) -> RcrpPoints:
    """Section 6: group means start at N(0, spread·I) and walk by N(0, drift·I) an epoch; points add N(0, noise·I)."""
    require_nonnegative(noise=noise)
    partition = rcrp_partition(epochs, size, alpha, decay, width, rng=rng)
    births, chains, rows = _chains(partition, spread, drift, dimension, rng)
    data = np.concatenate(chains)[rows]
    data += rng.normal(0.0, np.sqrt(noise), data.shape)
    return RcrpPoints(*partition, data, births, chains)


def rcrp_words(
    epochs: int = 13,
    size: int = 100,
    alpha: float = 1.0,
    decay: float = 0.8,
    width: float = 1,
    spread: float = 10.0,
    drift: float = 0.1,
    vocabulary: int = 200,
    words: int = 100,
    *,
    rng: np.random.Generator,
) -> RcrpWords:
    """Section 7: natural parameters walk as the means of section 6, documents are multinomial(softmax) (eq. 12).

    Every component walks (the paper fixes one at zero and then ignores that). The variances are section 6's; alpha is
    above the paper's 0.1, which would give a data set of this size only three or four groups.
    """
    require_positive(words=words)
    partition = rcrp_partition(epochs, size, alpha, decay, width, rng=rng)
    births, chains, rows = _chains(partition, spread, drift, vocabulary, rng)
    theta = special.softmax(np.concatenate(chains), axis=1)
    data = draw_words(theta, rows, np.full(rows.size, words), rng)
    return RcrpWords(*partition, data, births, chains)


def _chains(
    partition: Partition, spread: float, drift: float, dimension: int, rng: np.random.Generator
) -> tuple[IntArray, list[FloatArray], IntArray]:
    """Births, one random walk per group from its birth to its last use (unused epochs between included), and each
    document's row in the concatenated walks."""
    require_nonnegative(spread=spread, drift=drift)
    require_positive(dimension=dimension)
    epochs, labels = partition.times.astype(np.int64), partition.labels
    births = epochs[np.unique(labels, return_index=True)[1]]
    last = np.zeros_like(births)
    np.maximum.at(last, labels, epochs)
    lives = last - births + 1
    steps = rng.normal(0.0, np.sqrt(drift), (int(lives.sum()), dimension))
    starts = np.cumsum(lives) - lives
    steps[starts] = rng.normal(0.0, np.sqrt(spread), (births.size, dimension))
    chains = [walk.cumsum(axis=0) for walk in np.split(steps, starts[1:])]
    return births, chains, starts[labels] + epochs - births[labels]
