"""Whole runs of HDP-EVO's sampler, and its joint and predictive probabilities with the tables summed out."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ..errors import ArgumentError
from ..items import NONE, Items, canonical, check_labels
from ..likelihoods.dirichlet_multinomial import DirichletMultinomial
from ..likelihoods.gaussian import Gaussian
from ..pool import new_pool
from ..priors.crp import CRP
from ..priors.hdp_evo import HDPEvo
from .epochs import check_epochs
from .gibbs import check_held, check_scan, generator, joint_of, left_out_of, start, vocabulary
from .labelling import Labelling, Labels
from .marginal import log_marginals
from .predictive import Predictive, log_likelihoods, predictive_of
from .seatings import dish_weights, log_seatings
from .seats import no_seats
from .tables import documents_kernel, seat_kernel, tables_kernel

RESEATED = 3  # passes in which documents of given threads find tables


class Seating(NamedTuple):
    """Thread and table of each document."""

    labels: Labels
    tables: Labels


class TableRun:
    """A chain of sweeps over seatings: all documents, then all tables."""

    def __init__(
        self,
        prior: HDPEvo,
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
        self.items: Items = checked_items(likelihood, data, times)
        count = len(self.items.times)
        self.held = check_held(held, init, count)
        self.rng = generator(seed)
        self.scan = scan
        self.labelling = Labelling(prior.dishes, likelihood, self.items, vocabulary(data))
        self.seats = no_seats(prior, self.items.times)
        self.pool = new_pool(self.items, vocabulary(data))
        if init is None:
            self._documents(np.arange(count), self.held)
        elif isinstance(init, Seating):
            self._seat(init.labels, init.tables)
        else:
            self._find_tables(check_labels("init", init, count))

    def sweep(self, count: int = 1) -> None:
        """Resample every document's table and every table's dish so many times."""
        for _ in range(count):
            tables = self.seats.tables
            tables.weight[:] = tables.opened @ tables.fade  # sums of many changes would drift
            self._documents(self._order(), self.held)
            order = self._order()
            uniforms = self.rng.random(len(order))
            self.labelling.run(
                lambda begin, o=order, u=uniforms: tables_kernel(  # type: ignore[misc]
                    self.labelling.state, self.seats, self.pool, o, u, self.held, begin
                )
            )

    def labels(self) -> Labels:
        """The current dishes, 0, 1, … by first appearance."""
        return canonical(self.labelling.labels)

    def seating(self) -> "Seating":
        """From where another run can go on."""
        return Seating(canonical(self.labelling.labels), self.seats.table.copy())

    def tables(self) -> tuple[NDArray[np.float64], Labels]:
        """The epoch and the dish of every table."""
        used = np.flatnonzero(self.seats.size)
        return self.items.times[used], canonical(self.seats.dish[used])

    def _order(self) -> Labels:
        order = np.arange(len(self.items.times))
        if self.scan == "random":
            self.rng.shuffle(order)
        return order

    def _documents(self, order: Labels, held: int) -> None:
        uniforms = self.rng.random(len(order))
        self.labelling.run(
            lambda begin: documents_kernel(self.labelling.state, self.seats, order, uniforms, held, begin)
        )

    def _find_tables(self, labels: Labels) -> None:
        """One table for each thread in each epoch; then the documents of a thread find their number of tables."""
        groups, which = np.unique(self.seats.epoch * (labels.max() + 1) + labels, return_inverse=True)
        epoch = groups // (labels.max() + 1)
        number = np.arange(len(groups)) - np.searchsorted(epoch, epoch)
        self._seat(labels, (self.seats.first[epoch] + number)[which])
        for _ in range(RESEATED):
            self._documents(self._order(), len(labels))

    def _seat(self, labels: Labels, tables: Labels) -> None:
        self.labelling.widen_to(int(labels.max()) + 2)
        self.labelling.run(lambda begin: seat_kernel(self.labelling.state, self.seats, tables, labels, begin))


def checked_items(likelihood: Any, data: Any, times: ArrayLike) -> Items:
    """Documents with whole epoch numbers, under a likelihood that can score several together."""
    if not isinstance(likelihood, DirichletMultinomial | Gaussian):
        raise ArgumentError(
            "likelihood",
            f"is {likelihood!r:.40}",
            "HDPEvo takes DirichletMultinomial or Gaussian: its threads do not move",
        )
    items: Items = likelihood.items(data, times)
    check_epochs(items.times)
    return items


@start.register
def _start(prior: HDPEvo, likelihood: Any, data: Any, times: ArrayLike, **options: Any) -> TableRun:
    return TableRun(prior, likelihood, data, times, **options)


@joint_of.register
def _joint(prior: HDPEvo, likelihood: Any, data: Any, times: ArrayLike, labels: ArrayLike) -> float:
    items = checked_items(likelihood, data, times)
    known = check_labels("labels", labels, len(items.times))
    return log_seatings(prior, items.times, known) + log_marginals(likelihood, items, vocabulary(data), known)


@predictive_of.register
def _predictive(prior: HDPEvo, likelihood: Any, data: Any, times: ArrayLike, labels: Labels) -> Predictive:
    items = checked_items(likelihood, data, times)
    last = len(items.times) - 1
    given, names = np.unique(labels, return_inverse=True)
    labelling = with_threads(likelihood, items, vocabulary(data), names)
    return Predictive(
        np.append(given, NONE),
        np.log(dish_weights(prior, items.times[:last], names, items.times[last])),
        log_likelihoods(labelling.likelihood, items, last, np.arange(len(given) + 1)),
    )


def with_threads(likelihood: Any, items: Items, words: int, names: Labels) -> Labelling:
    """The first documents in threads 0, 1, …, and an empty slot after them."""
    labelling = Labelling(CRP(1.0), likelihood, items, words)
    labelling.load(np.arange(len(names)), names)
    labelling.widen_to(int(names.max(initial=-1)) + 2)
    return labelling


@left_out_of.register
def _left_out(
    prior: HDPEvo, likelihood: Any, data: Any, times: ArrayLike, samples: list[Labels]
) -> NDArray[np.float64]:
    items = checked_items(likelihood, data, times)
    known = len(samples[0])
    logs = np.empty((len(samples), len(items.times) - known))
    for s, names in enumerate(samples):
        labelling = with_threads(likelihood, items, vocabulary(data), names)
        slots = np.arange(names.max() + 2)
        for i in range(known, len(items.times)):
            if i == known or items.times[i] != items.times[i - 1]:
                weights = np.log(dish_weights(prior, items.times[:known], names, items.times[i]))
                weights -= logsumexp(weights)
            logs[s, i - known] = logsumexp(weights + log_likelihoods(labelling.likelihood, items, i, slots))
    return logs
