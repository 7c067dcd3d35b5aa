"""Gibbs sampling over labels: one generic sweep for every prior and likelihood.

A step takes a document out, scores every thread and a new one, draws, and puts it back. Kernels return when an array is
full; the caller grows it and calls again.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contracts import attach, detach, log_new, log_predictive, log_score, log_score_untouched, removable, room
from ..items import NONE, Items
from ..jit import helper, kernel
from ..slots import Scratch, Slots, enter, free_slot, leave, name_slot
from .draw import best_of, draw, score_touched, score_untouched, to_weights

DONE, NEEDS_SLOTS, NEEDS_PRIOR, NEEDS_LIKELIHOOD = range(4)


@helper
def shortage(prior: Any, likelihood: Any, items: Items, i: int, slots: Slots) -> int:
    """What must grow before document i can be attached anywhere."""
    if free_slot(slots) == len(slots.size):
        return NEEDS_SLOTS
    if not room(prior, items, i):
        return NEEDS_PRIOR
    if not room(likelihood, items, i):
        return NEEDS_LIKELIHOOD
    return DONE


@helper
def put(prior: Any, likelihood: Any, items: Items, slots: Slots, labels: NDArray[np.int64], i: int, slot: int) -> None:
    """Attach document i to the slot."""
    attach(prior, items, i, slot)
    attach(likelihood, items, i, slot)
    enter(slots, slot)
    labels[i] = slot


@helper
def take(prior: Any, likelihood: Any, items: Items, slots: Slots, labels: NDArray[np.int64], i: int) -> None:
    """Detach document i from its slot."""
    detach(prior, items, i, labels[i])
    detach(likelihood, items, i, labels[i])
    leave(slots, labels[i])
    labels[i] = NONE


@kernel
def sweep_kernel(
    prior: Any,
    likelihood: Any,
    items: Items,
    slots: Slots,
    scratch: Scratch,
    labels: NDArray[np.int64],
    order: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    confidence: NDArray[np.float64],
    begin: int,
    full: bool,
) -> tuple[int, int]:
    """Resample the documents of `order` from `begin` on; returns where it stopped and what is short."""
    for step in range(begin, len(order)):
        i = order[step]
        old = labels[i]
        status = shortage(prior, likelihood, items, i, slots)
        if status != DONE:
            return step, status
        if old != NONE:
            if not removable(prior, items, i, old):
                continue
            take(prior, likelihood, items, slots, labels, i)
        slot = draw(prior, likelihood, items, i, uniforms[step], slots, scratch, full)
        if slot == NONE:  # a document that was alone keeps its thread
            slot = old if old != NONE and slots.size[old] == 0 else name_slot(slots)
        put(prior, likelihood, items, slots, labels, i, slot)
        confidence[i] = scratch.chance[0]
    return len(order), DONE


@kernel
def load_kernel(
    prior: Any,
    likelihood: Any,
    items: Items,
    slots: Slots,
    labels: NDArray[np.int64],
    order: NDArray[np.int64],
    wanted: NDArray[np.int64],
    begin: int,
) -> tuple[int, int]:
    """Attach the documents of `order` to the wanted slots; returns like `sweep_kernel`."""
    for step in range(begin, len(order)):
        i = order[step]
        status = shortage(prior, likelihood, items, i, slots)
        if status != DONE:
            return step, status
        put(prior, likelihood, items, slots, labels, i, wanted[step])
    return len(order), DONE


@kernel
def unload_kernel(
    prior: Any, likelihood: Any, items: Items, slots: Slots, labels: NDArray[np.int64], order: NDArray[np.int64]
) -> None:
    """Detach the documents of `order`."""
    for i in order:
        take(prior, likelihood, items, slots, labels, i)


@kernel
def score_kernel(
    prior: Any, likelihood: Any, items: Items, slots: Slots, scratch: Scratch, i: int, full: bool
) -> tuple[int, float]:
    """Score document i, in no thread now, against all threads (into scratch) and a new one (returned)."""
    touched, new, fresh = score_touched(prior, likelihood, items, i, slots, scratch, full)
    return score_untouched(prior, likelihood, items, i, slots, scratch, touched, fresh, full), new


@kernel
def joint_kernel(
    prior: Any,
    likelihood: Any,
    items: Items,
    slots: Slots,
    scratch: Scratch,
    labels: NDArray[np.int64],
    wanted: NDArray[np.int64],
    total: NDArray[np.float64],
    begin: int,
) -> tuple[int, int]:
    """Attach all documents in order and add up the log scores of their threads given what is earlier."""
    for i in range(begin, len(wanted)):
        status = shortage(prior, likelihood, items, i, slots)
        if status != DONE:
            return i, status
        slot = wanted[i]
        _, fresh = log_score(likelihood, items, i, scratch, slots)
        if slots.size[slot] == 0:
            total[0] += fresh + log_new(prior, items, i)
        elif scratch.mark[slot] == scratch.stamp[0]:
            total[0] += scratch.scores[scratch.where[slot]] + log_predictive(prior, items, i, slot)
        else:
            total[0] += fresh + log_score_untouched(likelihood, items, i, slot) + log_predictive(prior, items, i, slot)
        put(prior, likelihood, items, slots, labels, i, slot)
    return len(wanted), DONE


@kernel
def fresh_kernel(likelihood: Any, items: Items, slots: Slots, scratch: Scratch) -> float:
    """The least log likelihood of a document in a new thread."""
    least = math.inf
    for i in range(len(items.times)):
        _, fresh = log_score(likelihood, items, i, scratch, slots)
        least = min(least, fresh)
    return least


@kernel
def predictive_kernel(
    prior: Any,
    likelihood: Any,
    items: Items,
    slots: Slots,
    scratch: Scratch,
    order: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """log Σ_c P(c | earlier) p(x_i | c), new threads included, for documents in no thread."""
    for step in range(len(order)):
        i = order[step]
        normaliser = math.exp(log_new(prior, items, i))
        for slot in range(slots.marks[1]):
            if slots.size[slot] > 0:
                normaliser += math.exp(log_predictive(prior, items, i, slot))
        touched, new, fresh = score_touched(prior, likelihood, items, i, slots, scratch, False)
        count = score_untouched(prior, likelihood, items, i, slots, scratch, touched, fresh, False)
        best = best_of(scratch, 0, count, new)
        total = to_weights(scratch, 0, count, best) + math.exp(new - best)
        out[step] = best + math.log(total) - math.log(normaliser)
