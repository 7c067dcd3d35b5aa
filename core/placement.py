"""Placements as callers see them: the thread chosen, its rivals, and what spoke for each."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .items import NONE
from .samplers.place import RANKS, Ranking
from .vocabulary import Vocabulary


class Candidate(NamedTuple):
    """A thread that a document may belong to (None: a new one). Scores in nats against a new thread."""

    thread: int | None
    probability: float
    prior: float
    length: float
    words: dict[Any, float]


class Placement(NamedTuple):
    """Where a document was put: the most probable thread, and the best candidates in order."""

    document: str
    thread: int | None
    probability: float
    is_new: bool
    late: bool
    candidates: list[Candidate]


def placement(
    vocabulary: Vocabulary,
    document: str,
    ranking: Ranking,
    row: int,
    words: NDArray[np.int64],
    starts: NDArray[np.int64],
    late: bool,
) -> Placement:
    candidates = []
    for r in range(RANKS):
        if ranking.probability[row, r] == 0.0:
            continue
        name = int(ranking.names[row, r])
        gains = ranking.gains[starts[row] : starts[row + 1], r]
        spoken = {vocabulary.word[w]: float(g) for w, g in zip(words, gains, strict=True) if g != 0.0}
        fresh = name == NONE or (r == 0 and bool(ranking.is_new[row]))
        candidates.append(
            Candidate(
                None if fresh else name,
                float(ranking.probability[row, r]),
                float(ranking.prior[row, r]),
                float(ranking.length[row, r]),
                spoken,
            )
        )
    name = int(ranking.names[row, 0])
    return Placement(
        document,
        None if name == NONE else name,
        candidates[0].probability,
        bool(ranking.is_new[row]),
        late,
        candidates,
    )


def new_ranking(rows: int, words: int) -> Ranking:
    """Empty rows."""
    shape = (rows, RANKS)
    return Ranking(
        np.full(shape, NONE, np.int64),
        np.zeros(shape),
        np.zeros(shape),
        np.zeros(shape),
        np.zeros((words + 1, RANKS)),
        np.zeros(rows, bool),
    )
