"""The baseline of the RCRP paper's section 6: a fixed number K of Gaussian chains, all alive in every epoch.

φ_{k,t} ~ N(φ_{k,t−1}, drift·I), φ_{k,0} ~ N(0, spread·I), x ~ Σ_k π_{k,t} N(φ_{k,t}, noise·I), π_t ~ Dir(1). Gibbs
sampling: labels given chains and weights, weights given labels, chains as a block by forward filtering, backward
sampling.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Knobs(NamedTuple):
    """Variances, as those of `core.GaussianChain`."""

    noise: float
    spread: float
    drift: float


def draw_labels(points: Floats, chains: Floats, weights: Floats, noise: float, rng: np.random.Generator) -> Floats:
    """(epochs, documents) from (epochs, documents, dimensions), (epochs, K, dimensions) and (epochs, K)."""
    squares = ((points[:, :, None, :] - chains[:, None, :, :]) ** 2).sum(axis=3)
    scores = np.log(weights)[:, None, :] - 0.5 * squares / noise
    return np.asarray((scores + rng.gumbel(size=scores.shape)).argmax(axis=2))


def draw_chains(points: Floats, labels: Floats, count: int, knobs: Knobs, rng: np.random.Generator) -> Floats:
    """(epochs, K, dimensions) given the labels."""
    member = labels[:, :, None] == np.arange(count)
    size = member.sum(axis=1)[:, :, None]
    total = np.einsum("tnk,tnd->tkd", member, points)
    mean = np.zeros((len(points), count, points.shape[2]))
    variance = np.zeros((len(points), count, 1))
    before, faded = np.zeros_like(mean[0]), np.full_like(variance[0], knobs.spread)
    for t in range(len(points)):
        variance[t] = 1.0 / (1.0 / faded + size[t] / knobs.noise)
        mean[t] = variance[t] * (before / faded + total[t] / knobs.noise)
        before, faded = mean[t], variance[t] + knobs.drift
    noise = rng.standard_normal(mean.shape)
    chains = mean + np.sqrt(variance) * noise
    for t in range(len(points) - 2, -1, -1):
        gain = variance[t] / (variance[t] + knobs.drift)
        chains[t] = mean[t] + gain * (chains[t + 1] - mean[t]) + np.sqrt(variance[t] * (1.0 - gain)) * noise[t]
    return chains


def kalman_mixture(
    points: Floats, count: int, knobs: Knobs, *, sweeps: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Labels of (epochs, documents, dimensions) after so many sweeps; chains start at random points and stand still."""
    everything = points.reshape(-1, points.shape[2])
    chains = np.repeat(everything[None, rng.choice(len(everything), count, replace=False)], len(points), axis=0)
    weights = np.full((len(points), count), 1.0 / count)
    for _ in range(sweeps):
        labels = draw_labels(points, chains, weights, knobs.noise, rng)
        size = (labels[:, :, None] == np.arange(count)).sum(axis=1)
        weights = rng.standard_gamma(size + 1.0)
        weights /= weights.sum(axis=1, keepdims=True)
        chains = draw_chains(points, labels, count, knobs, rng)
    return labels.ravel().astype(np.int64)
