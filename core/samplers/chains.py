"""Whole paths of threads whose parameters walk: the RTS smoother, and forward filtering, backward sampling.

Samplers of labels integrate the walks out; this is for what is told of them afterwards: where a thread's parameters
were at each of its times, and how they moved.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ArgumentError
from ..items import as_array, check_labels
from ..likelihoods.gaussian_chain import GaussianChain
from ..likelihoods.logistic_normal_chain import LogisticNormalChain
from ..likelihoods.walks import Walks
from ..priors.crp import CRP
from .gibbs import generator, vocabulary
from .labelling import Labelling

Floats = NDArray[np.float64]


class Path(NamedTuple):
    """A thread's parameters at each of its times, given all its documents; coordinates are independent."""

    times: Floats
    mean: Floats  # (times, coordinates)
    variance: Floats


class Filtered(NamedTuple):
    """Given the documents up to each time only, and the variance that the walk gathers after it."""

    times: Floats
    mean: Floats
    variance: Floats
    walked: Floats  # one less than times


def smooth(likelihood: Any, data: Any, times: ArrayLike, labels: ArrayLike) -> dict[int, Path]:
    """label -> path of its thread. Coordinates are dimensions, or words with their natural parameters."""
    return {label: smoothed(filtered) for label, filtered in _filtered(likelihood, data, times, labels)}


def draw_paths(likelihood: Any, data: Any, times: ArrayLike, labels: ArrayLike, *, seed: int) -> dict[int, Floats]:
    """label -> a draw (times, coordinates) of its thread's path from the posterior, drawn as one block."""
    rng = generator(seed)
    return {label: drawn(filtered, rng) for label, filtered in _filtered(likelihood, data, times, labels)}


def smoothed(filtered: Filtered) -> Path:
    """The Rauch-Tung-Striebel recursion for a random walk."""
    mean, variance = filtered.mean.copy(), filtered.variance.copy()
    for t in range(len(mean) - 2, -1, -1):
        predicted = filtered.variance[t] + filtered.walked[t]
        gain = filtered.variance[t] / predicted
        mean[t] += gain * (mean[t + 1] - filtered.mean[t])
        variance[t] += gain**2 * (variance[t + 1] - predicted)
    return Path(filtered.times, mean, variance)


def drawn(filtered: Filtered, rng: np.random.Generator) -> Floats:
    """φ_T from the filter, then φ_t given φ_{t+1} and the filter, backwards."""
    noise = rng.standard_normal(filtered.mean.shape)
    path = filtered.mean + np.sqrt(filtered.variance) * noise
    for t in range(len(path) - 2, -1, -1):
        gain = filtered.variance[t] / (filtered.variance[t] + filtered.walked[t])
        spread = np.sqrt(filtered.variance[t] * (1.0 - gain))
        path[t] = filtered.mean[t] + gain * (path[t + 1] - filtered.mean[t]) + spread * noise[t]
    return path


def _filtered(likelihood: Any, data: Any, times: ArrayLike, labels: ArrayLike) -> Iterator[tuple[int, Filtered]]:
    if not isinstance(likelihood, GaussianChain | LogisticNormalChain):
        raise ArgumentError("likelihood", f"is {likelihood!r:.40}", "pass a GaussianChain or a LogisticNormalChain")
    items = likelihood.items(data, times)
    slots = check_labels("labels", labels, len(items.times))
    labelling = Labelling(CRP(1.0), likelihood, items, vocabulary(data))
    labelling.load(np.arange(len(slots)), slots)
    _, first = np.unique(slots, return_index=True)
    for slot, label in enumerate(as_array("labels", labels)[first].tolist()):
        yield label, _filter_of(labelling.likelihood.walks, slot)


def _filter_of(walks: Walks, slot: int) -> Filtered:
    """What the slot's cells hold."""
    entries = slice(walks.times.start[slot], walks.times.start[slot] + walks.times.length[slot])
    when = walks.clock[walks.times.ids[entries]]
    cells = walks.times.values[entries].astype(np.int64)
    return Filtered(when, walks.mean[cells], walks.variance[cells], walks.drift * np.diff(when))
