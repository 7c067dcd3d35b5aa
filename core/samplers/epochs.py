"""DPChain: epochs filtered one after the other (Xu et al. 2008, §3.2).

The labels of an epoch are drawn from P(z_t | z_<t) p(x_t | z_t) given the draw of the epochs before; nothing flows
back. So a draw of everything follows Π_t p(z_t | x_t, z_<t), which is not the posterior of all labels given all data.
Sweeps are made epoch by epoch: all of one epoch's before the next one's begin.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ArgumentError
from ..items import NONE, Items, canonical, check_labels, ranges
from ..priors.dpchain import DPChain, places, with_past
from ..priors.rcrp import EXACT
from ..slots import new_slots
from .evidence import rcrp_evidence
from .gibbs import check_held, check_scan, generator, joint_of, left_out_of, start, vocabulary
from .labelling import Labelling, Labels
from .marginal import log_marginals
from .predictive import Predictive, log_likelihoods, predictive_of


class Past(NamedTuple):
    """Threads of earlier epochs by name, ascending, and what they weigh."""

    names: Labels
    weights: NDArray[np.float64]

    def later(self, fade: float) -> "Past":
        """After the weights have faded; what is left of none is gone."""
        weights = self.weights * fade
        return Past(self.names[weights > 0.0], weights[weights > 0.0])

    def joined_by(self, names: Labels) -> "Past":
        """With one document more for each name."""
        everyone, which = np.unique(np.concatenate([self.names, names]), return_inverse=True)
        weights = np.concatenate([self.weights, np.ones(len(names))])
        return Past(everyone, np.bincount(which, weights, minlength=len(everyone)).astype(np.float64))


NOTHING = Past(np.zeros(0, np.int64), np.zeros(0))


class Epoch:
    """The documents of one epoch in their threads. Threads of the past hold places while no document is in them."""

    def __init__(self, prior: DPChain, likelihood: Any, items: Items, words: int) -> None:
        self.labelling = Labelling(prior, likelihood, items, words)

    def load(self, names: Labels, past: Past, next_name: int) -> None:
        """Put the documents into threads by name, after the past; NONE for those in no thread."""
        labelling = self.labelling
        labelling.unload(np.flatnonzero(labelling.labels != NONE))
        known = len(past.names)
        born = np.setdiff1d(names[names != NONE], past.names)
        threads = np.concatenate([past.names, born])
        labelling.widen_to(len(threads) + 2)
        labelling.prior = with_past(labelling.prior, past.weights)
        labelling.slots = new_slots(len(labelling.slots.size))
        labelling.slots.size[:known] = places(past.weights)
        labelling.slots.names[: len(threads)] = threads
        labelling.slots.marks[:] = known, known, known, next_name
        order = np.flatnonzero(names != NONE)
        by_name = np.argsort(threads)
        labelling.load(order, by_name[np.searchsorted(threads, names[order], sorter=by_name)])

    def sweep(self, order: Labels, uniforms: NDArray[np.float64], *, full: bool) -> None:
        """Draw a thread for each document of `order`."""
        self.labelling.sweep(order, uniforms, full=full)

    def names(self) -> Labels:
        """The thread of each document."""
        return np.asarray(self.labelling.slots.names[self.labelling.labels])

    def next_name(self) -> int:
        """No thread has this name or a higher one."""
        return int(self.labelling.slots.marks[3])


class EpochRun:
    """A chain of sweeps over epochs, each given the last labels of those before it."""

    def __init__(
        self,
        prior: DPChain,
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
        self.prior = prior
        self.items: Items = likelihood.items(data, times)
        check_epochs(self.items.times)
        self.held = check_held(held, init, len(self.items.times))
        self.rng = generator(seed)
        self.scan = scan
        self.bounds = epoch_bounds(self.items.times)
        self.epochs = [
            Epoch(prior, likelihood, part_of(self.items, begin, end), vocabulary(data)) for begin, end in self.bounds
        ]
        self.current = np.full(len(self.items.times), NONE)
        self.next_name = 0
        if init is None:
            self._filter(1, full=False)
        else:
            self.current = check_labels("init", init, len(self.current))
            self.next_name = int(self.current.max()) + 1

    def sweep(self, count: int = 1) -> None:
        """Resample every document so many times, the later epochs given the last labels of the earlier ones."""
        if count > 0:
            self._filter(count, full=True)

    def labels(self) -> Labels:
        """The current labels, 0, 1, … by first appearance."""
        return canonical(self.current)

    def _filter(self, count: int, *, full: bool) -> None:
        past = NOTHING
        before = 0.0
        for epoch, (begin, end) in zip(self.epochs, self.bounds, strict=True):
            past = past.later(self.prior.fade(self.items.times[begin] - before))
            before = self.items.times[begin]
            if end > self.held:
                self._resample(epoch, begin, end, past, count, full)
            past = past.joined_by(self.current[begin:end])

    def _resample(self, epoch: Epoch, begin: int, end: int, past: Past, count: int, full: bool) -> None:
        epoch.load(self.current[begin:end], past, self.next_name)
        order = np.tile(np.arange(max(self.held - begin, 0), end - begin), (count, 1))
        if full and self.scan == "random":
            order = self.rng.permuted(order, axis=1)
        epoch.sweep(order.ravel(), self.rng.random(order.size), full=full)
        self.current[begin:end] = epoch.names()
        self.next_name = epoch.next_name()


def check_epochs(times: NDArray[np.float64]) -> None:
    """That times are whole numbers."""
    if (times != np.floor(times)).any() or (np.abs(times) > EXACT).any():
        raise ArgumentError("times", "are not whole epoch numbers", "divide by the epoch's length and round down")


def epoch_bounds(times: NDArray[np.float64]) -> list[tuple[int, int]]:
    """First document of each epoch and of the next."""
    starts = np.flatnonzero(np.diff(times, prepend=-math.inf))
    return list(zip(starts.tolist(), [*starts[1:].tolist(), len(times)], strict=True))


def part_of(items: Items, begin: int, end: int) -> Items:
    """Documents begin … end − 1, with their words alone."""
    chosen = ranges(items.starts[begin:end], items.ends[begin:end] - items.starts[begin:end])
    ends = np.cumsum(items.ends[begin:end] - items.starts[begin:end])
    return Items(
        items.times[begin:end].copy(),
        ends - (items.ends[begin:end] - items.starts[begin:end]),
        ends,
        items.words[chosen],
        items.counts[chosen],
        items.lengths[begin:end].copy(),
        items.points[begin:end].copy(),
    )


@start.register
def _start(prior: DPChain, likelihood: Any, data: Any, times: ArrayLike, **options: Any) -> EpochRun:
    return EpochRun(prior, likelihood, data, times, **options)


@joint_of.register
def _joint(prior: DPChain, likelihood: Any, data: Any, times: ArrayLike, labels: Labels) -> float:
    """log P(labels) of all epochs, and the likelihood of each thread's documents of one epoch alone."""
    items = likelihood.items(data, times)
    check_epochs(items.times)
    known = check_labels("labels", labels, len(items.times))
    decay = 1.0 / prior.eta if prior.eta > 0.0 else math.inf
    log_prior = rcrp_evidence(known, items.times, prior.alpha, decay, math.inf).value
    _, epoch = np.unique(items.times, return_inverse=True)
    return log_prior + log_marginals(likelihood, items, vocabulary(data), canonical(epoch * (known.max() + 1) + known))


def past_at(prior: DPChain, times: NDArray[np.float64], names: Labels, now: float) -> Past:
    """What an epoch finds: names are those of the documents at the times."""
    earlier = times < now
    threads, which = np.unique(names[earlier], return_inverse=True)
    weights = np.exp(-prior.eta * (now - times[earlier]))
    return Past(threads, np.bincount(which, weights, minlength=len(threads)).astype(np.float64)).later(1.0)


def epoch_of(prior: DPChain, likelihood: Any, items: Items, words: int, names: Labels, begin: int, end: int) -> Epoch:
    """The epoch of documents begin … end − 1, those with names in their threads, after all before them."""
    epoch = Epoch(prior, likelihood, part_of(items, begin, end), words)
    known = np.append(names[begin:end], np.full(max(end - max(len(names), begin), 0), NONE))
    past = past_at(prior, items.times[: len(names)], names, items.times[begin])
    epoch.load(known, past, int(names.max(initial=NONE)) + 1)
    return epoch


@predictive_of.register
def _predictive(prior: DPChain, likelihood: Any, data: Any, times: ArrayLike, labels: Labels) -> Predictive:
    items = likelihood.items(data, times)
    check_epochs(items.times)
    begin, end = epoch_bounds(items.times)[-1]
    labelling = epoch_of(prior, likelihood, items, vocabulary(data), labels, begin, end).labelling
    count = int(labelling.slots.marks[1])
    weights = labelling.prior.weight[:count] + labelling.prior.size[:count]
    return Predictive(
        np.append(labelling.slots.names[:count], NONE),
        np.log(np.append(weights, prior.alpha)),
        log_likelihoods(labelling.likelihood, labelling.items, end - begin - 1, np.arange(count + 1)),
    )


@left_out_of.register
def _left_out(
    prior: DPChain, likelihood: Any, data: Any, times: ArrayLike, samples: list[Labels]
) -> NDArray[np.float64]:
    items = likelihood.items(data, times)
    check_epochs(items.times)
    known = len(samples[0])
    logs = np.empty((len(samples), len(items.times) - known))
    for begin, end in epoch_bounds(items.times):
        first = max(begin, known)
        for s, names in enumerate(samples):
            if end > known:
                epoch = epoch_of(prior, likelihood, items, vocabulary(data), names, begin, end)
                logs[s, first - known : end - known] = epoch.labelling.log_predictive(np.arange(first, end) - begin)
    return logs
