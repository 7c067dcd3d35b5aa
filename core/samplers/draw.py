"""Drawing a thread for one document.

The likelihood of the threads that share a word with the document is cheap, their prior weight is not; but it has an
upper bound. The draw is made with bounds in place of weights, and only the weight of the thread it lands in is worked
out: what lies between weight and bound is drawn again. Threads that share nothing are treated as one: their summed
weight is bounded by the prior's ceiling times the likelihood of a new thread. The result is exact.

The document may be in a thread, its own, which then is scored as if it were not: most documents stay where they are,
and need not be taken out and put back for that.
"""

import math

from ..contracts import (
    log_ceiling,
    log_conditional,
    log_conditional_within,
    log_limit,
    log_new,
    log_predictive,
    log_score,
    log_score_untouched,
    log_score_within,
)
from ..items import NONE
from ..jit import helper
from ..slots import Scratch
from .state import State

HOPELESS = 45.0  # nats; a thread that cannot come within e^-45 of another is left out (below double precision)
LIKELY = 3.0  # nats; what is bounded to exceed the best score by more is scored at once


@helper
def log_prior_weight(state: State, i: int, slot: int, full: bool) -> float:
    """The full conditional, or the predictive weight given only what is earlier."""
    if full:
        return log_conditional(state.prior, state.items, i, slot)
    return log_predictive(state.prior, state.items, i, slot)


@helper
def bound_touched(state: State, i: int, own: int) -> tuple[int, float, float]:
    """Make the threads that the likelihood touches the candidates, their prior weights bounded; returns how many, and
    the score of a new thread with and without its prior weight."""
    prior, items, scratch = state.prior, state.items, state.scratch
    touched, fresh = log_score(state.likelihood, items, i, scratch, state.slots)
    for c in range(touched):
        scratch.limits[c] = log_limit(prior, state.slots.size[scratch.slots[c]])
        scratch.exact[c] = False
    if own != NONE:
        c = scratch.where[own]
        if state.slots.size[own] > 1:
            scratch.scores[c] = log_score_within(state.likelihood, items, i, own)
            scratch.limits[c] = log_limit(prior, state.slots.size[own] - 1)
        else:  # a thread of its own is a new one
            scratch.scores[c] = -math.inf
            scratch.limits[c] = 0.0
            scratch.exact[c] = True
    return touched, log_new(prior, items, i) + fresh, fresh


@helper
def make_exact(state: State, i: int, own: int, c: int, full: bool) -> float:
    """The score of a candidate with its prior weight."""
    scratch = state.scratch
    if not scratch.exact[c]:
        slot = scratch.slots[c]
        if slot == own:
            scratch.scores[c] += log_conditional_within(state.prior, state.items, i, slot)
        else:
            scratch.scores[c] += log_prior_weight(state, i, slot, full)
        scratch.limits[c] = 0.0
        scratch.exact[c] = True
    return scratch.scores[c]


@helper
def sharpen(state: State, i: int, own: int, touched: int, best: float, margin: float, full: bool) -> float:
    """Score those that may exceed the best by the margin, the most promising first; returns the best score."""
    scratch = state.scratch
    top = 0
    for c in range(1, touched):
        if scratch.scores[c] + scratch.limits[c] > scratch.scores[top] + scratch.limits[top]:
            top = c
    if touched > 0:
        best = max(best, make_exact(state, i, own, top, full))
    for c in range(touched):
        if scratch.scores[c] + scratch.limits[c] > best + margin:
            best = max(best, make_exact(state, i, own, c, full))
    return best


@helper
def score_touched(state: State, i: int, full: bool) -> tuple[int, float, float]:
    """Like `bound_touched`, with all weights worked out; what is hopeless has none."""
    scratch = state.scratch
    touched, new, fresh = bound_touched(state, i, NONE)
    sharpen(state, i, NONE, touched, new, -HOPELESS, full)
    for c in range(touched):
        if not scratch.exact[c]:
            scratch.scores[c] = -math.inf
            scratch.limits[c] = 0.0
            scratch.exact[c] = True
    return touched, new, fresh


@helper
def score_untouched(state: State, i: int, touched: int, fresh: float, full: bool) -> int:
    """Append the threads that the likelihood left out to the candidates; returns how many there are in all."""
    slots, scratch = state.slots, state.scratch
    count = touched
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0 and scratch.mark[slot] != scratch.stamp[0]:
            weight = log_prior_weight(state, i, slot, full)
            scratch.slots[count] = slot
            scratch.scores[count] = fresh + log_score_untouched(state.likelihood, state.items, i, slot) + weight
            scratch.limits[count] = 0.0
            scratch.exact[count] = True
            count += 1
    return count


@helper
def best_of(scratch: Scratch, begin: int, end: int, best: float) -> float:
    """The highest log score among the candidates and `best`."""
    for c in range(begin, end):
        best = max(best, scratch.scores[c])
    return best


@helper
def to_weights(scratch: Scratch, begin: int, end: int, best: float) -> float:
    """Write weights, or their bounds, relative to the best; returns their sum."""
    total = 0.0
    for c in range(begin, end):
        scratch.weights[c] = math.exp(scratch.scores[c] + scratch.limits[c] - best)
        total += scratch.weights[c]
    return total


@helper
def land(scratch: Scratch, begin: int, end: int, target: float) -> tuple[int, float]:
    """The candidate in whose weight the target falls and how far in, or `end` and how far beyond them all."""
    for c in range(begin, end):
        if target < scratch.weights[c]:
            return c, target
        target -= scratch.weights[c]
    return end, target


@helper
def draw(state: State, i: int, own: int, uniform: float, full: bool) -> int:
    """The slot drawn for document i, NONE for a new thread. own: the slot it is in, touched for sure, or NONE."""
    scratch = state.scratch
    count, new, fresh = bound_touched(state, i, own)
    best = sharpen(state, i, own, count, new, LIKELY, full)
    ceiling = fresh + log_ceiling(state.prior, state.items, i) if count < state.slots.marks[2] else -math.inf
    if ceiling > best + LIKELY:
        touched, ceiling = count, -math.inf
        count = score_untouched(state, i, touched, fresh, full)
        best = best_of(scratch, touched, count, best)
    new_weight, unseen = math.exp(new - best), math.exp(ceiling - best)
    total = to_weights(scratch, 0, count, best) + new_weight + unseen
    while True:
        c, inside = land(scratch, 0, count, uniform * total)
        if c < count:
            bound = scratch.weights[c]
            weight = bound if scratch.exact[c] else math.exp(make_exact(state, i, own, c, full) - best)
            scratch.weights[c] = weight
            inside -= weight
        elif inside < new_weight or unseen == 0.0:
            return NONE
        else:
            bound, unseen, touched = unseen, 0.0, count
            count = score_untouched(state, i, touched, fresh, full)
            weight = to_weights(scratch, touched, count, best)
            c, inside = land(scratch, touched, count, inside - new_weight)
            inside = inside if c == count else -1.0
        if inside < 0.0:
            return scratch.slots[c]
        total -= bound - weight
        uniform = inside / (bound - weight)
