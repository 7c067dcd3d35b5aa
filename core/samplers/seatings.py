"""HDP-EVO's labels with the tables summed out.

n documents of one epoch and dish sit at m tables in ways whose weights Π Γ(size) sum to |s(n, m)|, the unsigned
Stirling number of the first kind. So P(labels) = Π_t 1/(α)_{n_t} · Σ_m Π_{t,k} |s(n_{t,k}, m_{t,k})| α^{m_{t,k}} ·
P(dishes | m), the sum over all numbers of tables m. It is exact and exponential, for small data; beyond, predictions
estimate the numbers of tables.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln, logsumexp

from ..errors import ArgumentError
from ..priors.hdp_evo import HDPEvo

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST = 200_000  # numbers of tables to sum over
BLOCK = 20_000  # of them at a time
FEW = 2_000  # up to here a prediction sums, too
ROUNDS = 10  # of the estimate, which has then settled to three digits


class Cells(NamedTuple):
    """Documents by epoch and dish, where there are any."""

    epoch: Labels  # 0, 1, … of those that occur
    dish: Labels
    size: Labels
    fade: Floats  # (epochs, epochs): [τ, t] what a table of epoch τ weighs in t, 0 unless τ < t
    same: Floats  # (cells, cells): the same for tables of the same dish
    born: NDArray[np.bool]  # no earlier cell has the dish


def cells_of(prior: HDPEvo, times: Floats, labels: Labels) -> Cells:
    """Labels are 0, 1, …"""
    numbers, at = np.unique(times, return_inverse=True)
    width = int(labels.max(initial=0)) + 1
    groups, size = np.unique(at * width + labels, return_counts=True)
    epoch, dish = groups // width, groups % width
    age = numbers[None, :] - numbers[:, None]
    fade = np.where(age > 0.0, np.exp(-prior.eta * np.abs(age)), 0.0)
    alike = dish[:, None] == dish[None, :]
    earlier = alike & (epoch[:, None] < epoch[None, :])
    return Cells(epoch, dish, size, fade, np.where(alike, fade[np.ix_(epoch, epoch)], 0.0), ~earlier.any(axis=0))


def log_stirling(n: int) -> Floats:
    """log |s(n, m)| for m = 1 … n, from |s(n+1, m)| = n |s(n, m)| + |s(n, m−1)|."""
    row = np.zeros(1)
    for k in range(1, n):
        row = np.logaddexp(np.append(row, -np.inf) + math.log(k), np.insert(row, 0, -np.inf))
    return row


def blocks(sizes: Labels, limit: int) -> list[Labels]:
    """All numbers of tables, 1 … size in each cell, as rows of blocks; none when there are more than the limit."""
    count = math.prod(sizes.tolist())
    if count > limit:
        return []
    several = np.flatnonzero(sizes > 1)  # the others have one table; numpy counts in 64 dimensions at most
    found = []
    for start in range(0, count, BLOCK):
        rows = np.ones((min(BLOCK, count - start), len(sizes)), np.int64)
        if len(several):
            rows[:, several] += np.stack(
                np.unravel_index(start + np.arange(len(rows)), sizes[several].tolist()), axis=1
            )
        found.append(rows)
    return found


def log_weights(prior: HDPEvo, cells: Cells, tables: Labels) -> Floats:
    """log of Π |s(n, m)| α^m · P(dishes | m) for each row of numbers of tables."""
    total = tables.sum(axis=1) * math.log(prior.alpha)
    for c, n in enumerate(cells.size):
        total += log_stirling(int(n))[tables[:, c] - 1]
    past = tables @ cells.same
    old = ~cells.born
    total += cells.born.sum() * math.log(prior.gamma) + gammaln(tables[:, cells.born]).sum(axis=1)
    total += (gammaln(past[:, old] + tables[:, old]) - gammaln(past[:, old])).sum(axis=1)
    number = by_epoch(cells, tables)
    base = prior.gamma + number @ cells.fade
    return np.asarray(total - (gammaln(base + number) - gammaln(base)).sum(axis=1))


def by_epoch(cells: Cells, tables: NDArray[np.floating] | Labels) -> Floats:
    """Rows of tables by cell, summed by epoch."""
    member = cells.epoch[:, None] == np.arange(len(cells.fade))[None, :]
    return np.asarray(tables @ member.astype(np.float64))


def log_seatings(prior: HDPEvo, times: Floats, labels: Labels) -> float:
    """log P(labels), without Π_t 1/(α)_{n_t}, which no labelling changes."""
    cells = cells_of(prior, times, labels)
    rows = blocks(cells.size, MOST)
    if not rows:
        raise ArgumentError(
            "labels",
            f"can sit at tables in more than {MOST} numbers",
            "take fewer documents: HDPEvo's joint sums over all seatings",
        )
    return float(logsumexp(np.concatenate([log_weights(prior, cells, block) for block in rows])))


def dish_weights(prior: HDPEvo, times: Floats, labels: Labels, now: float) -> Floats:
    """What each dish 0, 1, … weighs for one document more in an epoch that is the last, a new dish at the end.

    Averaged over the numbers of tables given the labels; when these are many, at an estimate of their mean.
    """
    cells = cells_of(prior, times, labels)
    rows = blocks(cells.size, FEW)
    if rows:
        numbers_of_tables = np.concatenate(rows)
        logs = log_weights(prior, cells, numbers_of_tables)
        tables, chances = numbers_of_tables.astype(np.float64), np.exp(logs - logsumexp(logs))
    else:
        tables, chances = estimated_tables(prior, cells)[None, :], np.ones(1)
    numbers = np.unique(times)
    fade = np.exp(-prior.eta * (now - numbers))[cells.epoch]  # 1 in this epoch: m and w together
    dishes = (cells.dish[:, None] == np.arange(labels.max(initial=-1) + 1)[None, :]).astype(np.float64)
    open_to = np.append((tables * fade) @ dishes, np.full((len(tables), 1), prior.gamma), axis=1)
    share = chances @ (open_to / open_to.sum(axis=1, keepdims=True))
    here = np.where(numbers[cells.epoch] == now, cells.size, 0) @ dishes
    return np.asarray(prior.alpha * share + np.append(here, 0.0))


def estimated_tables(prior: HDPEvo, cells: Cells) -> Floats:
    """The mean number of tables of each cell, roughly: as in a Dirichlet process of n documents whose concentration is
    α times the dish's share among the tables of its epoch, half of its own included (Antoniak 1974)."""
    tables = np.ones(len(cells.size))
    for _ in range(ROUNDS):
        number = by_epoch(cells, tables)
        total = (prior.gamma + number @ cells.fade + number)[cells.epoch]
        own = np.where(cells.born, 1.0, tables @ cells.same) + 0.5 * (tables - 1.0)
        concentration = prior.alpha * own / total
        tables = 1.0 + concentration * (digamma(concentration + cells.size) - digamma(concentration + 1.0))
    return np.asarray(tables)
