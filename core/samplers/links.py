"""Gibbs sampling over links (ddCRP): a document is cut off with all that hangs on it, and the whole branch joins
another thread or makes one (Wybo et al. 2012, eq. 7).

Links go to earlier documents, so a thread is a tree, a cut takes a branch of later documents off, and every earlier
document is a possible new parent. All of them are weighed, because words can outweigh any distance: a sweep costs
O(n²). Components need no search: the branch is read off the tree, the rest of the thread stays where it is.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..contracts import attach, detach, gather, log_score_pool, log_score_untouched, room_to_move
from ..errors import ArgumentError
from ..items import NONE, Items, canonical, check_labels
from ..jit import helper, kernel
from ..kernels import log_decay
from ..likelihoods.dirichlet_multinomial import DirichletMultinomial
from ..likelihoods.gaussian import Gaussian
from ..pool import Pool, new_pool
from ..priors.ddcrp import DDCRP
from ..sides import Sides, new_sides
from ..slots import enter, free_slot, leave, name_slot
from .gibbs import check_held, check_possible, check_scan, generator, start, vocabulary
from .labelling import Labelling, Labels
from .labels import DONE, NEEDS_LIKELIHOOD, NEEDS_SLOTS
from .state import State


class Forest(NamedTuple):
    """Links, and what links to each document as a doubly linked list. NONE: nothing there."""

    parent: NDArray[np.int64]  # the document that i links to; NONE for the first of a thread
    child: NDArray[np.int64]
    following: NDArray[np.int64]
    preceding: NDArray[np.int64]


class Work(NamedTuple):
    """Working memory of one step."""

    branch: NDArray[np.int64]
    pool: Pool
    sides: Sides
    peak: NDArray[np.float64]  # by slot: the highest log weight of a link into it
    weight: NDArray[np.float64]  # by slot: the weights of all links into it, relative to the peak
    score: NDArray[np.float64]  # by slot


def new_forest(count: int) -> Forest:
    """No links."""
    return Forest(*(np.full(count, NONE, np.int64) for _ in range(4)))


def new_work(items: Items, words: int) -> Work:
    """Room for so many threads as there are documents."""
    count = len(items.times)
    sides = new_sides(words, items.points.shape[1])
    real = np.zeros(count)
    return Work(np.zeros(count, np.int64), new_pool(items, words), sides, real, real.copy(), real.copy())


@helper
def link(forest: Forest, i: int, parent: int) -> None:
    """Let i, which has no parent, hang on another document."""
    forest.parent[i] = parent
    first = forest.child[parent]
    forest.following[i] = first
    forest.preceding[i] = NONE
    if first != NONE:
        forest.preceding[first] = i
    forest.child[parent] = i


@helper
def cut(forest: Forest, i: int) -> None:
    """Take i off its parent, if it has one."""
    parent = forest.parent[i]
    if parent == NONE:
        return
    before, after = forest.preceding[i], forest.following[i]
    if before == NONE:
        forest.child[parent] = after
    else:
        forest.following[before] = after
    if after != NONE:
        forest.preceding[after] = before
    forest.parent[i] = NONE


@helper
def read_branch(forest: Forest, i: int, branch: NDArray[np.int64]) -> int:
    """Write i and all that hangs on it; returns how many they are."""
    branch[0] = i
    found, read = 1, 0
    while read < found:
        c = forest.child[branch[read]]
        while c != NONE:
            branch[found] = c
            found += 1
            c = forest.following[c]
        read += 1
    return found


@helper
def move_in(state: State, i: int, slot: int) -> None:
    """Put document i into the slot."""
    attach(state.likelihood, state.items, i, slot)
    enter(state.slots, slot)
    state.labels[i] = slot


@helper
def move_out(state: State, i: int) -> None:
    """Take document i out of its slot."""
    detach(state.likelihood, state.items, i, state.labels[i])
    leave(state.slots, state.labels[i])
    state.labels[i] = NONE


@helper
def weigh_links(state: State, i: int, work: Work) -> None:
    """Add up k(t_i − t_j) over the earlier documents of each slot, safe from underflow."""
    for slot in range(state.slots.marks[1]):
        work.peak[slot] = -math.inf
        work.weight[slot] = 0.0
    for j in range(i - 1, -1, -1):
        slot = state.labels[j]
        log_weight = log_decay(state.prior.kernel, state.items.times[i] - state.items.times[j])
        if log_weight > work.peak[slot]:
            work.weight[slot] = work.weight[slot] * math.exp(work.peak[slot] - log_weight) + 1.0
            work.peak[slot] = log_weight
        elif log_weight > -math.inf:
            work.weight[slot] += math.exp(log_weight - work.peak[slot])


@helper
def draw_slot(state: State, work: Work, uniform: float) -> int:
    """The slot that the pooled branch joins, NONE for a new one: link weights × p(branch | slot)."""
    scratch, slots = state.scratch, state.slots
    _, fresh = log_score_pool(state.likelihood, work.pool, scratch, slots)
    new = fresh + math.log(state.prior.alpha)
    best = new
    for slot in range(slots.marks[1]):
        work.score[slot] = -math.inf
        if slots.size[slot] == 0 or work.weight[slot] == 0.0:
            continue
        if scratch.mark[slot] == scratch.stamp[0]:
            score = scratch.scores[scratch.where[slot]]
        else:
            score = fresh + log_score_untouched(state.likelihood, work.pool.items, 0, slot)
        work.score[slot] = score + work.peak[slot] + math.log(work.weight[slot])
        best = max(best, work.score[slot])
    total = math.exp(new - best)
    for slot in range(slots.marks[1]):
        total += math.exp(work.score[slot] - best)
    left = uniform * total
    for slot in range(slots.marks[1]):
        left -= math.exp(work.score[slot] - best)
        if left < 0.0:
            return slot
    return NONE


@helper
def draw_parent(state: State, i: int, slot: int, work: Work, uniform: float) -> int:
    """An earlier document of the slot, by its weight."""
    left = uniform * work.weight[slot]
    parent = NONE
    for j in range(i - 1, -1, -1):
        if state.labels[j] == slot:
            log_weight = log_decay(state.prior.kernel, state.items.times[i] - state.items.times[j])
            if log_weight > -math.inf:
                parent = j
                left -= math.exp(log_weight - work.peak[slot])
                if left < 0.0:
                    break
    return parent


@kernel
def link_kernel(
    state: State,
    forest: Forest,
    work: Work,
    order: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    begin: int,
) -> tuple[int, int]:
    """Draw the links of `order` from `begin` on; returns where it stopped and what is short. Documents that are in no
    thread yet are placed, in the order of time."""
    for step in range(begin, len(order)):
        i = order[step]
        found = read_branch(forest, i, work.branch)
        if free_slot(state.slots) == len(state.slots.size):
            return step, NEEDS_SLOTS
        if not room_to_move(state.likelihood, state.items, work.sides, work.branch, found):
            return step, NEEDS_LIKELIHOOD
        if state.labels[i] != NONE:
            cut(forest, i)
            for m in range(found):
                move_out(state, work.branch[m])
        gather(state.likelihood, state.items, work.branch, found, work.pool)
        weigh_links(state, i, work)
        slot = draw_slot(state, work, uniforms[step, 0])
        if slot == NONE:
            slot = name_slot(state.slots)
        else:
            link(forest, i, draw_parent(state, i, slot, work, uniforms[step, 1]))
        for m in range(found):
            move_in(state, work.branch[m], slot)
    return len(order), DONE


@kernel
def load_links_kernel(
    state: State, forest: Forest, work: Work, wanted: NDArray[np.int64], uniforms: NDArray[np.float64], begin: int
) -> tuple[int, int]:
    """Put all documents into the wanted slots and draw links that give these; returns like `link_kernel`."""
    for i in range(begin, len(wanted)):
        work.branch[0] = i
        if not room_to_move(state.likelihood, state.items, work.sides, work.branch, 1):
            return i, NEEDS_LIKELIHOOD
        slot = wanted[i]
        if state.slots.size[slot] > 0:
            weigh_links(state, i, work)
            link(forest, i, draw_parent(state, i, slot, work, uniforms[i]))
        move_in(state, i, slot)
    return len(wanted), DONE


class LinkRun:
    """A chain of sweeps over links; labels are the threads they make."""

    def __init__(
        self,
        prior: DDCRP,
        likelihood: Any,
        data: Any,
        times: ArrayLike,
        *,
        seed: int,
        scan: str = "random",
        init: Any = None,
        held: int = 0,
    ) -> None:
        if not isinstance(likelihood, DirichletMultinomial | Gaussian):
            raise ArgumentError(
                "likelihood", f"is {likelihood!r:.40}", "use DirichletMultinomial or Gaussian with DDCRP"
            )
        check_scan(scan)
        self.items: Items = likelihood.items(data, times)
        count = len(self.items.times)
        self.held = check_held(held, init, count)
        self.rng = generator(seed)
        self.scan = scan
        self.labelling = Labelling(prior, likelihood, self.items, vocabulary(data))
        self.forest = new_forest(count)
        self.work = new_work(self.items, vocabulary(data))
        if init is None:
            self._draw(np.arange(count))
            return
        wanted = check_labels("init", init, count)
        check_possible(prior, likelihood, data, times, wanted)
        self.labelling.widen_to(int(wanted.max()) + 2)
        uniforms = self.rng.random(count)
        self.labelling.run(
            lambda begin: load_links_kernel(self.labelling.state, self.forest, self.work, wanted, uniforms, begin)
        )

    def sweep(self, count: int = 1) -> None:
        """Draw every link anew so many times, but for those of held documents."""
        for _ in range(count):
            order = np.arange(self.held, len(self.items.times))
            if self.scan == "random":
                self.rng.shuffle(order)
            self._draw(order)

    def labels(self) -> Labels:
        """The current labels, 0, 1, … by first appearance."""
        return canonical(self.labelling.labels)

    def _draw(self, order: Labels) -> None:
        uniforms = self.rng.random((len(order), 2))
        self.labelling.run(
            lambda begin: link_kernel(self.labelling.state, self.forest, self.work, order, uniforms, begin)
        )


@start.register
def _start(prior: DDCRP, likelihood: Any, data: Any, times: ArrayLike, **options: Any) -> LinkRun:
    return LinkRun(prior, likelihood, data, times, **options)
