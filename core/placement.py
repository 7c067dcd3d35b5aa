"""Placements as callers see them: the thread chosen, its rivals, and what spoke for each."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

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


class Placement(NamedTuple):
    """Where a document is: its thread first among the candidates, then the next best in order."""

    document: str
    thread: int | None
    probability: float
    is_new: bool
    late: bool
    candidates: list[Candidate]
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
    """The rows in the caller's terms."""
    rows = zip(
        ranked.documents,
        ranked.ranking.is_new.tolist(),
        ranked.late.tolist(),
        _candidates(stream, ranked),
        ranked.sequence.tolist(),
        strict=True,
    )
    return [
        Placement(document, best[0].thread, best[0].probability, is_new, is_late, best, sequence)
        for document, is_new, is_late, best, sequence in rows
    ]


def _candidates(stream: "Stream", ranked: Ranked) -> Iterator[list[Candidate]]:
    """The best of each row. Plain lists: reading arrays one number at a time is slow."""
    columns = (getattr(ranked.ranking, name).tolist() for name in ("names", "probability", "prior", "length"))
    spelled, starts = [stream.vocabulary.word[w] for w in ranked.words.tolist()], ranked.starts.tolist()
    gains = ranked.ranking.gains.T.tolist()
    for begin, end, names, chances, priors, lengths in zip(starts[:-1], starts[1:], *columns, strict=True):
        yield [
            Candidate(
                None if names[r] == NONE else names[r],
                chances[r],
                priors[r],
                lengths[r],
                {word: gain for word, gain in zip(spelled[begin:end], gains[r][begin:end], strict=True) if gain},
            )
            for r in range(RANKS)
            if chances[r] or r == 0
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
