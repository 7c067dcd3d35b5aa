"""Drawing a thread for one document.

The likelihood of the threads that share a word with the document is cheap, their prior weight is not; but it has an
upper bound. The draw is made with bounds in place of weights, and only the weight of the thread it lands in is worked
out: what lies between weight and bound is drawn again. Threads that are bounded to be far less likely than the best are
treated as one, and so are those that share nothing: their summed weight is bounded by the prior's ceiling times the
likelihood of a new thread. The result is exact.

The document may be in a thread, its own, which then is scored as if it were not: most documents stay where they are,
and need not be taken out and put back for that. Its own thread's weight has a lower bound too, which mostly suffices:
with the uniform at hand, that bound against a rough one for all others tells that the document stays.
"""

import math

from ..contracts import (
    log_ceiling,
    log_conditional,
    log_conditional_within,
    log_floor_within,
    log_limit,
    log_new,
    log_predictive,
    log_score,
    log_score_and_own,
    log_score_untouched,
)
from ..items import NONE
from ..jit import helper
from ..slots import Scratch
from .state import State

HOPELESS = 45.0  # nats; a thread that cannot come within e^-45 of another is left out (below double precision)
LIKELY = 3.0  # nats; what is bounded to exceed the best score by more is scored at once
DIM = 12.0  # nats; what is bounded to be less than the best score by more is not told apart until a draw lands there
TINY = 1e-300  # what rounding may leave of a bound


@helper
def log_prior_weight(state: State, i: int, slot: int, full: bool) -> float:
    """The full conditional, or the predictive weight given only what is earlier."""
    if state.labels[i] == slot:
        return log_conditional_within(state.prior, state.items, i, slot)
    if full:
        return log_conditional(state.prior, state.items, i, slot)
    return log_predictive(state.prior, state.items, i, slot)


@helper
def bound_weights(state: State, count: int, own: int) -> float:
    """Bound the prior weights of the candidates; returns the highest bound on a score. The slot `own`, if it is one of
    them, is set apart."""
    scratch, top = state.scratch, -math.inf
    for c in range(count):
        slot = scratch.slots[c]
        scratch.exact[c] = slot == own
        scratch.limits[c] = log_limit(state.prior, state.slots.size[slot])
        if slot == own:
            scratch.scores[c] = -math.inf
            scratch.limits[c] = 0.0
        top = max(top, scratch.scores[c] + scratch.limits[c])
    return top


@helper
def bound_touched(state: State, i: int) -> tuple[int, float, float]:
    """Make the threads that the likelihood touches the candidates, their prior weights bounded; returns how many, and
    the score of a new thread with and without its prior weight."""
    touched, fresh = log_score(state.likelihood, state.items, i, state.scratch, state.slots)
    bound_weights(state, touched, NONE)
    return touched, log_new(state.prior, state.items, i) + fresh, fresh


@helper
def log_floor_of_own(state: State, i: int, own: int) -> float:
    """A lower bound on the prior weight of document i's own thread, as if i were not in it."""
    floor = log_floor_within(state.prior, state.items, i, own)
    return floor if floor > -math.inf else log_conditional_within(state.prior, state.items, i, own)


@helper
def make_exact(state: State, i: int, c: int, full: bool) -> float:
    """The score of a candidate with its prior weight."""
    scratch = state.scratch
    if not scratch.exact[c]:
        scratch.scores[c] += log_prior_weight(state, i, scratch.slots[c], full)
        scratch.limits[c] = 0.0
        scratch.exact[c] = True
    return scratch.scores[c]


@helper
def sharpen(state: State, i: int, begin: int, end: int, best: float, margin: float, full: bool) -> float:
    """Score those candidates that may exceed the best by the margin, the most promising first; returns the best."""
    scratch = state.scratch
    top = begin
    for c in range(begin + 1, end):
        if scratch.scores[c] + scratch.limits[c] > scratch.scores[top] + scratch.limits[top]:
            top = c
    if begin == end or scratch.scores[top] + scratch.limits[top] <= best + margin:
        return best
    best = max(best, make_exact(state, i, top, full))
    for c in range(begin, end):
        if scratch.scores[c] + scratch.limits[c] > best + margin:
            best = max(best, make_exact(state, i, c, full))
    return best


@helper
def score_touched(state: State, i: int, full: bool) -> tuple[int, float, float]:
    """Like `bound_touched`, with all weights worked out; what is hopeless has none."""
    scratch = state.scratch
    touched, new, fresh = bound_touched(state, i)
    sharpen(state, i, 0, touched, new, -HOPELESS, full)
    for c in range(touched):
        if not scratch.exact[c]:
            scratch.scores[c] = -math.inf
            scratch.limits[c] = 0.0
            scratch.exact[c] = True
    return touched, new, fresh


@helper
def bound_untouched(state: State, i: int, touched: int, fresh: float) -> int:
    """Append the threads that the likelihood left out to the candidates, their prior weights bounded; returns how many
    candidates there are in all."""
    slots, scratch = state.slots, state.scratch
    count = touched
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0 and scratch.mark[slot] != scratch.stamp[0]:
            scratch.slots[count] = slot
            scratch.scores[count] = fresh + log_score_untouched(state.likelihood, state.items, i, slot)
            scratch.limits[count] = log_limit(state.prior, slots.size[slot])
            scratch.exact[count] = False
            scratch.weights[count] = 0.0
            count += 1
    return count


@helper
def score_untouched(state: State, i: int, touched: int, fresh: float, full: bool) -> int:
    """Like `bound_untouched`, with all weights worked out."""
    count = bound_untouched(state, i, touched, fresh)
    for c in range(touched, count):
        make_exact(state, i, c, full)
    return count


@helper
def best_of(scratch: Scratch, begin: int, end: int, best: float) -> float:
    """The highest log score among the candidates and `best`."""
    for c in range(begin, end):
        best = max(best, scratch.scores[c])
    return best


@helper
def total_weight(scratch: Scratch, count: int, new: float, top: float) -> float:
    """Write the weights of the candidates that are scored, against the best; returns their sum with a new thread."""
    total = math.exp(new - top)
    for c in range(count):
        scratch.weights[c] = math.exp(scratch.scores[c] - top) if scratch.exact[c] else 0.0
        total += scratch.weights[c]
    return total


@helper
def to_weights(scratch: Scratch, count: int, best: float) -> tuple[float, float]:
    """Write weights, or their bounds, relative to the best, 0 for dim ones; returns the sum, and a bound on that of the
    dim ones."""
    total, dim = 0.0, 0.0
    for c in range(count):
        height = scratch.scores[c] + scratch.limits[c] - best
        if height > -DIM:
            scratch.weights[c] = math.exp(height)
            total += scratch.weights[c]
        else:
            scratch.weights[c] = 0.0
            dim += 1.0
    return total, dim * math.exp(-DIM)


@helper
def land(scratch: Scratch, count: int, target: float) -> tuple[int, float]:
    """The candidate in whose weight the target falls and how far in, or `count` and how far beyond them all."""
    for c in range(count):
        if target < scratch.weights[c]:
            return c, target
        target -= scratch.weights[c]
    return count, target


@helper
def land_dim(scratch: Scratch, count: int, best: float, target: float) -> tuple[int, float, float]:
    """Tell the dim candidates apart; returns like `land`, for them alone, and their sum."""
    total, found, inside = 0.0, count, target
    for c in range(count):
        if scratch.weights[c] == 0.0:
            scratch.weights[c] = math.exp(scratch.scores[c] + scratch.limits[c] - best)
            if found == count and target - total < scratch.weights[c]:
                found, inside = c, target - total
            total += scratch.weights[c]
    return found, inside if found < count else target - total, total


@helper
def draw(state: State, i: int, uniform: float, full: bool) -> int:
    """The slot drawn for document i, NONE for a new thread. The likelihood touches the slot it is in for sure.

    On the line that the uniform points at, its own thread comes first: it stays if it would stay with less of its own
    weight and more of the others'.
    """
    scratch, own = state.scratch, state.labels[i]
    shared = own if own != NONE and state.slots.size[own] > 1 else NONE  # a thread of its own is a new one
    count, fresh, score = log_score_and_own(state.likelihood, state.items, i, shared, scratch, state.slots)
    top, new = bound_weights(state, count, own), log_new(state.prior, state.items, i) + fresh
    floor = score + log_floor_of_own(state, i, own) if shared != NONE else -math.inf
    ceiling = fresh + log_ceiling(state.prior, state.items, i) if count < state.slots.marks[2] else -math.inf
    behind = max(top, new, ceiling) - floor
    if behind < 0.0 and uniform * (1.0 + (count + 2) * math.exp(behind)) < 1.0:
        return own
    best = sharpen(state, i, 0, count, max(new, floor), LIKELY, full)
    if ceiling > best + LIKELY:
        touched, ceiling = count, -math.inf
        count = bound_untouched(state, i, touched, fresh)
        best = sharpen(state, i, touched, count, best, LIKELY, full)
    new_weight, unseen, least = math.exp(new - best), math.exp(ceiling - best), math.exp(floor - best)
    others, dim = to_weights(scratch, count, best)
    dim += unseen
    others += new_weight + dim
    if uniform * (least + others) < least:
        return own
    own_weight = math.exp(score + log_prior_weight(state, i, own, full) - best) if least > 0.0 else 0.0
    total = own_weight + others
    while True:
        if uniform * total < own_weight:
            return own
        c, inside = land(scratch, count, uniform * total - own_weight)
        if c == count:
            if inside < new_weight or dim == 0.0:
                return NONE
            if ceiling > -math.inf:
                count = bound_untouched(state, i, count, fresh)
            c, inside, opened = land_dim(scratch, count, best, inside - new_weight)
            slack, dim = dim - opened, 0.0
            total -= slack
            if c == count:
                uniform = inside / max(slack, TINY)
                continue
        bound = scratch.weights[c]
        weight = bound if scratch.exact[c] else math.exp(make_exact(state, i, c, full) - best)
        if inside < weight:
            return scratch.slots[c]
        scratch.weights[c] = weight
        total -= bound - weight
        uniform = (inside - weight) / (bound - weight)
