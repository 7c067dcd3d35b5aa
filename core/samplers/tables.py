"""Gibbs sampling over seatings, for HDP-EVO: documents choose tables (eq. 15), then tables choose dishes (eq. 18).

Every choice is made by its full conditional: what one table more or less does to the weights of later epochs is part of
it. A table's documents are scored together by their exact marginal likelihood, where eq. 17 multiplies single ones.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..contracts import (
    gather,
    log_conditional,
    log_limit,
    log_new,
    log_score,
    log_score_pool,
    log_score_untouched,
    removable,
    room,
)
from ..items import NONE, Items
from ..jit import helper, kernel
from ..pool import Pool
from ..priors.hdp_evo import log_dilution
from ..slots import name_slot
from .draw import HOPELESS
from .labels import DONE, NEEDS_LIKELIHOOD, shortage
from .seats import Seats, free_table, gather_members, rise, sit
from .state import State


@helper
def append_untouched(state: State, items: Items, i: int, touched: int, fresh: float) -> int:
    """Add the dishes that the likelihood left out to the candidates; returns how many there are in all."""
    slots, scratch = state.slots, state.scratch
    count = touched
    for slot in range(slots.marks[1]):
        if slots.size[slot] > 0 and scratch.mark[slot] != scratch.stamp[0]:
            scratch.slots[count] = slot
            scratch.scores[count] = fresh + log_score_untouched(state.likelihood, items, i, slot)
            scratch.where[slot] = count
            count += 1
    return count


@helper
def add_dish_weights(state: State, i: int, count: int, only: int, best: float) -> float:
    """Add to the candidates' scores what the dish weighs for a table of document i's epoch; returns the best score, at
    least the given one. What cannot come near it is left out, and so is what is not allowed."""
    scratch = state.scratch
    for c in range(count):
        slot = scratch.slots[c]
        allowed = only == NONE or slot == only
        if allowed and scratch.scores[c] + log_limit(state.prior, state.slots.size[slot]) > best - HOPELESS:
            scratch.scores[c] += log_conditional(state.prior, state.items, i, slot)
            best = max(best, scratch.scores[c])
        else:
            scratch.scores[c] = -math.inf
    return best


@helper
def score_tables(state: State, seats: Seats, e: int, only: int) -> float:
    """Score the tables of an epoch by size and dish, before dishes are weighed; returns the best score."""
    scratch = state.scratch
    best = -math.inf
    for table in range(seats.first[e], seats.end[e]):
        seats.scores[table] = -math.inf
        if seats.size[table] > 0 and (only == NONE or seats.dish[table] == only):
            seats.scores[table] = math.log(seats.size[table]) + scratch.scores[scratch.where[seats.dish[table]]]
            best = max(best, seats.scores[table])
    return best


@helper
def draw_seat(state: State, seats: Seats, i: int, uniform: float, only: int) -> tuple[int, int]:
    """A table for document i, which does not sit, or NONE for a new one; and its dish, NONE for a new one."""
    scratch, e = state.scratch, seats.epoch[i]
    touched, fresh = log_score(state.likelihood, state.items, i, scratch, state.slots)
    count = append_untouched(state, state.items, i, touched, fresh)
    best = score_tables(state, seats, e, only)
    opening = math.log(seats.alpha) + log_dilution(seats.tables, e)
    new = log_new(state.prior, state.items, i) + fresh + opening if only == NONE else -math.inf
    best = add_dish_weights(state, i, count, only, max(best, new) - opening) + opening
    total = math.exp(new - best)
    for table in range(seats.first[e], seats.end[e]):
        seats.scores[table] = math.exp(seats.scores[table] - best)
        total += seats.scores[table]
    for c in range(count):
        scratch.weights[c] = math.exp(scratch.scores[c] + opening - best)
        total += scratch.weights[c]
    target = uniform * total
    for table in range(seats.first[e], seats.end[e]):
        if target < seats.scores[table]:
            return table, seats.dish[table]
        target -= seats.scores[table]
    dish = land_on_dish(state, count, target)
    return NONE, dish if only == NONE else only


@helper
def land_on_dish(state: State, count: int, target: float) -> int:
    """The dish in whose weight the target falls, NONE when beyond them all."""
    for c in range(count):
        if target < state.scratch.weights[c]:
            return state.scratch.slots[c]
        target -= state.scratch.weights[c]
    return NONE


@helper
def may_rise(state: State, seats: Seats, i: int, held: bool) -> bool:
    """Whether the seating without document i is possible, and it could come back to its thread."""
    dish = state.labels[i]
    if held and state.slots.size[dish] == 1:
        return False
    return seats.size[seats.table[i]] > 1 or removable(state.prior, state.items, i, dish)


@kernel
def documents_kernel(
    state: State, seats: Seats, order: NDArray[np.int64], uniforms: NDArray[np.float64], held: int, begin: int
) -> tuple[int, int]:
    """Seat the documents of `order` from `begin` on, the first `held` ones only at tables of their thread; returns
    where it stopped and what is short."""
    for step in range(begin, len(order)):
        i = order[step]
        only = NONE
        if seats.table[i] != NONE and not may_rise(state, seats, i, i < held):
            continue
        status = shortage(state, i)
        if status != DONE:
            return step, status
        if seats.table[i] != NONE:
            only = state.labels[i] if i < held else NONE
            rise(state, seats, i)
        table, dish = draw_seat(state, seats, i, uniforms[step], only)
        if table == NONE:
            table = free_table(seats, seats.epoch[i])
        if dish == NONE:
            dish = name_slot(state.slots)
        sit(state, seats, i, table, dish)
    return len(order), DONE


@kernel
def tables_kernel(
    state: State,
    seats: Seats,
    pool: Pool,
    order: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    held: int,
    begin: int,
) -> tuple[int, int]:
    """Draw a dish for the tables of `order` from `begin` on, unless one of the first `held` documents sits there;
    returns likewise."""
    for step in range(begin, len(order)):
        table = order[step]
        if seats.size[table] == 0:
            continue
        e = seats.epoch[table]  # a table has the number of a document of its epoch
        found = gather_members(seats, table, e)
        i = seats.members[0]
        if i < held or not removable(state.prior, state.items, i, seats.dish[table]):
            continue
        gather(state.likelihood, state.items, seats.members, found, pool)
        status = shortage(state, i)
        if status == DONE and not room(state.likelihood, pool.items, 0):
            status = NEEDS_LIKELIHOOD
        if status != DONE:
            return step, status
        for m in range(found):
            rise(state, seats, seats.members[m])
        dish = draw_dish(state, pool, i, uniforms[step])
        for m in range(found):
            sit(state, seats, seats.members[m], table, dish)
    return len(order), DONE


@helper
def draw_dish(state: State, pool: Pool, i: int, uniform: float) -> int:
    """A dish, possibly a new one, for the documents of the pool, of which i is one and none sits."""
    scratch = state.scratch
    touched, fresh = log_score_pool(state.likelihood, pool, scratch, state.slots)
    count = append_untouched(state, pool.items, 0, touched, fresh)
    new = log_new(state.prior, state.items, i) + fresh
    best = add_dish_weights(state, i, count, NONE, new)
    total = math.exp(new - best)
    for c in range(count):
        scratch.weights[c] = math.exp(scratch.scores[c] - best)
        total += scratch.weights[c]
    dish = land_on_dish(state, count, uniform * total)
    return name_slot(state.slots) if dish == NONE else dish


@kernel
def seat_kernel(
    state: State, seats: Seats, tables: NDArray[np.int64], dishes: NDArray[np.int64], begin: int
) -> tuple[int, int]:
    """Seat all documents at the given tables with the given dishes; returns likewise."""
    for i in range(begin, len(tables)):
        status = shortage(state, i)
        if status != DONE:
            return i, status
        sit(state, seats, i, tables[i], dishes[i])
    return len(tables), DONE
