"""Placements as callers see them: the thread chosen, its rivals, and what spoke for each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError
from .items import NONE
from .samplers.place import RANKS, Ranking, explain_kernel

if TYPE_CHECKING:
    from .stream import Stream


class Candidate(NamedTuple):
    """A thread that a document may belong to (None: a new one). Scores in nats against a new thread."""

    thread: int | None
    probability: float
    prior: float
    length: float
    words: dict[Any, float]


class Candidates(Sequence[Candidate]):
    """The best threads of one row, best first; made from the arrays when they are looked at, which is seldom."""

    __slots__ = ("_ranked", "_row", "_spelled")

    def __init__(self, ranked: "Ranked", spelled: list[Any], row: int) -> None:
        self._ranked, self._spelled, self._row = ranked, spelled, row

    def __len__(self) -> int:
        return 1 + int(np.count_nonzero(self._ranked.ranking.probability[self._row, 1:]))

    @overload
    def __getitem__(self, rank: int) -> Candidate: ...

    @overload
    def __getitem__(self, rank: slice) -> list[Candidate]: ...

    def __getitem__(self, rank: int | slice) -> Candidate | list[Candidate]:
        ranks = range(len(self))[rank]
        return self._candidate(ranks) if isinstance(ranks, int) else [self._candidate(r) for r in ranks]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Candidates) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr([*self])

    def _candidate(self, r: int) -> Candidate:
        row, ranking = self._row, self._ranked.ranking
        words = slice(*self._ranked.starts[row : row + 2].tolist())
        gains = zip(self._spelled[words], ranking.gains[words, r].tolist(), strict=True)
        name = int(ranking.names[row, r])
        return Candidate(
            None if name == NONE else name,
            float(ranking.probability[row, r]),
            float(ranking.prior[row, r]),
            float(ranking.length[row, r]),
            {word: gain for word, gain in gains if gain},
        )


class Placement(NamedTuple):
    """Where a document is: its thread first among the candidates, then the next best in order."""

    document: str
    thread: int | None
    probability: float
    is_new: bool
    late: bool
    candidates: Candidates
    sequence: int  # its arrival number


class Ranked(NamedTuple):
    """Placements of many documents as arrays: a row a document. Gains of row r's words, in the words' own order, are
    `ranking.gains[starts[r] : starts[r + 1]]`."""

    documents: Sequence[str]
    ranking: Ranking
    words: NDArray[np.int64]
    starts: NDArray[np.int64]
    late: NDArray[np.bool]
    sequence: NDArray[np.int64]


def placements(stream: "Stream", ranked: Ranked) -> list[Placement]:
    """The rows in the caller's terms. Plain lists: reading arrays one number at a time is slow."""
    spelled = [stream.vocabulary.word[w] for w in ranked.words.tolist()]
    rows = zip(
        ranked.documents,
        ranked.ranking.names[:, 0].tolist(),
        ranked.ranking.probability[:, 0].tolist(),
        ranked.ranking.is_new.tolist(),
        ranked.late.tolist(),
        ranked.sequence.tolist(),
        strict=True,
    )
    return [
        Placement(
            document, None if name == NONE else name, chance, is_new, late, Candidates(ranked, spelled, row), sequence
        )
        for row, (document, name, chance, is_new, late, sequence) in enumerate(rows)
    ]


def explain(stream: "Stream", documents: Sequence[str]) -> Ranked:
    """See `Stream.explain_all`."""
    for document in documents:
        if document not in stream.arrivals:
            raise ArgumentError("documents", f"name {document!r:.40}", "name documents of the window")
    sequence = np.array([stream.arrivals[document] for document in documents], np.int64)
    held = stream.sequences()
    by_arrival = np.argsort(held)
    numbers = int(stream.cursor[0]) + by_arrival[np.searchsorted(held, sequence, sorter=by_arrival)]
    words = stream.documents.words[stream.documents.word_places(numbers)]
    lengths = stream.documents["ends"][numbers] - stream.documents["starts"][numbers]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    ranking = new_ranking(len(numbers), len(words))
    explain_kernel(stream.labelling.state, numbers, starts, np.zeros(RANKS, np.int64), ranking)
    return Ranked(documents, ranking, words, starts, np.zeros(len(numbers), bool), sequence)


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
        np.full(rows, np.inf),
    )
