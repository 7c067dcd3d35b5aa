"""Split-merge moves: sequentially allocated proposals, accepted by Metropolis and Hastings (Dahl 2003).

Two documents i, j are drawn from the data alone. In one thread, a split is proposed: i stays, j opens a new thread, the
other window members follow one by one, each by its conditional given those before; in two, their union is proposed. The
chance of the split's allocation enters the acceptance both ways, so the stationary distribution is untouched. Settled
documents stay with i; the other side must have none, or the move is not tried.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..contracts import log_conditional, log_new, log_score, log_score_in, room_to_move
from ..items import NONE
from ..jit import helper, kernel
from ..slots import Slots
from .labels import DONE, NEEDS_LIKELIHOOD, NEEDS_PRIOR, put, shortage, take
from .settle import Life
from .state import State

LARGEST = 256  # window documents in the threads of a move; more would cost more than they are worth


@helper
def log_increment(state: State, i: int, slot: int) -> float:
    """What attaching document i to the slot adds to the log joint."""
    prior, likelihood, items = state.prior, state.likelihood, state.items
    if state.slots.size[slot] == 0:
        _, fresh = log_score(likelihood, items, i, state.scratch, state.slots)
        return log_new(prior, items, i) + fresh
    return log_conditional(prior, items, i, slot) + log_score_in(likelihood, items, i, slot)


@helper
def join(state: State, i: int, slot: int) -> float:
    """Attach document i; returns what that added to the log joint."""
    added = log_increment(state, i, slot)
    put(state, i, slot)
    return added


@helper
def gather(labels: NDArray[np.int64], cursor: int, count: int, a: int, b: int, members: NDArray[np.int64]) -> int:
    """Window documents of two slots in time order; their number, or more than LARGEST if they are too many."""
    found = 0
    for d in range(cursor, count):
        if labels[d] == a or labels[d] == b:
            if found == LARGEST:
                return LARGEST + 1
            members[found] = d
            found += 1
    return found


@helper
def allocate(
    state: State,
    i: int,
    j: int,
    a: int,
    b: int,
    members: NDArray[np.int64],
    found: int,
    uniforms: NDArray[np.float64],
    sides: NDArray[np.int64],
    forced: bool,
) -> tuple[float, float]:
    """Attach i to a, j to b and the others one by one: as `sides` says if forced, else drawn and written there.
    Returns the log joint added and the log chance of the allocation."""
    total = join(state, i, a)
    if total > -math.inf:
        total += join(state, j, b)
    if total == -math.inf:  # a thread that settled documents began and that others hold together
        return total, 0.0
    log_chance = 0.0
    for m in range(found):
        d = members[m]
        if d in (i, j):
            continue
        in_a = log_increment(state, d, a)
        in_b = log_increment(state, d, b)
        if in_a == -math.inf and in_b == -math.inf:
            return -math.inf, 0.0
        chance_a = 1.0 / (1.0 + math.exp(min(in_b - in_a, 700.0))) if in_a > -math.inf else 0.0
        if not forced:
            sides[m] = 0 if uniforms[m] < chance_a else 1
        chance = chance_a if sides[m] == 0 else 1.0 - chance_a
        if chance <= 0.0:
            return -math.inf, 0.0
        log_chance += math.log(chance)
        total += in_a if sides[m] == 0 else in_b
        put(state, d, a if sides[m] == 0 else b)
    return total, log_chance


@helper
def take_all(
    state: State,
    members: NDArray[np.int64],
    found: int,
) -> None:
    """Detach those members that are attached."""
    for m in range(found):
        if state.labels[members[m]] != NONE:
            take(state, members[m])


@helper
def join_all(
    state: State,
    slot: int,
    members: NDArray[np.int64],
    found: int,
) -> float:
    """Attach all members to one slot in time order; returns the log joint added."""
    total = 0.0
    for m in range(found):
        total += join(state, members[m], slot)
    return total


@helper
def restore(
    state: State,
    i: int,
    j: int,
    a: int,
    b: int,
    members: NDArray[np.int64],
    found: int,
    sides: NDArray[np.int64],
) -> None:
    """Attach all members by `sides`."""
    for m in range(found):
        d = members[m]
        side = 0 if d == i else 1 if d == j else sides[m]
        put(state, d, a if side == 0 else b)


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
def first_free(slots: Slots, but: int) -> int:
    """The lowest free slot but one."""
    slot = slots.marks[0]
    while slots.size[slot] > 0 or slot == but:
        slot += 1
    return slot


@kernel
def moves_kernel(
    state: State,
    life: Life,
    cursor: int,
    count: int,
    pairs: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    begin: int,
) -> tuple[int, int]:
    """Try a move for each pair from `begin` on; returns like `sweep_kernel`."""
    slots, labels = state.slots, state.labels
    members = np.empty(LARGEST + 1, np.int64)
    sides = np.empty(LARGEST + 1, np.int64)
    for step in range(begin, len(pairs)):
        i, j = pairs[step, 0], pairs[step, 1]
        status = shortage(state, i)
        if status != DONE:
            return step, status
        a, b = labels[i], labels[j]
        split = a == b
        if i == j or (not split and life.settled[b] > 0 and slots.size[b] > 0):
            continue
        found = gather(labels, cursor, count, a, b, members)
        if found > LARGEST:
            continue
        if not room_to_move(state.prior, state.items, members, found):
            return step, NEEDS_PRIOR
        if not room_to_move(state.likelihood, state.items, members, found):
            return step, NEEDS_LIKELIHOOD
        size_a, size_b = slots.size[a], slots.size[b]
        for m in range(found):
            sides[m] = 0 if labels[members[m]] == a else 1
        take_all(state, members, found)
        if split:
            b = first_free(slots, a)
        apart, log_chance = allocate(
            state,
            i,
            j,
            a,
            b,
            members,
            found,
            uniforms[step],
            sides,
            not split,
        )
        take_all(state, members, found)
        together = join_all(state, a, members, found)
        ratio = apart - together - log_chance if split else together - apart + log_chance
        accepted = apart > -math.inf and math.log(uniforms[step, LARGEST]) < ratio
        if split == accepted:
            take_all(state, members, found)
            restore(state, i, j, a, b, members, found, sides)
        if accepted:
            name_parts(slots, life, a, b, split, size_a, size_b)
    return len(pairs), DONE
