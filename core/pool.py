"""Several documents seen as one, to be scored together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .items import Items


class Pool(NamedTuple):
    """Working memory: the documents' words as a single document 0 of `items`, or what a Gaussian must know of them."""

    items: Items
    place: NDArray[np.int64]  # word -> 1 + its place among the words while they are gathered, 0 otherwise
    size: NDArray[np.int64]  # [0]: documents
    sums: NDArray[np.float64]  # by dimension
    squares: NDArray[np.float64]  # [0]: over all documents and dimensions


def new_pool(items: Items, vocabulary: int) -> Pool:
    """Room for all words of the documents."""
    words = np.zeros(min(vocabulary, len(items.words)), np.int64)
    one = np.zeros(1, np.int64)
    document = Items(
        np.zeros(1), one, one.copy(), words, words.copy(), one.copy(), np.zeros((1, items.points.shape[1]))
    )
    return Pool(document, np.zeros(vocabulary, np.int64), one.copy(), np.zeros(items.points.shape[1]), np.zeros(1))
