"""Data of the DPChain / HDP-EVO paper, section 6.1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.generators.common import (
    FloatArray,
    IntArray,
    number_by_appearance,
    require_nonnegative,
    require_positive,
    require_share,
)


class DpchainPoints(NamedTuple):
    """Points of groups that come and go but stay in place; row k of `means` is the mean of group k."""

    times: FloatArray
    labels: IntArray
    data: FloatArray
    means: FloatArray


def dpchain_points(
    epochs: int = 10,
    size: int = 200,
    clusters: int = 10,
    inherited: float = 0.5,
    concentration: float = 0.1,
    spread: float = 2.0,
    noise: float = 0.2,
    dimension: int = 2,
    *,
    rng: np.random.Generator,
) -> DpchainPoints:
    """Section 6.1: global means from N(0, spread·I), each epoch a mixture of earlier and freshly drawn clusters.

    The paper leaves much open. Settled here: its 2I and 0.2I are covariances, of the means and of the points about
    their mean, which is fixed over time. In each epoch a point comes with probability `inherited` from the epoch's
    inherited clusters, otherwise from proportions drawn anew from a symmetric Dirichlet(`concentration`, …) over all
    global clusters, its "symmetric DP with parameter 0.1". See `_mixture` for inheritance. Only clusters that occur
    are returned.
    """
    require_positive(epochs=epochs, size=size, clusters=clusters, concentration=concentration, dimension=dimension)
    require_nonnegative(spread=spread, noise=noise)
    require_share(inherited=inherited)
    means = rng.normal(0.0, np.sqrt(spread), (clusters, dimension))
    used = np.zeros((epochs, clusters), dtype=np.bool_)
    drawn = np.empty((epochs, size), dtype=np.int64)
    for t in range(epochs):
        drawn[t] = rng.choice(clusters, size, p=_mixture(used[:t], inherited, concentration, rng))
        used[t, drawn[t]] = True
    labels, names = number_by_appearance(drawn.ravel())
    data = means[drawn.ravel()] + rng.normal(0.0, np.sqrt(noise), (epochs * size, dimension))
    return DpchainPoints(np.repeat(np.arange(epochs, dtype=np.float64), size), labels, data, means[names])


def _mixture(used: NDArray[np.bool_], inherited: float, concentration: float, rng: np.random.Generator) -> FloatArray:
    """One epoch's proportions, given which clusters the earlier epochs used.

    A cluster weighs Σ 1/(t - τ) over the earlier epochs τ that used it. How many are inherited is uniform from 1 to all
    used so far; which, is drawn without replacement by weight; they share the inherited part by weight.
    """
    past, clusters = used.shape
    fresh = rng.dirichlet(np.full(clusters, concentration))
    if past == 0:
        return fresh
    weights = (1.0 / np.arange(past, 0, -1)) @ used
    count = rng.integers(1, np.count_nonzero(weights), endpoint=True)
    kept = rng.choice(clusters, count, replace=False, p=weights / weights.sum())
    old = np.zeros(clusters)
    old[kept] = weights[kept] / weights[kept].sum()
    return inherited * old + (1.0 - inherited) * fresh
