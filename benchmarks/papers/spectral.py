"""Evolutionary spectral clustering (Chi, Song, Zhou, Hino, Tseng 2007), normalised cuts: PCQ and PCM.

At epoch t both take the K leading eigenvectors X_t of (1 − β) S_t + β H, S = D^{−½} W D^{−½}, and run k-means on rows.
PCQ asks that the new groups also fit the old similarities: H = S_{t−1}. PCM asks that they resemble the old groups:
H = X_{t−1} X_{t−1}ᵀ. Both speak of the same items at both times; where the items of an epoch are new, each stands for
the item of the epoch before that it is most similar to. The number of groups is given and the same in all epochs.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Similarity = Callable[[Any, Any], Floats]
RESTARTS = 10  # of k-means
STEPS = 100


def gaussian_similarity(scale: float) -> Similarity:
    """e^{−|x − y|² / 2 scale²} between rows."""

    def similarity(a: Floats, b: Floats) -> Floats:
        squares = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)
        return np.asarray(np.exp(-squares / (2.0 * scale**2)))

    return similarity


def cosine_similarity(a: Floats, b: Floats) -> Floats:
    """Cosine between rows, 0 for empty ones."""
    a, b = (x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12) for x in (a, b))
    return np.asarray(a @ b.T)


def evolutionary_spectral(
    epochs: Sequence[Any], groups: int, similarity: Similarity, *, keep_quality: bool, beta: float, seed: int
) -> list[Labels]:
    """Labels of the items of each epoch, by PCQ (keep_quality) or PCM."""
    rng = np.random.default_rng(seed)
    found: list[Labels] = []
    before: tuple[Any, Floats, Floats] | None = None
    for items in epochs:
        smooth = normalised(similarity(items, items))
        mixed = smooth
        if before is not None:
            old_items, old_smooth, old_vectors = before
            match = similarity(items, old_items).argmax(axis=1)
            old = old_smooth[np.ix_(match, match)] if keep_quality else old_vectors[match] @ old_vectors[match].T
            mixed = (1.0 - beta) * smooth + beta * old
        vectors = leading(mixed, groups)
        before = items, smooth, vectors
        rows = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        found.append(k_means(rows, groups, rng))
    return found


def normalised(weights: Floats) -> Floats:
    """D^{−½} W D^{−½}."""
    root = 1.0 / np.sqrt(np.maximum(weights.sum(axis=1), 1e-12))
    return np.asarray(root[:, None] * weights * root[None, :])


def leading(matrix: Floats, count: int) -> Floats:
    """The eigenvectors of the largest eigenvalues, as columns."""
    size = len(matrix)
    return np.asarray(eigh(matrix, subset_by_index=[max(size - count, 0), size - 1])[1])


def k_means(rows: Floats, groups: int, rng: np.random.Generator) -> Labels:
    """Lloyd's algorithm from k-means++ starts; the labels of least squared distance."""
    best, least = np.zeros(len(rows), np.int64), np.inf
    for _ in range(RESTARTS):
        centres = spread_start(rows, groups, rng)
        labels = best
        for _ in range(STEPS):
            squares = ((rows[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
            moved = squares.argmin(axis=1)
            if (moved == labels).all() and labels is not best:
                break
            labels = moved
            centres = np.array(
                [rows[labels == k].mean(axis=0) if (labels == k).any() else centres[k] for k in range(len(centres))]
            )
        cost = float(squares.min(axis=1).sum())
        if cost < least:
            best, least = labels, cost
    return best


def spread_start(rows: Floats, groups: int, rng: np.random.Generator) -> Floats:
    """Rows far apart: each next one in proportion to its squared distance from those chosen."""
    centres = [rows[rng.integers(len(rows))]]
    while len(centres) < groups:
        squares = np.min([((rows - c) ** 2).sum(axis=1) for c in centres], axis=0)
        total = squares.sum()
        chances = squares / total if total > 0.0 else None
        centres.append(rows[rng.choice(len(rows), p=chances)])
    return np.array(centres)
