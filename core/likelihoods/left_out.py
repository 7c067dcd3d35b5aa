"""How likely documents of words are, each given the rest of its thread, as a function of the strength.

log p(d | rest) is a sum of terms log Γ(a + bβ + n) − log Γ(a + bβ), with a and n from the counts and b from the base
measure: Σ over words with others' count, m_v and d_v, less the one with the rest's total, 1 and L. Counts are read
once, then any number of strengths are tried.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ..index import times_rising
from ..items import Items, ranges
from ..jit import kernel
from .dirichlet_multinomial import DirichletMultinomialState, count_in

FEW = 16  # factors whose logs are faster than two log Γ


class Rising(NamedTuple):
    """Terms log Γ(a + bβ + n) − log Γ(a + bβ): those with few factors one by one, the others as they are."""

    factors: NDArray[np.int64]
    shares: NDArray[np.float64]
    many: NDArray[np.int64]
    many_shares: NDArray[np.float64]
    many_counts: NDArray[np.int64]


class LeftOut(NamedTuple):
    """All terms of some documents."""

    words: Rising
    lengths: Rising


def left_out(
    state: DirichletMultinomialState, items: Items, labels: NDArray[np.int64], order: NDArray[np.int64]
) -> LeftOut:
    """Read the counts of documents in threads."""
    sizes = items.ends[order] - items.starts[order]
    places = ranges(items.starts[order], sizes)
    words, counts = items.words[places], items.counts[places]
    others = np.empty(len(places), np.int64)
    others_kernel(state, words, counts, np.repeat(labels[order], sizes), others)
    lengths = items.lengths[order]
    rest = state.total[labels[order]] - lengths
    shares = state.mass[words] / state.strength
    return LeftOut(_rising(others, shares, counts), _rising(rest, np.ones(len(rest)), lengths))


def log_left_out(terms: LeftOut, strength: float) -> float:
    """Σ log p(document | the rest of its thread) under a strength."""
    return _sum(terms.words, strength) - _sum(terms.lengths, strength)


@kernel
def others_kernel(
    state: DirichletMultinomialState,
    words: NDArray[np.int64],
    counts: NDArray[np.int64],
    slots: NDArray[np.int64],
    others: NDArray[np.int64],
) -> None:
    """How often each word is in its slot beside so many times."""
    for w in range(len(words)):
        others[w] = count_in(state, words[w], slots[w]) - counts[w]


def _rising(start: NDArray[np.int64], shares: NDArray[np.float64], counts: NDArray[np.int64]) -> Rising:
    few = counts <= FEW
    return Rising(
        ranges(start[few], counts[few]), np.repeat(shares[few], counts[few]), start[~few], shares[~few], counts[~few]
    )


def _sum(terms: Rising, strength: float) -> float:
    x = terms.many + terms.many_shares * strength
    many = gammaln(x + terms.many_counts) - gammaln(x)
    return float(product_kernel(terms.factors, terms.shares, strength) + many.sum())


@kernel
def product_kernel(factors: NDArray[np.int64], shares: NDArray[np.float64], strength: float) -> float:
    """Σ log(factor + share · strength): one log serves many factors."""
    total, product = 0.0, 1.0
    for n in range(len(factors)):
        total, product = times_rising(total, product, factors[n] + shares[n] * strength, 1)
    return total + math.log(product)
