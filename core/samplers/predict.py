"""Kernels of answers: probabilities for documents that are not stored, and how well documents fit."""

import math

import numpy as np
from numpy.typing import NDArray

from ..contracts import explain, log_new
from ..items import NONE
from ..jit import kernel
from .draw import best_of, log_prior_weight, score_touched, score_untouched, total_weight
from .state import State


@kernel
def predict_kernel(
    state: State,
    order: NDArray[np.int64],
    out: NDArray[np.float64],
    names: NDArray[np.int64],
    counts: NDArray[np.int64],
    logs: NDArray[np.float64],
) -> None:
    """For documents in no thread: P(thread | x) by row with names, a new thread last, and log p(x)."""
    scratch = state.scratch
    for step in range(len(order)):
        i = order[step]
        touched, new, fresh = score_touched(state, i, False)
        count = score_untouched(state, i, touched, fresh, False)
        normaliser = math.exp(log_new(state.prior, state.items, i))
        for c in range(count):
            normaliser += math.exp(log_prior_weight(state, i, scratch.slots[c], False))
        best = best_of(scratch, 0, count, new)
        total = total_weight(scratch, count, new, best)
        for c in range(count):
            out[step, c] = scratch.weights[c] / total
            names[step, c] = state.slots.names[scratch.slots[c]]
        out[step, count] = math.exp(new - best) / total
        names[step, count] = NONE
        counts[step] = count + 1
        logs[step] = best + math.log(total) - math.log(normaliser)


@kernel
def gain_kernel(state: State, order: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    """What each document gains in its own thread against a new one, per word."""
    items = state.items
    most = 1
    for i in order:
        most = max(most, items.ends[i] - items.starts[i])
    gains = np.zeros(most)
    for step in range(len(order)):
        i = order[step]
        total = explain(state.likelihood, items, i, state.labels[i], gains)
        for w in range(items.ends[i] - items.starts[i]):
            total += gains[w]
        out[step] = total / max(items.lengths[i], 1)
