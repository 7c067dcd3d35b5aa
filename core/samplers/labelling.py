"""A labelling: documents in threads, with the states of prior and likelihood that follow from it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..growth import grow, widen
from ..items import NONE, Items
from ..slots import new_scratch, new_slots, with_slots
from .labels import (
    DONE,
    NEEDS_PRIOR,
    NEEDS_SLOTS,
    fresh_kernel,
    joint_kernel,
    load_kernel,
    predictive_kernel,
    score_kernel,
    sweep_kernel,
    unload_kernel,
)
from .state import State

Labels = NDArray[np.int64]
CAPACITY = 64  # slots at the start


class Labelling:
    """Labels are slots, NONE for documents in no thread. The states are a function of the labels, bit for bit."""

    def __init__(self, prior: Any, likelihood: Any, items: Items, vocabulary: int, capacity: int = CAPACITY) -> None:
        self.items = items
        self.labels = np.full(len(items.times), NONE, np.int64)
        self.prior = prior.start(items, capacity)
        self.likelihood = likelihood.start(items, vocabulary, capacity)
        self.slots = new_slots(capacity)
        self.scratch = new_scratch(capacity)

    @property
    def state(self) -> State:
        """What kernels see."""
        return State(self.prior, self.likelihood, self.items, self.slots, self.scratch, self.labels)

    def sweep(self, order: Labels, uniforms: NDArray[np.float64], *, full: bool = True) -> None:
        """Draw a thread for each document of `order`: by the full conditional, or given only what is earlier."""
        self.run(lambda begin: sweep_kernel(self.state, order, uniforms, begin, full))

    def load(self, order: Labels, wanted: Labels) -> None:
        """Attach documents that are in no thread to the wanted slots."""
        if len(order):
            self.widen_to(int(wanted.max()) + 2)
        self.run(lambda begin: load_kernel(self.state, order, wanted, begin))

    def unload(self, order: Labels) -> None:
        """Detach documents."""
        unload_kernel(self.state, order)

    def scores(self, i: int, *, full: bool = True) -> tuple[Labels, NDArray[np.float64], float]:
        """Slots with their log scores for document i, which is in no thread, and the log score of a new one."""
        count, new = score_kernel(self.state, i, full)
        return self.scratch.slots[:count].copy(), self.scratch.scores[:count].copy(), float(new)

    def log_joint(self, wanted: Labels) -> float:
        """Attach all documents to the wanted slots; returns the log joint of labels and data."""
        self.widen_to(int(wanted.max()) + 2)
        total = np.zeros(1)
        self.run(lambda begin: joint_kernel(self.state, wanted, total, begin))
        return float(total[0])

    def least_log_fresh(self) -> float:
        """The least log likelihood that any document has in a new thread."""
        return float(fresh_kernel(self.state))

    def log_predictive(self, order: Labels) -> NDArray[np.float64]:
        """log p(x_i | documents in threads) for documents in no thread."""
        out = np.empty(len(order))
        predictive_kernel(self.state, order, out)
        return out

    def widen_to(self, capacity: int) -> None:
        """Make room for at least so many slots."""
        wider = len(self.slots.size)
        while wider < capacity:
            wider *= 2
        if wider > len(self.slots.size):
            self.prior, self.likelihood = widen(self.prior, wider), widen(self.likelihood, wider)
            self.slots, self.scratch = with_slots(self.slots, wider), new_scratch(wider)

    def run(self, work: Callable[[int], tuple[int, int]]) -> None:
        """Call a kernel until it is done, growing whatever it says is short."""
        begin, status = work(0)
        while status != DONE:
            if status == NEEDS_SLOTS:
                self.widen_to(2 * len(self.slots.size))
            elif status == NEEDS_PRIOR:
                self.prior = grow(self.prior)
            else:
                self.likelihood = grow(self.likelihood)
            begin, status = work(begin)
