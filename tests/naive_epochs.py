"""Slow references for the models of Xu et al. 2008, from the paper's equations. Nothing here uses core."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import naive

Labels = tuple[int, ...]
Marginal = Callable[[Sequence[Any]], float]
Posterior = dict[Labels, float]


def dpchain(labels: Sequence[int], times: Sequence[float], alpha: float, eta: float) -> float:
    """Eq. 3 and 4, document after document."""
    total = 0.0
    for i, label in enumerate(labels):
        weights: dict[int, float] = defaultdict(float)
        for j in range(i):
            weights[labels[j]] += math.exp(-eta * (times[i] - times[j]))
        total += math.log(weights.get(label, alpha) / (alpha + sum(weights.values())))
    return total


def epoch_likelihood(labels: Sequence[int], times: Sequence[float], rows: Sequence[Any], marginal: Marginal) -> float:
    """Eq. 6: a thread's documents of one epoch know nothing of those of another."""
    pairs = [(times[i], label) for i, label in enumerate(labels)]
    return sum(marginal([rows[i] for i, p in enumerate(pairs) if p == pair]) for pair in set(pairs))


def extensions(before: Labels, more: int) -> Iterator[Labels]:
    """All ways to label so many documents more, labels numbered by first appearance."""
    if more == 0:
        yield before
        return
    for label in range(max(before, default=-1) + 2):
        yield from extensions((*before, label), more - 1)


def filtered(times: Sequence[float], log_joint: Callable[[Labels], float]) -> Posterior:
    """Π_t p(z_t | x_t, z_<t): every epoch's labels given those before, each normalised by itself.

    `log_joint` takes labels of the first documents, as many as it is given.
    """
    posterior: Posterior = {(): 1.0}
    for epoch in sorted(set(times)):
        size = sum(1 for t in times if t == epoch)
        found: Posterior = {}
        for before, chance in posterior.items():
            logs = {z: log_joint(z) for z in extensions(before, size)}
            best = max(logs.values())
            total = sum(math.exp(value - best) for value in logs.values())
            found |= {z: chance * math.exp(value - best) / total for z, value in logs.items()}
        posterior = found
    return posterior


def seatings(times: Sequence[float]) -> Iterator[tuple[list[tuple[float, list[int]]], Labels]]:
    """All tables, as (epoch, documents), with all ways to serve dishes, numbered by first appearance."""

    def arrange(epochs: list[float]) -> Iterator[list[tuple[float, list[int]]]]:
        if not epochs:
            yield []
            return
        members = [i for i, t in enumerate(times) if t == epochs[0]]
        for partition in naive.partitions(len(members)):
            tables = [(epochs[0], [members[j] for j in group]) for group in naive.groups(partition)]
            for rest in arrange(epochs[1:]):
                yield tables + rest

    for tables in arrange(sorted(set(times))):
        for dishes in naive.partitions(len(tables)):
            yield tables, dishes


def log_seating(
    tables: Sequence[tuple[float, list[int]]], dishes: Sequence[int], alpha: float, gamma: float, eta: float
) -> float:
    """Eq. 10-12: documents sit down one after the other, then tables are served one after the other."""
    total = 0.0
    for epoch in {t for t, _ in tables}:
        seated = 0
        for members in (m for t, m in tables if t == epoch):
            for place in range(len(members)):
                total += math.log((place or alpha) / (alpha + seated))
                seated += 1
    for a, (epoch, _) in enumerate(tables):
        weights: dict[int, float] = defaultdict(float)
        for b in range(a):
            weights[dishes[b]] += math.exp(-eta * (epoch - tables[b][0]))
        total += math.log(weights.get(dishes[a], gamma) / (gamma + sum(weights.values())))
    return total


def hdp_evo(times: Sequence[float], alpha: float, gamma: float, eta: float) -> Posterior:
    """P(labels) of all partitions into dishes: the sum over all seatings."""
    found: Posterior = defaultdict(float)
    for tables, dishes in seatings(times):
        labels = [0] * len(times)
        for (_, members), dish in zip(tables, dishes, strict=True):
            for i in members:
                labels[i] = dish
        names: dict[int, int] = {}
        key = tuple(names.setdefault(label, len(names)) for label in labels)
        found[key] += math.exp(log_seating(tables, dishes, alpha, gamma, eta))
    return dict(found)
