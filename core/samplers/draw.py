"""Drawing a thread for one document that is in none.

Threads that share nothing with the document are not scored one by one unless the draw falls among them: their summed
weight has an upper bound (the prior's ceiling times the likelihood of a new thread), the draw is made with the bound in
place of the sum, and only where it lands in the bound are they scored; what then lies between sum and bound is drawn
again. The result is exact.
"""

import math
from typing import Any

from ..contracts import log_ceiling, log_conditional, log_limit, log_new, log_predictive, log_score, log_score_untouched
from ..items import NONE, Items
from ..jit import helper
from ..slots import Scratch, Slots

HOPELESS = 45.0  # nats; a thread that cannot come within e^-45 of another is left out (below double precision)
LIKELY = 3.0  # nats; when the bound exceeds the best score by more, score everything at once


@helper
def log_prior_weight(prior: Any, items: Items, i: int, slot: int, full: bool) -> float:
    """The full conditional, or the predictive weight given only what is earlier."""
    return log_conditional(prior, items, i, slot) if full else log_predictive(prior, items, i, slot)


@helper
def score_touched(
    prior: Any, likelihood: Any, items: Items, i: int, slots: Slots, scratch: Scratch, full: bool
) -> tuple[int, float, float]:
    """Make the threads that the likelihood touches the candidates; returns how many, and the score of a new thread
    with and without its prior weight."""
    touched, fresh = log_score(likelihood, items, i, scratch, slots)
    new = log_new(prior, items, i) + fresh
    likeliest = 0
    for c in range(1, touched):
        if scratch.scores[c] > scratch.scores[likeliest]:
            likeliest = c
    best = new
    if touched > 0:
        scratch.scores[likeliest] += log_prior_weight(prior, items, i, scratch.slots[likeliest], full)
        best = max(best, scratch.scores[likeliest])
    for c in range(touched):
        slot = scratch.slots[c]
        if c == likeliest:
            continue
        if scratch.scores[c] + log_limit(prior, slots.size[slot]) < best - HOPELESS:
            scratch.scores[c] = -math.inf
        else:
            scratch.scores[c] += log_prior_weight(prior, items, i, slot, full)
    return touched, new, fresh


@helper
def score_untouched(
    prior: Any,
    likelihood: Any,
    items: Items,
    i: int,
    slots: Slots,
    scratch: Scratch,
    touched: int,
    fresh: float,
    full: bool,
) -> int:
    """Append the threads that the likelihood left out to the candidates; returns how many there are in all."""
    count = touched
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0 and scratch.mark[slot] != scratch.stamp[0]:
            weight = log_prior_weight(prior, items, i, slot, full)
            scratch.slots[count] = slot
            scratch.scores[count] = fresh + log_score_untouched(likelihood, items, i, slot) + weight
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
    """Turn log scores into weights relative to the best; returns their sum."""
    total = 0.0
    for c in range(begin, end):
        scratch.scores[c] = math.exp(scratch.scores[c] - best)
        total += scratch.scores[c]
    return total


@helper
def pick(scratch: Scratch, begin: int, end: int, target: float, new: float, total: float) -> int:
    """The candidate in whose weight the target falls, or NONE, a new thread of the given weight, beyond all."""
    for c in range(begin, end):
        target -= scratch.scores[c]
        if target < 0.0:
            scratch.chance[0] = scratch.scores[c] / total
            return scratch.slots[c]
    scratch.chance[0] = new / total
    return NONE


@helper
def draw(
    prior: Any, likelihood: Any, items: Items, i: int, uniform: float, slots: Slots, scratch: Scratch, full: bool
) -> int:
    """The slot drawn for document i, NONE for a new thread."""
    touched, new, fresh = score_touched(prior, likelihood, items, i, slots, scratch, full)
    best = best_of(scratch, 0, touched, new)
    ceiling = fresh + log_ceiling(prior, items, i) if touched < slots.marks[2] else -math.inf
    if ceiling > best + LIKELY:
        count = score_untouched(prior, likelihood, items, i, slots, scratch, touched, fresh, full)
        best = best_of(scratch, touched, count, best)
        new_weight = math.exp(new - best)
        total = to_weights(scratch, 0, count, best) + new_weight
        return pick(scratch, 0, count, uniform * total, new_weight, total)
    new_weight = math.exp(new - best)
    known = to_weights(scratch, 0, touched, best) + new_weight
    bound = math.exp(ceiling - best)
    target = uniform * (known + bound)
    if target < known:
        return pick(scratch, 0, touched, target, new_weight, known + bound)
    count = score_untouched(prior, likelihood, items, i, slots, scratch, touched, fresh, full)
    others = to_weights(scratch, touched, count, best)
    total = known + others
    if target < total:
        return pick(scratch, touched, count, target - known, new_weight, total)
    again = (target - total) / (bound - others)
    return pick(scratch, 0, count, again * total, new_weight, total)
