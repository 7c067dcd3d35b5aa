"""What happened to threads between two labellings: births, disappearances, and who came from whom."""

from collections import Counter
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
    moves = [(b, a) for b, a in zip(before.tolist(), after.tolist(), strict=True) if b != a]
    return born, gone, _most({*gone}, moves), _most({*born}, [(a, b) for b, a in moves])


def _most(names: set[int], moves: list[tuple[int, int]]) -> dict[int, int]:
    """Where most of each name's documents went, the lowest of equals."""
    best: dict[int, tuple[int, int]] = {}
    for (name, other), count in Counter(move for move in moves if move[0] in names).items():
        best[name] = min(best.get(name, (0, 0)), (-count, other))
    return {name: best[name][1] for name in sorted(best)}
