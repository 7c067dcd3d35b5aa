"""Pairs of documents for split-merge moves, drawn from the data alone: one at random, another that shares a word."""

import numpy as np
from numpy.typing import NDArray

from ..items import NONE, Items
from ..jit import kernel


def draw_pairs(
    items: Items, first: int, count: int, wanted: int, vocabulary: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """So many pairs of documents from `first` to `count`, fewer if some have no word. Vectors: any two."""
    one = rng.integers(first, count, wanted)
    if items.points.shape[1]:
        return np.stack([one, rng.integers(first, count, wanted)], axis=1)
    other = np.full(wanted, NONE, np.int64)
    partner_kernel(items, first, count, one, rng.random((wanted, 2)), vocabulary, other)
    return np.stack([one, other], axis=1)[other != NONE]


@kernel
def partner_kernel(
    items: Items,
    first: int,
    count: int,
    one: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    vocabulary: int,
    other: NDArray[np.int64],
) -> None:
    """For each document a random one of its words, and a random document among those that have it."""
    waiting = np.full(vocabulary, NONE)  # word -> a pair that wants it, and from there the next
    after, word = np.empty(len(one), np.int64), np.full(len(one), NONE)
    found = np.zeros(vocabulary, np.int64)  # documents that have a wanted word
    for p in range(len(one)):
        size = items.ends[one[p]] - items.starts[one[p]]
        if size > 0:
            word[p] = items.words[items.starts[one[p]] + int(uniforms[p, 0] * size)]
            after[p] = waiting[word[p]]
            waiting[word[p]] = p
    for d in range(first, count):
        for w in range(items.starts[d], items.ends[d]):
            found[items.words[w]] += waiting[items.words[w]] != NONE
    rank = np.empty(len(one), np.int64)  # of the document chosen among them, from the last
    for p in range(len(one)):
        rank[p] = int(uniforms[p, 1] * found[word[p]]) if word[p] != NONE else NONE
    for d in range(first, count):
        for w in range(items.starts[d], items.ends[d]):
            p = waiting[items.words[w]]
            found[items.words[w]] -= p != NONE
            while p != NONE:
                if found[items.words[w]] == rank[p]:
                    other[p] = d
                p = after[p]
