"""What the generators share: argument checks, seating one customer, numbering groups, drawing words."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Decay = Callable[[FloatArray], FloatArray]

_BLOCK_CELLS = 1 << 22


class Partition(NamedTuple):
    """Groups without data: `labels` are numbered by first appearance, `times` are sorted."""

    times: FloatArray
    labels: IntArray


def exponential(rate: float) -> Decay:
    """Decay f(d) = exp(-rate·d) of an array of ages."""
    require_nonnegative(rate=rate)
    return lambda ages: np.exp(-rate * ages)


def require_positive(**arguments: float) -> None:
    """Raise ValueError naming the first argument that is not finite and above zero."""
    for name, value in arguments.items():
        if not 0 < value < np.inf:
            raise ValueError(f"{name} must be positive and finite, got {value}")


def require_nonnegative(**arguments: float) -> None:
    """Raise ValueError naming the first argument that is not finite and at least zero."""
    for name, value in arguments.items():
        if not 0 <= value < np.inf:
            raise ValueError(f"{name} must be finite and not negative, got {value}")


def require_share(**arguments: float) -> None:
    """Raise ValueError naming the first argument that is not between zero and one."""
    for name, value in arguments.items():
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must lie between 0 and 1, got {value}")


def pick(weights: FloatArray, alpha: float, rng: np.random.Generator) -> int:
    """Draw an index in proportion to its weight; `len(weights)`, meaning a new one, has weight alpha."""
    cumulative = weights.cumsum()
    total = cumulative[-1] if cumulative.size else 0.0
    return int(cumulative.searchsorted(rng.random() * (total + alpha), side="right"))


def number_by_appearance(labels: IntArray) -> tuple[IntArray, IntArray]:
    """Rename labels to 0, 1, … in order of first appearance; second, the old name of each new one."""
    names, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return rank[inverse].astype(np.int64), names[order]


def draw_words(
    theta: FloatArray, rows: IntArray, lengths: IntArray, rng: np.random.Generator
) -> sparse.csr_array[np.int64]:
    """Document i holds lengths[i] words from the multinomial theta[rows[i]]; dense only a block at a time."""
    block = max(1, _BLOCK_CELLS // theta.shape[1])
    starts = range(0, rows.size, block)
    parts = (rng.multinomial(lengths[s : s + block], theta[rows[s : s + block]]) for s in starts)
    return sparse.vstack([sparse.csr_array(part) for part in parts], format="csr")
