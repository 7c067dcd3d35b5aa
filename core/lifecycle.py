"""What happened to threads between two labellings: births, disappearances, and who came from whom."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Moved(NamedTuple):
    """A document whose thread changed."""

    document: str
    before: int
    after: int


class Changes(NamedTuple):
    """What a sweep did. merged maps a thread that is gone to where most of it went, split a new one to where it was."""

    visited: int
    finished: bool
    moved: list[Moved]
    born: list[int]
    gone: list[int]
    merged: dict[int, int]
    split: dict[int, int]


class Event(NamedTuple):
    """born, died, revived, merged (other: into which), split (other: from which)."""

    kind: str
    thread: int
    time: float
    other: int | None


def lineage(
    before: NDArray[np.int64], after: NDArray[np.int64], alive_before: set[int], alive_after: set[int]
) -> tuple[list[int], list[int], dict[int, int], dict[int, int]]:
    """Born, gone, merged into, split from: the larger part decides."""
    born, gone = sorted(alive_after - alive_before), sorted(alive_before - alive_after)
    changed = before != after
    merged = {name: _most(after[changed & (before == name)]) for name in gone}
    split = {name: _most(before[changed & (after == name)]) for name in born}
    return (
        born,
        gone,
        {n: t for n, t in merged.items() if t is not None},
        {n: t for n, t in split.items() if t is not None},
    )


def _most(names: NDArray[np.int64]) -> int | None:
    """The commonest name, the lowest of equals."""
    if len(names) == 0:
        return None
    values, counts = np.unique(names, return_counts=True)
    return int(values[counts.argmax()])
