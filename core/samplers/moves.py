"""Split-merge moves: sequentially allocated proposals, accepted by Metropolis and Hastings (Dahl 2003).

Two documents i, j, the anchors, are drawn from the data alone. In one thread, a split is proposed: i stays, j opens a
new thread, the other window members choose a side one by one in time order; in two, their union is proposed. The chance
of the split's allocation enters the acceptance both ways, so the stationary distribution is untouched. Settled
documents stay with i; the other side must have none, or the move is not tried.

In time order a side's prior is a product of weights given what is earlier, and a likelihood does not mind the order:
the joint of the two sides and that of their union come out of one pass that changes no thread. Only accepted moves do.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..contracts import join, log_follow, log_join, open_sides, room_to_move
from ..items import NONE
from ..jit import helper, kernel, log_or_minus_infinity
from ..sides import BOTH, LARGEST, LEFT, RIGHT, Sides, follow
from ..slots import Slots, free_slot
from .labels import DONE, NEEDS_LIKELIHOOD, NEEDS_PRIOR, put, shortage, take
from .settle import Life
from .state import State


@helper
def link(labels: NDArray[np.int64], cursor: int, head: NDArray[np.int64], after: NDArray[np.int64]) -> None:
    """Chain the window documents of each slot in time order: the first by slot, the next by document."""
    head[:] = NONE
    for d in range(cursor + len(after) - 1, cursor - 1, -1):
        after[d - cursor] = head[labels[d]]
        head[labels[d]] = d


@helper
def relink(
    state: State,
    cursor: int,
    head: NDArray[np.int64],
    after: NDArray[np.int64],
    members: NDArray[np.int64],
    found: int,
    a: int,
    b: int,
) -> None:
    """Chain anew what a move has changed."""
    head[a] = head[b] = NONE
    for m in range(found - 1, -1, -1):
        d = members[m]
        after[d - cursor] = head[state.labels[d]]
        head[state.labels[d]] = d


@helper
def gather(
    head: NDArray[np.int64], after: NDArray[np.int64], cursor: int, a: int, b: int, members: NDArray[np.int64]
) -> int:
    """Window documents of one or two slots in time order; their number, or more than LARGEST if they are too many."""
    one = head[a]
    other = head[b] if b != a else NONE
    found = 0
    while one != NONE or other != NONE:
        if found == LARGEST:
            return LARGEST + 1
        if other == NONE or (one != NONE and one < other):
            members[found] = one
            one = after[one - cursor]
        else:
            members[found] = other
            other = after[other - cursor]
        found += 1
    return found


@helper
def foreseen(log_weight: float, anchor_ahead: bool) -> float:
    """A side's log weight for choosing it: an anchor still to come counts as one document there."""
    return math.log1p(math.exp(log_weight)) if anchor_ahead else log_weight


@helper
def open_move(
    state: State, sides: Sides, life: Life, a: int, cursor: int, members: NDArray[np.int64], found: int
) -> None:
    """Empty sides, but for the settled documents of slot a."""
    sides.size[:] = 0
    sides.marks[0] = a
    sides.marks[1] = life.settled[a]
    sides.marks[2] = cursor
    open_sides(state.likelihood, state.items, sides, members, found, state.labels)


@helper
def enrol(state: State, sides: Sides, s: int, i: int) -> float:
    """Put document i on side s; returns its log likelihood there."""
    score = log_join(state.likelihood, state.items, sides, s, i)
    join(state.likelihood, state.items, sides, s, i)
    return score


@helper
def chance_of_left(in_left: float, in_right: float) -> float:
    """The chance of choosing the left side, by the log scores of both; NaN if there is none."""
    if in_left == in_right == -math.inf:
        return math.nan
    return 1.0 / (1.0 + math.exp(min(in_right - in_left, 700.0)))


@helper
def allocate(
    state: State,
    sides: Sides,
    i: int,
    j: int,
    members: NDArray[np.int64],
    found: int,
    uniforms: NDArray[np.float64],
    chosen: NDArray[np.int64],
    forced: bool,
) -> tuple[float, float, float]:
    """Put i on the left, j on the right and the others one by one: as `chosen` says if forced, else drawn and written
    there. Returns the log joint of the two sides, of their union, and the log chance of the allocation."""
    prior, likelihood, items = state.prior, state.likelihood, state.items
    apart = enrol(state, sides, LEFT, i) + enrol(state, sides, RIGHT, j)
    together = enrol(state, sides, BOTH, i) + enrol(state, sides, BOTH, j)
    log_chance = 0.0
    for m in range(found):
        d = members[m]
        left, right = log_follow(prior, items, sides, LEFT, d), log_follow(prior, items, sides, RIGHT, d)
        together += log_follow(prior, items, sides, BOTH, d)
        follow(sides, BOTH, d)
        if d in (i, j):
            chosen[m] = LEFT if d == i else RIGHT
        else:
            in_left = log_join(likelihood, items, sides, LEFT, d)
            in_right = log_join(likelihood, items, sides, RIGHT, d)
            chance = chance_of_left(in_left + foreseen(left, i > d), in_right + foreseen(right, j > d))
            if not forced:
                chosen[m] = LEFT if uniforms[m] < chance else RIGHT
            log_chance += log_or_minus_infinity(chance if chosen[m] == LEFT else 1.0 - chance)
            apart += in_left if chosen[m] == LEFT else in_right
            join(likelihood, items, sides, chosen[m], d)
            together += enrol(state, sides, BOTH, d)
        apart += left if chosen[m] == LEFT else right
        follow(sides, chosen[m], d)
        if not (apart > -math.inf and log_chance > -math.inf):
            return -math.inf, together, 0.0
    return apart, together, log_chance


@helper
def name_parts(slots: Slots, life: Life, a: int, b: int, split: bool, size_a: int, size_b: int) -> None:
    """The larger part keeps the name, of a thread split into a and b or of the two that became a; but settled
    documents, which a may have, keep theirs for good."""
    if split:
        slots.names[b] = slots.marks[3]
        slots.marks[3] += 1
        size_a, size_b = slots.size[a], slots.size[b]
    if size_b > size_a and life.settled[a] == 0:
        slots.names[a], slots.names[b] = slots.names[b], slots.names[a]


@helper
def carry_out(
    state: State, members: NDArray[np.int64], found: int, chosen: NDArray[np.int64], a: int, b: int, split: bool
) -> None:
    """Move the right side to b, or all of b to a."""
    for m in range(found):
        if chosen[m] == RIGHT:
            take(state, members[m])
            put(state, members[m], b if split else a)


@kernel
def moves_kernel(
    state: State,
    life: Life,
    sides: Sides,
    cursor: int,
    count: int,
    pairs: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    begin: int,
) -> tuple[int, int]:
    """Try a move for each pair from `begin` on; returns like `sweep_kernel`."""
    slots, labels = state.slots, state.labels
    members = np.empty(LARGEST + 1, np.int64)
    chosen = np.empty(LARGEST + 1, np.int64)
    head, after = np.empty(len(slots.size), np.int64), np.empty(count - cursor, np.int64)
    link(labels, cursor, head, after)
    for step in range(begin, len(pairs)):
        i, j = pairs[step, 0], pairs[step, 1]
        status = shortage(state, i)
        if status != DONE:
            return step, status
        a, b = labels[i], labels[j]
        split = a == b
        if i == j or (not split and life.settled[b] > 0):
            continue
        found = gather(head, after, cursor, a, b, members)
        if found > LARGEST:
            continue
        for m in range(found):
            chosen[m] = LEFT if labels[members[m]] == a else RIGHT
        open_move(state, sides, life, a, cursor, members, found)
        apart, together, log_chance = allocate(state, sides, i, j, members, found, uniforms[step], chosen, not split)
        ratio = apart - together - log_chance if split else together - apart + log_chance
        if not (apart > -math.inf and math.log(uniforms[step, LARGEST]) < ratio):
            continue
        if not room_to_move(state.prior, state.items, sides, members, found):
            return step, NEEDS_PRIOR
        if not room_to_move(state.likelihood, state.items, sides, members, found):
            return step, NEEDS_LIKELIHOOD
        size_a, size_b = slots.size[a], slots.size[b]
        if split:
            b = free_slot(slots)
        carry_out(state, members, found, chosen, a, b, split)
        name_parts(slots, life, a, b, split, size_a, size_b)
        relink(state, cursor, head, after, members, found, a, b)
    return len(pairs), DONE
