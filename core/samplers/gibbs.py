"""Whole runs of the label sampler: start, sweeps, draws; and the joint probability of a labelling.

A sweep over a long history goes through it block by block. Threads farther away than `reach`, where the prior's weight
is so small that no likelihood can make up for it, stay unloaded: the cost of a document does not grow with the history.
"""

import math
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ..errors import ArgumentError
from ..items import NONE, Items, as_array, canonical, check_labels, whole
from .labelling import Labelling, Labels

CERTAIN = 40.0  # nats; a thread less likely than a new one by e^-40 is left out (below double precision)
SMALL = 512  # documents; up to here everything stays loaded
BLOCKS_PER_REACH = 4  # a block is so many times as long as the reach


def sample(
    prior: Any,
    likelihood: Any,
    data: Any,
    times: ArrayLike,
    *,
    draws: int,
    burn_in: int = 0,
    lag: int = 1,
    seed: int,
    scan: str = "random",
    init: ArrayLike | None = None,
    held: int = 0,
) -> Labels:
    """Draw labels from the posterior: an array (draws, documents), labels 0, 1, … by first appearance in each draw.

    Starts from `init`, or by placing the documents one after the other; makes `burn_in` sweeps, then keeps the labels
    after every `lag` sweeps. `scan` is "random" (a new order each sweep) or "forward". The first `held` documents keep
    their labels of `init`. Same arguments, same labels.
    """
    for name, value, least in (("draws", draws, 1), ("burn_in", burn_in, 0), ("lag", lag, 1)):
        whole(name, value, least)
    check_models(prior, likelihood)
    run = start(prior, likelihood, data, times, seed=seed, scan=scan, init=init, held=held)
    try:
        kept = np.empty((draws, len(run.items.times)), np.int64)
    except (MemoryError, ValueError) as error:
        raise ArgumentError("draws", f"is {draws!r:.40}", "keep fewer draws, they do not fit into memory") from error
    run.sweep(burn_in)
    for d in range(draws):
        run.sweep(lag)
        kept[d] = run.labels()
    return kept


def log_joint(prior: Any, likelihood: Any, data: Any, times: ArrayLike, labels: ArrayLike) -> float:
    """log P(labels | times) p(data | labels), up to terms that no labelling changes; -inf for impossible labels."""
    check_models(prior, likelihood)
    return float(joint_of(prior, likelihood, data, times, labels))


@singledispatch
def joint_of(prior: Any, likelihood: Any, data: Any, times: ArrayLike, labels: ArrayLike) -> float:
    """`log_joint`, by class of the prior."""
    items = likelihood.items(data, times)
    wanted = check_labels("labels", labels, len(items.times))
    return Labelling(prior, likelihood, items, vocabulary(data)).log_joint(wanted)


def held_out(prior: Any, likelihood: Any, data: Any, times: ArrayLike, samples: ArrayLike) -> NDArray[np.float64]:
    """log p(x_new | earlier documents) of the documents that the samples leave out (ddCRP paper eq. 15).

    `samples` (draws, m) label the first m documents; each later one is predicted from those m alone, averaged over
    the samples, without its multinomial coefficient.
    """
    check_models(prior, likelihood)
    items = likelihood.items(data, times)
    drawn = np.atleast_2d(as_array("samples", samples))
    known = drawn.shape[-1]
    if drawn.ndim != 2 or drawn.size == 0 or known >= len(items.times):
        raise ArgumentError(
            "samples", f"has shape {drawn.shape}", "pass labels (draws, m) with m below the number of documents"
        )
    checked = [check_labels("samples", labels, known) for labels in drawn]
    logs = left_out_of(prior, likelihood, data, times, checked)
    return np.asarray(logsumexp(logs, axis=0) - np.log(len(drawn)))


@singledispatch
def left_out_of(prior: Any, likelihood: Any, data: Any, times: ArrayLike, samples: list[Labels]) -> NDArray[np.float64]:
    """What `held_out` averages: (samples, documents that they leave out), by class of the prior."""
    items = likelihood.items(data, times)
    known = np.arange(len(samples[0]))
    new = np.arange(len(known), len(items.times))
    logs = np.empty((len(samples), len(new)))
    for s, labels in enumerate(samples):
        labelling = Labelling(prior, likelihood, items, vocabulary(data))
        labelling.load(known, labels)
        logs[s] = labelling.log_predictive(new)
    return logs


def check_models(prior: Any, likelihood: Any) -> None:
    """That a prior is a prior and a likelihood a likelihood."""
    if isinstance(prior, type) or not hasattr(prior, "reach"):
        raise ArgumentError("prior", f"is {prior!r:.40}", "pass a prior, e.g. TDPM(0.2, Exponential(0.5))")
    if isinstance(likelihood, type) or not hasattr(likelihood, "items") or isinstance(likelihood, dict):
        raise ArgumentError(
            "likelihood", f"is {likelihood!r:.40}", "pass a likelihood, e.g. DirichletMultinomial(100.0)"
        )


def check_scan(scan: str) -> None:
    """That a scan order is one."""
    if scan not in ("random", "forward"):
        raise ArgumentError("scan", f"is {scan!r}", 'pass "random" or "forward"')


def check_held(held: Any, init: Any, count: int) -> int:
    """How many of the documents keep their labels."""
    if whole("held", held, 0) > count:
        raise ArgumentError("held", f"is {held} for {count} documents", "hold at most all of them")
    if held and init is None:
        raise ArgumentError("held", f"is {held} without init", "pass the labels to keep as init")
    return int(held)


def check_possible(prior: Any, likelihood: Any, data: Any, times: ArrayLike, init: Labels) -> None:
    """That a chain can start from the labels."""
    if log_joint(prior, likelihood, data, times, init) == -math.inf:
        raise ArgumentError("init", "is impossible under the prior", "pass labels whose threads have no gap too wide")


def vocabulary(data: Any) -> int:
    """Columns of the data."""
    return int((data if hasattr(data, "shape") else np.asarray(data)).shape[1])


class Run:
    """A chain of sweeps over one set of documents."""

    def __init__(
        self,
        prior: Any,
        likelihood: Any,
        data: Any,
        times: ArrayLike,
        *,
        seed: int,
        scan: str = "random",
        init: Any = None,
        held: int = 0,
    ) -> None:
        check_scan(scan)
        check_models(prior, likelihood)
        self.items: Items = likelihood.items(data, times)
        self.held = check_held(held, init, len(self.items.times))
        self.rng = generator(seed)
        self.scan = scan
        self.labelling = Labelling(prior, likelihood, self.items, vocabulary(data))
        self.reach, self.blocks = self._blocks(prior, likelihood)
        self.names = np.full(len(self.items.times), NONE)
        self.next_name = 0
        if init is None:
            self._pass(full=False)
            return
        self.names = check_labels("init", init, len(self.items.times))
        check_possible(prior, likelihood, data, times, self.names)
        self.next_name = int(self.names.max()) + 1
        if len(self.blocks) == 1:
            self.labelling.load(np.arange(len(self.names)), self.names)

    def sweep(self, count: int = 1) -> None:
        """Resample every document so many times."""
        for _ in range(count):
            self._pass(full=True)

    def labels(self) -> Labels:
        """The current labels, 0, 1, … by first appearance."""
        return canonical(self.labelling.labels if len(self.blocks) == 1 else self.names)

    def _blocks(self, prior: Any, likelihood: Any) -> tuple[float, list[tuple[int, int]]]:
        """How far threads matter, and the blocks of documents that a sweep goes through."""
        times = self.items.times
        count = len(times)
        if count <= SMALL:
            return math.inf, [(0, count)]
        odds = likelihood.log_peak(self.items) - self.labelling.least_log_fresh()
        reach = prior.reach(CERTAIN + 2.0 * math.log(count) + odds - math.log(prior.alpha))
        blocks = []
        begin = 0
        while begin < count:
            end = int(np.searchsorted(times, times[begin] + BLOCKS_PER_REACH * reach, side="right"))
            end = min(max(end, begin + SMALL // 4), count)
            blocks.append((begin, end))
            begin = end
        return reach, blocks

    def _pass(self, *, full: bool) -> None:
        """Go once through all documents."""
        if len(self.blocks) == 1:
            self._resample(0, len(self.names), full)
            return
        arrivals = Arrivals(self.names) if full else None
        for begin, end in self.blocks:
            if arrivals is not None:
                self._bring_in(
                    *arrivals.until(
                        int(np.searchsorted(self.items.times, self.items.times[end - 1] + self.reach, "right"))
                    )
                )
            self._resample(begin, end, full)
            self._send_away(self.items.times[end] - self.reach if end < len(self.names) else math.inf)

    def _resample(self, begin: int, end: int, full: bool) -> None:
        order = np.arange(max(begin, self.held), end)
        if full and self.scan == "random":
            self.rng.shuffle(order)
        self.labelling.sweep(order, self.rng.random(len(order)), full=full)

    def _bring_in(self, documents: Labels, group: Labels) -> None:
        """Load whole threads, each into a free slot."""
        if len(documents) == 0:
            return
        needed = int(group.max()) + 1
        self.labelling.widen_to(int(self.labelling.slots.marks[2]) + needed + 1)
        free = np.flatnonzero(self.labelling.slots.size == 0)[:needed]
        self.labelling.load(documents, free[group])

    def _send_away(self, before: float) -> None:
        """Unload the threads whose last document is earlier, under names of their own."""
        loaded = np.flatnonzero(self.labelling.labels != NONE)
        slots = self.labelling.labels[loaded]
        last = np.full(len(self.labelling.slots.size), -math.inf)
        np.maximum.at(last, slots, self.items.times[loaded])
        leaving = last[slots] < before
        self.names[loaded[leaving]] = self.next_name + slots[leaving]
        self.next_name += len(self.labelling.slots.size)
        self.labelling.unload(loaded[leaving])


@singledispatch
def start(prior: Any, likelihood: Any, data: Any, times: ArrayLike, **options: Any) -> Any:
    """A chain of sweeps, by class of the prior: it has `sweep(count)` and `labels()`."""
    return Run(prior, likelihood, data, times, **options)


class Arrivals:
    """Whole threads in the order of their first documents."""

    def __init__(self, names: Labels) -> None:
        labels = canonical(names)
        self.documents = np.argsort(labels, kind="stable")
        self.group = labels[self.documents]
        self.starts = np.flatnonzero(np.diff(self.group, prepend=-1))
        self.next = 0

    def until(self, document: int) -> tuple[Labels, Labels]:
        """Members of the threads that begin before the document, not given yet, and which is whose (0, 1, …)."""
        begin = self.next
        self.next = int(np.searchsorted(self.documents[self.starts], document))
        ends = np.append(self.starts, len(self.documents))
        chosen = slice(ends[begin], ends[self.next])
        return self.documents[chosen], self.group[chosen] - begin


def generator(seed: Any) -> np.random.Generator:
    """The random numbers of a run; a seed is a whole number, 0 or more."""
    return np.random.Generator(np.random.PCG64(whole("seed", seed, 0)))
