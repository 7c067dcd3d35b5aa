"""Words whose natural parameters walk (Ahmed, Xing 2007, §7): x ~ Multinomial(softmax φ_t), φ_t ~ N(φ_s, ρ(t − s)·I),
φ ~ N(log m, σ·I) at birth.

Not conjugate, so what the words of one time say of φ_t is replaced by a Gaussian (Laplace, eq. 13-15), one scalar walk
per word (walks.py). With counts v, their total N and the normaliser held at 1, a word's part is v φ − N e^φ. It is
expanded at the maximum of that with the prior added, the smoothed point of maximum likelihood: log 0 is none. The
curvature is N e^φ, not the diagonal N g (1 − g) of the whole Hessian: that leaves the variance of every difference
φ_v − φ_w as large sums of words have it, and only the level of all φ, which softmax ignores, is pinned.

A document is scored by Laplace's method given the Gaussian that the other documents of its thread leave at its time,
this time with the whole Hessian, a diagonal less g gᵀ. At a time not used yet that is the walk's predictive.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..contracts import attach, detach, log_score, log_score_in, log_score_untouched, log_score_within, room
from ..growth import grow, widen
from ..index import find
from ..items import Items, positive
from ..jit import helper
from ..slots import Scratch, Slots
from .dirichlet_multinomial import DirichletMultinomial
from .gaussian import touch
from .walks import Walks, cell_of, close_time, doubled, look, new_walks, open_time, refilter, walks_room, with_cells
from .walks import with_slots as walks_with_slots

VARIANCES = (1e-6, 1e3)  # nats squared
LEAST_SHARE = 1e-100  # of a word that never occurs
STEPS = 20  # of Newton's method at most
CLOSE = 0.01  # nats; when the second order promises less, the mode is near enough for it to be right
FARTHEST = 2.0  # nats; beyond, e^φ is not what its expansion says


@dataclass(frozen=True, eq=False)
class LogisticNormalChain:
    """spread: σ, the variance of a word's natural parameter at birth around log m. drift: ρ, of its walk per unit of
    time (an epoch for RCRP), >= 0. base: m, one probability per word of the vocabulary, uniform when None."""

    spread: float
    drift: float
    base: ArrayLike | None = None

    def __post_init__(self) -> None:
        least, most = VARIANCES
        object.__setattr__(self, "spread", positive("spread", self.spread, least=least, most=most))
        object.__setattr__(self, "drift", positive("drift", self.drift, zero=True, most=most))
        object.__setattr__(self, "base", self._words().base)

    def _words(self) -> DirichletMultinomial:
        """What knows how to read counts and a base."""
        return DirichletMultinomial(1.0, self.base)

    def items(self, data: Any, times: ArrayLike) -> Items:
        """Documents from a count matrix."""
        return self._words().items(data, times)

    def start(self, items: Items, vocabulary: int, capacity: int) -> "LogisticNormalChainState":
        """The state of no document attached."""
        centre = np.log(np.maximum(self._words().base_over(vocabulary), LEAST_SHARE))
        walks = new_walks(items, centre, self.spread, self.drift, capacity)
        return LogisticNormalChainState(
            walks, np.zeros(walks.mean.shape), np.zeros(len(walks.mean)), np.zeros(vocabulary), np.zeros(vocabulary)
        )

    def log_peak(self, items: Items) -> float:
        """A document that moves a thread's birth can make the others likelier, so there is no bound."""
        return math.inf


class LogisticNormalChainState(NamedTuple):
    """The walks, and the word counts of each cell."""

    walks: Walks
    counts: NDArray[np.float64]  # (cells, words)
    total: NDArray[np.float64]  # by cell
    document: NDArray[np.float64]  # counts of the document that is scored, 0 between
    step: NDArray[np.float64]  # working memory


@widen.register
def _widen(state: LogisticNormalChainState, capacity: int) -> LogisticNormalChainState:
    return state._replace(walks=walks_with_slots(state.walks, capacity))


@grow.register
def _grow(state: LogisticNormalChainState) -> LogisticNormalChainState:
    return state._replace(walks=with_cells(state.walks), counts=doubled(state.counts), total=doubled(state.total))


@room.implements(LogisticNormalChainState)
def moving_words_room(state: LogisticNormalChainState, items: Items, i: int) -> bool:
    return walks_room(state.walks)


@helper
def omega(z: float) -> float:
    """Wright's ω, which solves ω + log ω = z, to 3e-4 or better: a series, or Newton from Iacono and Boyd's start."""
    if z < -3.0:
        y = math.exp(z)
        return y * (1.0 - y * (1.0 - 1.5 * y))
    start = math.log1p(math.exp(z)) if z < 30.0 else z
    w = start * (1.0 - math.log1p(start) / (2.0 + start))
    for _ in range(2):
        w *= (1.0 + z - math.log(w)) / (1.0 + w)
    return w


@helper
def log_rate(count: float, total: float, mean: float, variance: float) -> float:
    """The φ that makes count·φ − total·e^φ − (φ − mean)²/(2 variance) largest."""
    return mean + variance * count - omega(math.log(variance * total) + mean + variance * count)


@helper
def expand(state: LogisticNormalChainState, slot: int, entry: int) -> None:
    """Make the potential of an entry the expansion of its counts' likelihood (eq. 14-15)."""
    walks, cell = state.walks, cell_of(state.walks, entry)
    total = state.total[cell]
    for w in range(len(walks.centre)):
        if total == 0.0:
            walks.precision[cell, w] = walks.pull[cell, w] = 0.0
            continue
        point = log_rate(state.counts[cell, w], total, walks.centre[w], walks.spread)
        walks.precision[cell, w] = total * math.exp(point)
        walks.pull[cell, w] = walks.precision[cell, w] * (point - 1.0) + state.counts[cell, w]
    refilter(walks, slot, entry)


@attach.implements(LogisticNormalChainState)
def moving_words_attach(state: LogisticNormalChainState, items: Items, i: int, slot: int) -> None:
    entry = open_time(state.walks, slot, state.walks.rank[i])
    cell = cell_of(state.walks, entry)
    for w in range(items.starts[i], items.ends[i]):
        state.counts[cell, items.words[w]] += items.counts[w]
    state.total[cell] += items.lengths[i]
    expand(state, slot, entry)


@detach.implements(LogisticNormalChainState)
def moving_words_detach(state: LogisticNormalChainState, items: Items, i: int, slot: int) -> None:
    walks = state.walks
    entry = find(walks.times, slot, walks.rank[i])
    cell = cell_of(walks, entry)
    for w in range(items.starts[i], items.ends[i]):
        state.counts[cell, items.words[w]] -= items.counts[w]
    state.total[cell] -= items.lengths[i]
    walks.times.counts[entry] -= 1
    if walks.times.counts[entry] > 0:
        expand(state, slot, entry)
        return
    close_time(walks, slot, entry)
    refilter(walks, slot, entry)


@helper
def log_evidence(
    counts: NDArray[np.float64],
    length: float,
    mean: NDArray[np.float64],
    variance: NDArray[np.float64],
    step: NDArray[np.float64],
) -> float:
    """log ∫ Π softmax(φ)_w^{counts} N(φ; mean, variance) dφ by Laplace's method, without the multinomial coefficient.

    The step from the mean to the mode begins with each word's best for the normaliser that the mean has, and goes on by
    Newton's method.
    """
    normaliser = 0.0
    for w in range(len(counts)):
        normaliser += math.exp(mean[w])
    log_scale = math.log(length / normaliser)
    for w in range(len(counts)):
        pulled = variance[w] * counts[w]
        step[w] = pulled - omega(math.log(variance[w]) + log_scale + mean[w] + pulled)
    for _ in range(STEPS):
        value, gain, along = expand_at(counts, length, mean, variance, step)
        if gain < CLOSE:
            break
        move_on(counts, length, mean, variance, step, along)
    return value + gain


@helper
def expand_at(
    counts: NDArray[np.float64],
    length: float,
    mean: NDArray[np.float64],
    variance: NDArray[np.float64],
    step: NDArray[np.float64],
) -> tuple[float, float, float]:
    """Laplace's approximation at mean + step, what is still to gain by the second order, and what Newton's step needs.

    The curvature is diag(1/P + L g) − L g gᵀ, inverted by Sherman and Morrison's formula.
    """
    mass, value = 0.0, 0.0
    for w in range(len(counts)):
        mass += math.exp(mean[w] + step[w])
        value += counts[w] * (mean[w] + step[w]) - 0.5 * step[w] * step[w] / variance[w]
    rest, along, gain, product = 0.0, 0.0, 0.0, 1.0
    for w in range(len(counts)):
        share = math.exp(mean[w] + step[w]) / mass
        slope = counts[w] - length * share - step[w] / variance[w]
        curved = 1.0 + variance[w] * length * share
        product *= curved
        if product > 1e100:
            value -= 0.5 * math.log(product)
            product = 1.0
        rest += share / curved
        along += share * slope * variance[w] / curved
        gain += slope * slope * variance[w] / curved
    value -= length * math.log(mass) + 0.5 * math.log(product * rest)
    along *= length / rest
    return value, 0.5 * (gain + along * along * rest / length), along


@helper
def move_on(
    counts: NDArray[np.float64],
    length: float,
    mean: NDArray[np.float64],
    variance: NDArray[np.float64],
    step: NDArray[np.float64],
    along: float,
) -> None:
    """Newton's step, no coordinate by more than FARTHEST."""
    mass = 0.0
    for w in range(len(counts)):
        mass += math.exp(mean[w] + step[w])
    for w in range(len(counts)):
        share = math.exp(mean[w] + step[w]) / mass
        slope = counts[w] - length * share - step[w] / variance[w]
        newton = (slope + share * along) * variance[w] / (1.0 + variance[w] * length * share)
        step[w] += max(-FARTHEST, min(FARTHEST, newton))


@helper
def log_words_on_walk(state: LogisticNormalChainState, items: Items, i: int, slot: int) -> float:
    """log p(x_i | members of the slot); slot -1 stands for a new thread."""
    shift = look(state.walks, slot, state.walks.rank[i])
    if items.lengths[i] == 0:
        return shift
    for w in range(items.starts[i], items.ends[i]):
        state.document[items.words[w]] = items.counts[w]
    sight = state.walks.sight
    score = log_evidence(state.document, float(items.lengths[i]), sight[0], sight[1], state.step)
    for w in range(items.starts[i], items.ends[i]):
        state.document[items.words[w]] = 0.0
    return shift + score


@log_score.implements(LogisticNormalChainState)
def moving_words_log_score(
    state: LogisticNormalChainState, items: Items, i: int, scratch: Scratch, slots: Slots
) -> tuple[int, float]:
    touched = 0
    scratch.stamp[0] += 1
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0:
            touch(scratch, touched, slot, log_words_on_walk(state, items, i, slot))
            touched += 1
    return touched, log_words_on_walk(state, items, i, -1)


@log_score_untouched.implements(LogisticNormalChainState)
def moving_words_log_score_untouched(state: LogisticNormalChainState, items: Items, i: int, slot: int) -> float:
    return -math.inf


@log_score_in.implements(LogisticNormalChainState)
def moving_words_log_score_in(state: LogisticNormalChainState, items: Items, i: int, slot: int) -> float:
    return log_words_on_walk(state, items, i, slot)


@log_score_within.implements(LogisticNormalChainState)
def moving_words_log_score_within(state: LogisticNormalChainState, items: Items, i: int, slot: int) -> float:
    detach(state, items, i, slot)
    score = log_words_on_walk(state, items, i, slot)
    attach(state, items, i, slot)
    return score
