"""Who sits at which table, in HDP-EVO. Documents of an epoch follow each other, so its tables have their numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..contracts import attach, detach
from ..items import NONE
from ..jit import helper
from ..priors.hdp_evo import HDPEvo, Tables, add_table, no_tables
from ..slots import enter, leave
from .state import State

Labels = NDArray[np.int64]


class Seats(NamedTuple):
    """Tables of epoch e have numbers from first[e] up to end[e], at most first[e + 1]; some may be empty."""

    alpha: float
    tables: Tables
    epoch: Labels  # 0, 1, … of each document
    first: Labels  # document of each epoch, and the number of documents
    end: Labels  # by epoch: no table from here on is in use
    table: Labels  # of each document, NONE for those that do not sit
    size: Labels  # of each table
    dish: Labels  # of each table: a slot
    members: Labels  # working memory
    scores: NDArray[np.float64]  # working memory: of each table


def no_seats(prior: HDPEvo, times: NDArray[np.float64]) -> Seats:
    """Nobody sits yet."""
    count = len(times)
    numbers, first, epoch = np.unique(times, return_index=True, return_inverse=True)
    zeros = np.zeros(count, np.int64)
    return Seats(
        prior.alpha,
        no_tables(prior, numbers),
        epoch.astype(np.int64),
        np.append(first, count).astype(np.int64),
        first.astype(np.int64),
        np.full(count, NONE),
        zeros,
        zeros.copy(),
        zeros.copy(),
        np.zeros(count),
    )


@helper
def sit(state: State, seats: Seats, i: int, table: int, dish: int) -> None:
    """Seat document i at a table, which opens with the dish if it is empty."""
    if seats.size[table] == 0:
        attach(state.prior, state.items, i, dish)
        add_table(seats.tables, seats.epoch[i], 1)
        seats.dish[table] = dish
        seats.end[seats.epoch[i]] = max(seats.end[seats.epoch[i]], table + 1)
    attach(state.likelihood, state.items, i, dish)
    enter(state.slots, dish)
    seats.size[table] += 1
    seats.table[i] = table
    state.labels[i] = dish


@helper
def rise(state: State, seats: Seats, i: int) -> None:
    """Document i leaves its table, which closes if it was alone."""
    table, dish = seats.table[i], state.labels[i]
    detach(state.likelihood, state.items, i, dish)
    leave(state.slots, dish)
    seats.size[table] -= 1
    seats.table[i] = NONE
    state.labels[i] = NONE
    if seats.size[table] == 0:
        detach(state.prior, state.items, i, dish)
        add_table(seats.tables, seats.epoch[i], -1)
        e = seats.epoch[i]
        while seats.end[e] > seats.first[e] and seats.size[seats.end[e] - 1] == 0:
            seats.end[e] -= 1


@helper
def free_table(seats: Seats, e: int) -> int:
    """The lowest empty table of an epoch in which somebody does not sit."""
    table = seats.first[e]
    while seats.size[table] > 0:
        table += 1
    return table


@helper
def gather_members(seats: Seats, table: int, e: int) -> int:
    """Write who sits at the table into `members`, ascending; returns how many."""
    found = 0
    for i in range(seats.first[e], seats.first[e + 1]):
        if seats.table[i] == table:
            seats.members[found] = i
            found += 1
    return found
