"""Placing documents that arrive, and settling those that leave the window."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..contracts import (
    explain,
    fading_time,
    forget,
    log_ceiling,
    log_new,
    log_score,
    log_score_in,
    log_weight_at,
    log_weight_then,
    purge,
    removable,
    renumber,
    settle,
)
from ..items import NONE, Items
from ..jit import helper, kernel
from ..slots import Scratch, Slots, leave, name_slot
from .draw import best_of, log_prior_weight, score_touched, score_untouched, to_weights
from .labels import DONE, put, shortage

RANKS = 3  # a placement tells the thread chosen and the next two
UNSEEN = 14.0  # nats; threads that share nothing and together weigh less than e^-14 of the best are not scored


class Life(NamedTuple):
    """What is known of each slot's settled documents."""

    settled: NDArray[np.int64]  # how many
    birth: NDArray[np.float64]  # time of the first
    last: NDArray[np.float64]  # time of the last


class Ranking(NamedTuple):
    """The best threads of each placed document: a row a document, best first, NONE where there are fewer."""

    names: NDArray[np.int64]
    probability: NDArray[np.float64]
    prior: NDArray[np.float64]  # log prior weight against a new thread
    length: NDArray[np.float64]  # what the document's length (or a vector's distance) adds
    gains: NDArray[np.float64]  # (words, RANKS): what each word adds, document after document
    is_new: NDArray[np.bool]


@helper
def rank(scratch: Scratch, count: int, new: float, best: NDArray[np.int64]) -> None:
    """The RANKS best candidates; `count` stands for a new thread."""
    scratch.scores[count] = new
    for r in range(RANKS):
        best[r] = NONE
        for c in range(count + 1):
            taken = False
            for q in range(r):
                taken = taken or best[q] == c
            if not taken and (best[r] == NONE or scratch.scores[c] > scratch.scores[best[r]]):
                best[r] = c


@helper
def settle_until(
    prior: Any, items: Items, labels: NDArray[np.int64], life: Life, cursor: int, count: int, limit: float
) -> int:
    """Settle the documents before the limit; returns the number of the first that is not."""
    while cursor < count and items.times[cursor] < limit:
        slot = labels[cursor]
        settle(prior, items, cursor, slot)
        if life.settled[slot] == 0:
            life.birth[slot] = items.times[cursor]
        life.settled[slot] += 1
        life.last[slot] = items.times[cursor]
        cursor += 1
    return cursor


@helper
def describe(
    prior: Any,
    likelihood: Any,
    items: Items,
    i: int,
    slots: Slots,
    scratch: Scratch,
    count: int,
    total: float,
    top: float,
    best: NDArray[np.int64],
    ranking: Ranking,
    row: int,
    word: int,
) -> None:
    """Write one row of the ranking."""
    for r in range(RANKS):
        c = best[r]
        ranking.names[row, r] = NONE
        if c == NONE:
            continue
        ranking.probability[row, r] = math.exp(scratch.scores[c] - top) / total
        if c == count:
            continue
        slot = scratch.slots[c]
        gains = ranking.gains[word:, r]
        ranking.names[row, r] = slots.names[slot]
        ranking.length[row, r] = explain(likelihood, items, i, slot, gains)
        ranking.prior[row, r] = scratch.scores[c] - log_score_in(likelihood, items, i, slot) - log_new(prior, items, i)


@helper
def evaluate(
    prior: Any,
    likelihood: Any,
    items: Items,
    i: int,
    slots: Slots,
    scratch: Scratch,
    best: NDArray[np.int64],
    ranking: Ranking,
    row: int,
    word: int,
) -> int:
    """Score document i against all threads and rank them; returns the best slot, NONE for a new thread."""
    touched, new, fresh = score_touched(prior, likelihood, items, i, slots, scratch, True)
    top = best_of(scratch, 0, touched, new)
    count = touched
    if touched < slots.marks[2] and fresh + log_ceiling(prior, items, i) > top - UNSEEN:
        count = score_untouched(prior, likelihood, items, i, slots, scratch, touched, fresh, True)
        top = best_of(scratch, touched, count, top)
    total = math.exp(new - top)
    for c in range(count):
        total += math.exp(scratch.scores[c] - top)
    rank(scratch, count, new, best)
    describe(prior, likelihood, items, i, slots, scratch, count, total, top, best, ranking, row, word)
    return NONE if best[0] == count else scratch.slots[best[0]]


@kernel
def place_kernel(
    prior: Any,
    likelihood: Any,
    items: Items,
    slots: Slots,
    scratch: Scratch,
    labels: NDArray[np.int64],
    confidence: NDArray[np.float64],
    life: Life,
    order: NDArray[np.int64],
    count: int,
    window: float,
    clock: NDArray[np.float64],
    cursor: NDArray[np.int64],
    best: NDArray[np.int64],
    ranking: Ranking,
    rows: NDArray[np.int64],
    words: NDArray[np.int64],
    begin: int,
) -> tuple[int, int]:
    """Put each document of `order` into its most probable thread and move the clock; returns like `sweep_kernel`."""
    for step in range(begin, len(order)):
        i = order[step]
        status = shortage(prior, likelihood, items, i, slots)
        if status != DONE:
            return step, status
        row = rows[step]
        slot = evaluate(prior, likelihood, items, i, slots, scratch, best, ranking, row, words[step])
        if slot == NONE:
            slot = name_slot(slots)
            ranking.names[row, 0] = slots.names[slot]
            ranking.is_new[row] = True
            life.settled[slot] = 0
        put(prior, likelihood, items, slots, labels, i, slot)
        confidence[i] = ranking.probability[row, 0]
        clock[0] = max(clock[0], items.times[i])
        cursor[0] = settle_until(prior, items, labels, life, cursor[0], count, clock[0] - window)
    return len(order), DONE


@kernel
def late_kernel(
    prior: Any,
    likelihood: Any,
    items: Items,
    i: int,
    slots: Slots,
    scratch: Scratch,
    life: Life,
    best: NDArray[np.int64],
    ranking: Ranking,
    row: int,
    word: int,
) -> None:
    """Rank the threads for a document older than the window, as they stood at its time; nothing changes."""
    _, fresh = log_score(likelihood, items, i, scratch, slots)
    new = log_new(prior, items, i) + fresh
    count = 0
    top = new
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0 and life.settled[slot] > 0 and life.birth[slot] <= items.times[i]:
            weight = log_weight_then(prior, items, slot, items.times[i])
            scratch.slots[count] = slot
            scratch.scores[count] = log_score_in(likelihood, items, i, slot) + weight
            top = max(top, scratch.scores[count])
            count += 1
    total = math.exp(new - top)
    for c in range(count):
        total += math.exp(scratch.scores[c] - top)
    rank(scratch, count, new, best)
    describe(prior, likelihood, items, i, slots, scratch, count, total, top, best, ranking, row, word)
    ranking.is_new[row] = best[0] == count


@kernel
def settle_kernel(
    prior: Any, items: Items, labels: NDArray[np.int64], life: Life, cursor: int, count: int, limit: float
) -> int:
    """See `settle_until`."""
    return settle_until(prior, items, labels, life, cursor, count, limit)


@kernel
def renumber_kernel(prior: Any, numbers: NDArray[np.int64]) -> None:
    """Documents have new numbers."""
    renumber(prior, numbers)


@kernel
def forget_kernel(prior: Any, likelihood: Any, slots: Slots, life: Life, forgotten: NDArray[np.bool]) -> None:
    """Clear the slots marked as forgotten."""
    purge(likelihood, forgotten)
    for slot in range(len(forgotten)):
        if forgotten[slot]:
            forget(prior, slot, slots.size[slot])
            slots.size[slot] = 1
            leave(slots, slot)
            life.settled[slot] = 0


@kernel
def weigh_kernel(
    prior: Any,
    items: Items,
    slots: Slots,
    time: float,
    log_death: float,
    weights: NDArray[np.float64],
    deaths: NDArray[np.float64],
) -> None:
    """Log weight of every slot at the time, and when it falls (or fell) to the death weight."""
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0:
            weights[slot] = log_weight_at(prior, items, slot, time)
            deaths[slot] = fading_time(prior, items, slot, log_death)


@kernel
def predict_kernel(
    prior: Any,
    likelihood: Any,
    items: Items,
    slots: Slots,
    scratch: Scratch,
    order: NDArray[np.int64],
    out: NDArray[np.float64],
    names: NDArray[np.int64],
    counts: NDArray[np.int64],
    logs: NDArray[np.float64],
) -> None:
    """For documents in no thread: P(thread | x) by row with names, a new thread last, and log p(x)."""
    for step in range(len(order)):
        i = order[step]
        touched, new, fresh = score_touched(prior, likelihood, items, i, slots, scratch, False)
        count = score_untouched(prior, likelihood, items, i, slots, scratch, touched, fresh, False)
        normaliser = math.exp(log_new(prior, items, i))
        for c in range(count):
            normaliser += math.exp(log_prior_weight(prior, items, i, scratch.slots[c], False))
        best = best_of(scratch, 0, count, new)
        total = to_weights(scratch, 0, count, best) + math.exp(new - best)
        for c in range(count):
            out[step, c] = scratch.scores[c] / total
            names[step, c] = slots.names[scratch.slots[c]]
        out[step, count] = math.exp(new - best) / total
        names[step, count] = NONE
        counts[step] = count + 1
        logs[step] = best + math.log(total) - math.log(normaliser)


@kernel
def removable_kernel(prior: Any, items: Items, i: int, slot: int) -> bool:
    """See the contract."""
    return removable(prior, items, i, slot)


@kernel
def gain_kernel(
    likelihood: Any, items: Items, labels: NDArray[np.int64], order: NDArray[np.int64], out: NDArray[np.float64]
) -> None:
    """What each document gains in its own thread against a new one, per word."""
    most = 1
    for i in order:
        most = max(most, items.ends[i] - items.starts[i])
    gains = np.zeros(most)
    for step in range(len(order)):
        i = order[step]
        total = explain(likelihood, items, i, labels[i], gains)
        for w in range(items.ends[i] - items.starts[i]):
            total += gains[w]
        out[step] = total / max(items.lengths[i], 1)
