"""log P(labels | times, knobs) with its gradient: what the M-step of stochastic EM climbs (tDPM §4)."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

from ..jit import kernel

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]


class Evidence(NamedTuple):
    """A log probability and its derivatives by the concentration and by the speed of forgetting."""

    value: float
    by_alpha: float
    by_decay: float


def tdpm_evidence(labels: Labels, times: Floats, alpha: float, rate: float, settled: Floats | None = None) -> Evidence:
    """log P(S | T, α, λ) of tDPM with k = e^{−λt}, by λ in `by_decay`; labels 0 … K−1.

    The first documents may be settled: `settled` has their weights. They stand for the past and are not scored.
    """
    values = np.zeros(0) if settled is None else settled
    return Evidence(*_tdpm_kernel(labels, times, values, alpha, rate, int(labels.max()) + 1))


def tdpm_alpha_evidence(labels: Labels, times: Floats, rate: float, settled: Floats) -> Callable[[float], float]:
    """The value of `tdpm_evidence` by α alone, but for a constant: the weights of all groups are worked out once."""
    everyone = np.empty(len(times) - len(settled))
    _everyone_kernel(times, settled, rate, everyone)
    births = np.count_nonzero(np.bincount(labels)) - np.count_nonzero(np.bincount(labels[: len(settled)]))
    return lambda alpha: births * math.log(alpha) - float(np.log(everyone + alpha).sum())


@kernel
def _everyone_kernel(times: Floats, settled: Floats, rate: float, out: Floats) -> None:
    """The weights of all groups together at the time of each document that is not settled."""
    everyone = 0.0
    for i in range(len(times)):
        if i > 0:
            joined = settled[i - 1] + 1.0 if i <= len(settled) else 1.0
            everyone = math.exp(-rate * (times[i] - times[i - 1])) * (everyone + joined)
        if i >= len(settled):
            out[i - len(settled)] = everyone


@kernel
def _tdpm_kernel(
    labels: Labels, times: Floats, settled: Floats, alpha: float, rate: float, groups: int
) -> tuple[float, float, float]:
    """Equations 22-25; weights and their derivatives by the recursions w' = k(Δ)(w + 1), ∂w' = k(Δ) ∂w − Δ w'."""
    weight = np.zeros(groups)  # of each group just before its last member, ∂ likewise
    slope = np.zeros(groups)
    last = np.full(groups, np.nan)
    everyone, everyone_slope, joined = 0.0, 0.0, 0.0
    value, by_alpha, by_rate = 0.0, 0.0, 0.0
    for i in range(len(labels)):
        if i > 0:
            gap = times[i] - times[i - 1]
            everyone = math.exp(-rate * gap) * (everyone + joined)
            everyone_slope = math.exp(-rate * gap) * everyone_slope - gap * everyone
        k = labels[i]
        if i < len(settled):
            weight[k], slope[k], last[k] = settled[i], 0.0, times[i]
            joined = settled[i] + 1.0
            continue
        joined = 1.0
        total = everyone + alpha
        if math.isnan(last[k]):
            value += math.log(alpha / total)
            by_alpha += 1.0 / alpha
        else:
            gap = times[i] - last[k]
            value += math.log1p(weight[k]) - rate * gap - math.log(total)
            by_rate += slope[k] / (weight[k] + 1.0) - gap
            fade = math.exp(-rate * gap)
            weight[k] = fade * (weight[k] + 1.0)
            slope[k] = fade * slope[k] - gap * weight[k]
        by_alpha -= 1.0 / total
        by_rate -= everyone_slope / total
        last[k] = times[i]
    return value, by_alpha, by_rate


def rcrp_evidence(labels: Labels, epochs: Floats, alpha: float, decay: float, width: float) -> Evidence:
    """log P(S | T, α, λ, W) of RCRP, by λ in `by_decay`; labels 0 … K−1, possible under W."""
    used, column = np.unique(epochs, return_inverse=True)
    counts: Any = scipy.sparse.csr_array((np.ones(len(labels)), (labels, column)))
    counts.sum_duplicates()
    age = used[None, :] - used[:, None]
    reached = (age >= 1) & (age <= width)
    fade = np.where(reached, np.exp(-np.abs(age) / decay), 0.0)
    slope = fade * age / decay**2
    row, col = counts.nonzero()
    n = counts.data
    m, dm = (np.asarray((counts @ matrix)[row, col]).ravel() for matrix in (fade, slope))
    born = m == 0.0
    m_old, n_old = m[~born], n[~born]
    sizes: Floats = np.asarray(counts.sum(axis=0)).ravel()
    history = sizes @ fade + alpha
    value = born.sum() * math.log(alpha) + gammaln(n[born]).sum() + (gammaln(m_old + n_old) - gammaln(m_old)).sum()
    value -= (gammaln(history + sizes) - gammaln(history)).sum()
    spent = digamma(history + sizes) - digamma(history)
    by_decay = ((digamma(m_old + n_old) - digamma(m_old)) * dm[~born]).sum() - spent @ (sizes @ slope)
    return Evidence(float(value), float(born.sum() / alpha - spent.sum()), float(by_decay))


def crp_evidence(groups: int, documents: int, alpha: float) -> Evidence:
    """log P of a CRP partition into so many groups, without the terms that alpha does not change."""
    value = groups * math.log(alpha) + math.lgamma(alpha) - math.lgamma(alpha + documents)
    slope: Any = digamma(alpha) - digamma(alpha + documents)
    return Evidence(value, groups / alpha + float(slope), 0.0)
