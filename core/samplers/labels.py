"""Gibbs sampling over labels: one generic sweep for every prior and likelihood.

A step takes a document out, scores every thread and a new one, draws, and puts it back. Kernels return when an array is
full; the caller grows it and calls again.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..contracts import attach, detach, local, log_new, log_predictive, log_score, log_score_untouched, removable, room
from ..items import NONE
from ..jit import helper, kernel
from ..slots import enter, free_slot, leave, name_slot
from .draw import best_of, draw, score_touched, score_untouched, total_weight
from .state import State

DONE, NEEDS_SLOTS, NEEDS_PRIOR, NEEDS_LIKELIHOOD = range(4)


@helper
def shortage(state: State, i: int) -> int:
    """What must grow before document i can be attached anywhere."""
    if free_slot(state.slots) == len(state.slots.size):
        return NEEDS_SLOTS
    if not room(state.prior, state.items, i):
        return NEEDS_PRIOR
    if not room(state.likelihood, state.items, i):
        return NEEDS_LIKELIHOOD
    return DONE


@helper
def put(state: State, i: int, slot: int) -> None:
    """Attach document i to the slot."""
    attach(state.prior, state.items, i, slot)
    attach(state.likelihood, state.items, i, slot)
    enter(state.slots, slot)
    state.labels[i] = slot


@helper
def take(state: State, i: int) -> None:
    """Detach document i from its slot."""
    slot = state.labels[i]
    detach(state.prior, state.items, i, slot)
    detach(state.likelihood, state.items, i, slot)
    leave(state.slots, slot)
    state.labels[i] = NONE


@helper
def alone(state: State, i: int, slot: int) -> bool:
    """Whether no other document is in the slot."""
    return state.slots.size[slot] == (1 if state.labels[i] == slot else 0)


@helper
def stays_touched(state: State, i: int) -> bool:
    """Whether a likelihood touches the slot that document i is in: documents without words or numbers touch none."""
    return state.items.ends[i] > state.items.starts[i] or state.items.points.shape[1] > 0


@kernel
def sweep_kernel(
    state: State, order: NDArray[np.int64], uniforms: NDArray[np.float64], begin: int, full: bool
) -> tuple[int, int]:
    """Resample the documents of `order` from `begin` on; returns where it stopped and what is short."""
    for step in range(begin, len(order)):
        i = order[step]
        old = state.labels[i]
        if old != NONE and not removable(state.prior, state.items, i, old):
            continue
        if old != NONE and not (full and local(state.prior) and stays_touched(state, i)):
            status = shortage(state, i)
            if status != DONE:
                return step, status
            take(state, i)
        slot = draw(state, i, uniforms[step], full)
        if slot == NONE and old != NONE and alone(state, i, old):
            slot = old  # a document that was alone keeps its thread
        if slot == NONE or slot != state.labels[i]:
            status = shortage(state, i)
            if status != DONE:
                return step, status
            if slot == NONE:
                slot = name_slot(state.slots)
            if state.labels[i] != NONE:
                take(state, i)
            put(state, i, slot)
    return len(order), DONE


@kernel
def load_kernel(state: State, order: NDArray[np.int64], wanted: NDArray[np.int64], begin: int) -> tuple[int, int]:
    """Attach the documents of `order` to the wanted slots; returns like `sweep_kernel`."""
    for step in range(begin, len(order)):
        i = order[step]
        status = shortage(state, i)
        if status != DONE:
            return step, status
        put(state, i, wanted[step])
    return len(order), DONE


@kernel
def unload_kernel(state: State, order: NDArray[np.int64]) -> None:
    """Detach the documents of `order`."""
    for i in order:
        take(state, i)


@kernel
def score_kernel(state: State, i: int, full: bool) -> tuple[int, float]:
    """Score document i, in no thread now, against all threads (into scratch) and a new one (returned)."""
    touched, new, fresh = score_touched(state, i, full)
    return score_untouched(state, i, touched, fresh, full), new


@kernel
def joint_kernel(state: State, wanted: NDArray[np.int64], total: NDArray[np.float64], begin: int) -> tuple[int, int]:
    """Attach all documents in order and add up the log scores of their threads given what is earlier."""
    prior, likelihood, items, scratch = state.prior, state.likelihood, state.items, state.scratch
    for i in range(begin, len(wanted)):
        status = shortage(state, i)
        if status != DONE:
            return i, status
        slot = wanted[i]
        _, fresh = log_score(likelihood, items, i, scratch, state.slots)
        if state.slots.size[slot] == 0:
            total[0] += fresh + log_new(prior, items, i)
        elif scratch.mark[slot] == scratch.stamp[0]:
            total[0] += scratch.scores[scratch.where[slot]] + log_predictive(prior, items, i, slot)
        else:
            total[0] += fresh + log_score_untouched(likelihood, items, i, slot) + log_predictive(prior, items, i, slot)
        put(state, i, slot)
    return len(wanted), DONE


@kernel
def fresh_kernel(state: State) -> float:
    """The least log likelihood of a document in a new thread."""
    least = math.inf
    for i in range(len(state.items.times)):
        _, fresh = log_score(state.likelihood, state.items, i, state.scratch, state.slots)
        least = min(least, fresh)
    return least


@kernel
def predictive_kernel(state: State, order: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    """log Σ_c P(c | earlier) p(x_i | c), new threads included, for documents in no thread."""
    prior, items, slots, scratch = state.prior, state.items, state.slots, state.scratch
    for step in range(len(order)):
        i = order[step]
        normaliser = math.exp(log_new(prior, items, i))
        for slot in range(slots.marks[1]):
            if slots.size[slot] > 0:
                normaliser += math.exp(log_predictive(prior, items, i, slot))
        touched, new, fresh = score_touched(state, i, False)
        count = score_untouched(state, i, touched, fresh, False)
        best = best_of(scratch, 0, count, new)
        total = total_weight(scratch, count, new, best)
        out[step] = best + math.log(total) - math.log(normaliser)
