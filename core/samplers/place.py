"""Placing documents that arrive: their most probable thread, its rivals, and what speaks for each."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..contracts import (
    explain,
    fading_time,
    log_ceiling,
    log_new,
    log_score,
    log_score_in,
    log_weight_at,
    log_weight_then,
    removable,
)
from ..items import NONE
from ..jit import helper, kernel
from ..slots import Scratch, name_slot
from .draw import best_of, bound_touched, make_exact, score_touched, score_untouched, sharpen, total_weight
from .labels import DONE, put, shortage, take
from .settle import Life, settle_until
from .state import State

RANKS = 3  # a placement tells the thread chosen and the next two
UNSEEN = 14.0  # nats; threads that share nothing and together weigh less than e^-14 of the best are not scored
SMALL = 20.0  # nats; a thread that weighs less than e^-20 of the best does not change its probability


class Ranking(NamedTuple):
    """The best threads of each placed document: a row a document, best first, NONE where there are fewer."""

    names: NDArray[np.int64]
    probability: NDArray[np.float64]
    prior: NDArray[np.float64]  # log prior weight against a new thread
    length: NDArray[np.float64]  # what the document's length (or a vector's distance) adds
    gains: NDArray[np.float64]  # (words, RANKS): what each word adds, document after document
    is_new: NDArray[np.bool]
    faded: NDArray[np.float64]  # when the thread had died before the document came, or inf


@helper
def best_but(scratch: Scratch, count: int, best: NDArray[np.int64], r: int) -> int:
    """The candidate of the highest score or bound that is not among the first r of the best."""
    found = NONE
    for c in range(count + 1):
        taken = False
        for q in range(r):
            taken = taken or best[q] == c
        if taken:
            continue
        if found == NONE or scratch.scores[c] + scratch.limits[c] > scratch.scores[found] + scratch.limits[found]:
            found = c
    return found


@helper
def rank(state: State, i: int, count: int, new: float, best: NDArray[np.int64], first: int) -> None:
    """The RANKS best candidates; `count` stands for a new thread. Scores them if they are only bounded. Those before
    `first` are chosen already."""
    scratch = state.scratch
    scratch.scores[count] = new
    scratch.limits[count] = 0.0
    scratch.exact[count] = True
    for r in range(first, RANKS):
        best[r] = best_but(scratch, count, best, r)
        while best[r] != NONE and not scratch.exact[best[r]]:
            make_exact(state, i, best[r], True)
            best[r] = best_but(scratch, count, best, r)


@helper
def describe(
    state: State,
    i: int,
    count: int,
    total: float,
    top: float,
    best: NDArray[np.int64],
    ranking: Ranking,
    row: int,
    word: int,
) -> None:
    """Write one row of the ranking."""
    likelihood, items, scratch = state.likelihood, state.items, state.scratch
    new = log_new(state.prior, items, i)
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
        ranking.names[row, r] = state.slots.names[slot]
        ranking.length[row, r] = explain(likelihood, items, i, slot, gains)
        ranking.prior[row, r] = scratch.scores[c] - log_score_in(likelihood, items, i, slot) - new


@helper
def evaluate(state: State, i: int, best: NDArray[np.int64], ranking: Ranking, row: int, word: int) -> int:
    """Score document i against all threads and rank them; returns the best slot, NONE for a new thread."""
    scratch = state.scratch
    touched, new, fresh = bound_touched(state, i)
    top = sharpen(state, i, 0, touched, new, -SMALL, True)
    count = touched
    if touched < state.slots.marks[2] and fresh + log_ceiling(state.prior, state.items, i) > top - UNSEEN:
        count = score_untouched(state, i, touched, fresh, True)
        top = best_of(scratch, touched, count, top)
    total = total_weight(scratch, count, new, top)
    rank(state, i, count, new, best, 0)
    describe(state, i, count, total, top, best, ranking, row, word)
    return NONE if best[0] == count else scratch.slots[best[0]]


@helper
def death_before(state: State, i: int, slot: int, log_death: float) -> float:
    """When the slot's weight fell to the death weight, if that was before document i; else inf."""
    time = state.items.times[i]
    if log_weight_at(state.prior, state.items, slot, time) >= log_death:
        return math.inf
    death = fading_time(state.prior, state.items, slot, log_death)
    return death if death < time else math.inf


@kernel
def place_kernel(
    state: State,
    life: Life,
    order: NDArray[np.int64],
    count: int,
    window: float,
    log_death: float,
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
        status = shortage(state, i)
        if status != DONE:
            return step, status
        row = rows[step]
        slot = evaluate(state, i, best, ranking, row, words[step])
        if slot == NONE:
            slot = name_slot(state.slots)
            ranking.names[row, 0] = state.slots.names[slot]
            ranking.is_new[row] = True
            life.settled[slot] = 0
        else:
            ranking.faded[row] = death_before(state, i, slot, log_death)
        put(state, i, slot)
        clock[0] = max(clock[0], state.items.times[i])
        cursor[0] = settle_until(state, life, cursor[0], count, clock[0] - window)
    return len(order), DONE


@kernel
def late_kernel(
    state: State, i: int, life: Life, best: NDArray[np.int64], ranking: Ranking, row: int, word: int
) -> None:
    """Rank the threads for a document older than the window, as they stood at its time; nothing changes."""
    prior, likelihood, items, slots, scratch = state.prior, state.likelihood, state.items, state.slots, state.scratch
    _, fresh = log_score(likelihood, items, i, scratch, slots)
    new = log_new(prior, items, i) + fresh
    count = 0
    top = new
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0 and life.settled[slot] > 0 and life.birth[slot] <= items.times[i]:
            weight = log_weight_then(prior, items, slot, items.times[i])
            scratch.slots[count] = slot
            scratch.scores[count] = log_score_in(likelihood, items, i, slot) + weight
            scratch.limits[count] = 0.0
            scratch.exact[count] = True
            top = max(top, scratch.scores[count])
            count += 1
    total = total_weight(scratch, count, new, top)
    rank(state, i, count, new, best, 0)
    describe(state, i, count, total, top, best, ranking, row, word)
    ranking.is_new[row] = best[0] == count


@helper
def place_of(state: State, count: int, slot: int) -> int:
    """Where a slot is among the candidates; `count`, a new thread, for one that is empty."""
    for c in range(count):
        if state.scratch.slots[c] == slot:
            return c
    return count


@helper
def explain_one(state: State, i: int, best: NDArray[np.int64], ranking: Ranking, row: int, word: int) -> None:
    """Rank the threads for document i, which is in one, as if it were in none: its own first, then the best others.
    Nothing changes. If its thread would be torn without it, it is there for certain."""
    slot = state.labels[i]
    ranking.is_new[row] = state.slots.size[slot] == 1
    if removable(state.prior, state.items, i, slot):
        take(state, i)
        touched, new, fresh = score_touched(state, i, True)
        count = score_untouched(state, i, touched, fresh, True)
        top = best_of(state.scratch, 0, count, new)
        best[0] = place_of(state, count, slot)
        rank(state, i, count, new, best, 1)
        describe(state, i, count, total_weight(state.scratch, count, new, top), top, best, ranking, row, word)
        put(state, i, slot)
    else:
        ranking.probability[row, 0] = 1.0
    ranking.names[row, 0] = state.slots.names[slot]


@kernel
def explain_kernel(
    state: State, order: NDArray[np.int64], words: NDArray[np.int64], best: NDArray[np.int64], ranking: Ranking
) -> None:
    """See `explain_one`; words: where those of each document begin among the gains."""
    for row in range(len(order)):
        explain_one(state, order[row], best, ranking, row, words[row])


@kernel
def removable_kernel(state: State, i: int) -> bool:
    """See the contract."""
    return removable(state.prior, state.items, i, state.labels[i])
