"""Slow references written from the papers. Nothing here uses core: kernels are plain functions, labels plain lists."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

Labels = Sequence[int]
Decay = Callable[[float], float]


def partitions(n: int) -> Iterator[tuple[int, ...]]:
    """All partitions of n things, as labels 0, 1, … by first appearance."""

    def extend(prefix: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(prefix) == n:
            yield prefix
            return
        for label in range(max(prefix, default=-1) + 2):
            yield from extend((*prefix, label))

    yield from extend(())


def log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def crp(labels: Labels, times: Sequence[float], alpha: float) -> float:
    """log P(labels): seat the documents one after the other."""
    total = 0.0
    for i, label in enumerate(labels):
        same = sum(1 for j in range(i) if labels[j] == label)
        total += log((same or alpha) / (i + alpha))
    return total


def tdpm(labels: Labels, times: Sequence[float], alpha: float, decay: Decay) -> float:
    """tDPM eq. 2-5, document after document."""
    total = 0.0
    for i, label in enumerate(labels):
        ages = [times[i] - times[j] for j in range(i)]
        everyone = sum(decay(age) for age in ages)
        members = [decay(ages[j]) for j in range(i) if labels[j] == label]
        total += log((sum(members) if members else alpha) / (everyone + alpha))
    return total


def rcrp(labels: Labels, times: Sequence[float], alpha: float, decay: float, width: float) -> float:
    """RCRP eq. 4 with the decaying history of §5, customer after customer."""
    total = 0.0
    for i, label in enumerate(labels):
        weights: dict[int, float] = {}
        for j in range(i):
            age = times[i] - times[j]
            if age <= width:
                weights[labels[j]] = weights.get(labels[j], 0.0) + (math.exp(-age / decay) if age else 1.0)
        everyone = sum(weights.values())
        if label in labels[:i]:
            total += log(weights.get(label, 0.0) / (everyone + alpha))  # a dead label never returns
        else:
            total += log(alpha / (everyone + alpha))
    return total


def addcrp(labels: Labels, times: Sequence[float], alpha: float, decay: Decay, distance: str) -> float:
    """ADDCRP eq. 9-12, document after document; weights are normalised over the threads there are and a new one."""

    def age(ages: list[float]) -> float:
        if distance == "nearest":
            return min(ages)
        weights = [decay(a) if distance == "weighted" else 1.0 for a in ages]
        if sum(weights) == 0.0:
            return min(ages)
        return sum(w * a for w, a in zip(weights, ages, strict=True)) / sum(weights)

    total = 0.0
    for i, label in enumerate(labels):
        threads: dict[int, list[float]] = {}
        for j in range(i):
            threads.setdefault(labels[j], []).append(times[i] - times[j])
        weights = {k: len(ages) * decay(age(ages)) for k, ages in threads.items()}
        total += log(weights.get(label, alpha) / (sum(weights.values()) + alpha))
    return total


def ddcrp_links(n: int) -> Iterator[tuple[int, ...]]:
    """All ways in which n documents can link to an earlier one or to themselves."""
    return itertools.product(*(range(i + 1) for i in range(n)))


def threads_of(links: Sequence[int]) -> tuple[int, ...]:
    """What hangs together, as labels 0, 1, … by first appearance."""
    labels: list[int] = []
    for i, parent in enumerate(links):
        labels.append(max(labels, default=-1) + 1 if parent == i else labels[parent])
    return tuple(labels)


def ddcrp(links: Sequence[int], times: Sequence[float], alpha: float, decay: Decay) -> float:
    """ddCRP eq. 6: log P(links)."""
    total = 0.0
    for i, parent in enumerate(links):
        weights = [decay(times[i] - times[j]) for j in range(i)]
        total += log((alpha if parent == i else weights[parent]) / (sum(weights) + alpha))
    return total


def dirichlet_multinomial(documents: Sequence[Sequence[int]], mass: Sequence[float]) -> float:
    """log p of one group's documents, word after word from the Pólya urn (no multinomial coefficients)."""
    total = 0.0
    seen = [0] * len(mass)
    for document in documents:
        for word, count in enumerate(document):
            for _ in range(count):
                total += math.log((seen[word] + mass[word]) / (sum(seen) + sum(mass)))
                seen[word] += 1
    return total


def gaussian(points: Sequence[Sequence[float]], noise: float, spread: float) -> float:
    """log p of one group's vectors, one after the other, the mean's posterior updated by Bayes' rule."""
    total = 0.0
    for d in range(len(points[0])):
        mean, variance = 0.0, spread
        for point in points:
            predictive = variance + noise
            total -= 0.5 * (math.log(2 * math.pi * predictive) + (point[d] - mean) ** 2 / predictive)
            gain = variance / predictive
            mean, variance = mean + gain * (point[d] - mean), (1 - gain) * variance
    return total


def gaussian_chain(
    points: Sequence[Sequence[float]], times: Sequence[float], noise: float, spread: float, drift: float
) -> float:
    """log p of one group's vectors: one dense Gaussian with cov(x_i, x_j) = spread + drift (min(t_i, t_j) − birth)."""
    t = np.array(times)
    covariance = spread + drift * (np.minimum.outer(t, t) - t.min()) + noise * np.eye(len(t))
    x = np.array(points)
    _, log_det = np.linalg.slogdet(2 * math.pi * covariance)
    return float(-0.5 * (x.shape[1] * log_det + np.einsum("id,id->", x, np.linalg.solve(covariance, x))))


def groups(labels: Labels) -> list[list[int]]:
    """Members of each label."""
    return [[i for i, other in enumerate(labels) if other == label] for label in sorted(set(labels))]
