"""Data of the tDPM paper (Zhu, Ghahramani, Lafferty 2005), section 5."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from core.generators.common import FloatArray, IntArray, draw_words, pick, require_nonnegative, require_positive

_NEGLIGIBLE = 1e-15


class TdpmWords(NamedTuple):
    """Documents with their groups; row k of `theta` is the multinomial of group k."""

    times: FloatArray
    labels: IntArray
    data: sparse.csr_array[np.int64]
    theta: FloatArray


def tdpm(
    n: int = 100,
    alpha: float = 0.2,
    rate: float = 0.5,
    vocabulary: int = 3,
    words: int = 20,
    arrival_rate: float = 1.0,
    strength: float | None = None,
    *,
    rng: np.random.Generator,
) -> TdpmWords:
    """Poisson arrivals (eq. 26), labels by eq. 5 with kernel exp(-rate·t), `words` words per document.

    `strength` is the total of the symmetric Dirichlet base; None makes it flat. A rate of 0 gives the plain CRP.
    """
    require_positive(n=n, alpha=alpha, vocabulary=vocabulary, words=words, arrival_rate=arrival_rate)
    require_nonnegative(rate=rate)
    total = float(vocabulary) if strength is None else strength
    require_positive(strength=total)
    times = np.cumsum(rng.exponential(1.0 / arrival_rate, n))
    labels = _labels(times, alpha, rate, rng)
    theta = rng.dirichlet(np.full(vocabulary, total / vocabulary), int(labels.max()) + 1)
    data = draw_words(theta, labels, np.full(n, words), rng)
    return TdpmWords(times, labels, data, theta)


def _labels(times: FloatArray, alpha: float, rate: float, rng: np.random.Generator) -> IntArray:
    """Ancestral draw of eq. 5: all weights fade by exp(-rate·gap), the chosen one grows by 1."""
    labels = np.empty(times.size, dtype=np.int64)
    names, weights = np.empty(0, dtype=np.int64), np.empty(0)
    born = 0
    for i, fade in enumerate(np.exp(-rate * np.diff(times, prepend=times[0]))):
        weights *= fade
        if weights.size and weights.min() < _NEGLIGIBLE:
            live = weights >= _NEGLIGIBLE
            names, weights = names[live], weights[live]
        choice = pick(weights, alpha, rng)
        if choice == weights.size:
            names, weights = np.append(names, born), np.append(weights, 0.0)
            born += 1
        weights[choice] += 1.0
        labels[i] = names[choice]
    return labels
