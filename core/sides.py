"""The two sides of a split-merge move and their union, worked out beside the threads, which stay as they are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit import helper

LEFT, RIGHT, BOTH = range(3)  # LEFT and BOTH have the settled documents of the slot that the move starts from
LARGEST = 256  # window documents in a move; more would cost more than they are worth


class Sides(NamedTuple):
    """Documents on each side so far, in time order, and what prior and likelihood know of them."""

    documents: NDArray[np.int64]  # (3, LARGEST)
    values: NDArray[np.float64]  # (3, LARGEST): what the prior notes of each document
    size: NDArray[np.int64]  # (3,)
    words: NDArray[np.int64]  # (vocabulary, 3): counts, valid where `seen` is the stamp
    seen: NDArray[np.int64]
    total: NDArray[np.int64]  # (3,): words, or vectors
    sums: NDArray[np.float64]  # (3, dimensions)
    marks: NDArray[np.int64]  # the slot with settled documents; how many; first in the window; stamp


def new_sides(vocabulary: int, dimensions: int) -> Sides:
    """Working memory for moves over so many words or dimensions."""
    return Sides(
        np.zeros((3, LARGEST), np.int64),
        np.zeros((3, LARGEST)),
        np.zeros(3, np.int64),
        np.zeros((vocabulary, 3), np.int64),
        np.zeros(vocabulary, np.int64),
        np.zeros(3, np.int64),
        np.zeros((3, dimensions)),
        np.zeros(4, np.int64),
    )


@helper
def settled_on(sides: Sides, s: int) -> int:
    """Settled documents of a side."""
    return 0 if s == RIGHT else sides.marks[1]


@helper
def follow(sides: Sides, s: int, i: int) -> None:
    """Document i is the next of a side; `log_follow` has noted its value."""
    sides.documents[s, sides.size[s]] = i
    sides.size[s] += 1
