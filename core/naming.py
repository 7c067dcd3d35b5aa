"""Names of threads from one labelling to the next: the larger part keeps its name, and settled documents theirs."""

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]


def rename(before: Labels, groups: Labels, held: int, next_name: int) -> tuple[Labels, int]:
    """Names for new groups of documents whose threads were named `before`, and the next name never given.

    A group with some of the first `held` documents has the name of the last of these. Of the others, the one that has
    most of a thread keeps that thread's name; what is left gets names that were never given.
    """
    name_of: dict[int, int] = dict(zip(groups[:held].tolist(), before[:held].tolist(), strict=True))
    taken = set(name_of.values())
    pairs, counts = np.unique(np.stack([groups[held:], before[held:]]), axis=1, return_counts=True)
    order = np.lexsort((pairs[1], -counts))
    for group, name in pairs[:, order].T.tolist():
        if group not in name_of and name not in taken:
            name_of[group] = name
            taken.add(name)
    for group in dict.fromkeys(groups[held:].tolist()):
        if group not in name_of:
            name_of[group] = next_name
            next_name += 1
    after = np.array([name_of[group] for group in groups.tolist()], np.int64)
    after[:held] = before[:held]
    return after, next_name


def without_gaps(labels: Labels, times: NDArray[np.float64], width: float) -> Labels:
    """Labels in which a thread that was unused for longer than the width is another one after that."""
    order = np.lexsort((times, labels))
    new = (np.diff(labels[order], prepend=labels[order[:1]] - 1) != 0) | (np.diff(times[order], prepend=0.0) > width)
    parts = np.empty_like(labels)
    parts[order] = np.cumsum(new) - 1
    return parts
