"""Placements as callers see them: the thread chosen, its rivals, and what spoke for each."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError
from .items import NONE
from .samplers.place import RANKS, Ranking, explain_kernel
from .vocabulary import Vocabulary

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
    """Where a document was put: the most probable thread, and the best candidates in order."""

    document: str
    thread: int | None
    probability: float
    is_new: bool
    late: bool
    candidates: list[Candidate]
    sequence: int  # its arrival number


def placements(
    vocabulary: Vocabulary,
    documents: Sequence[str],
    ranking: Ranking,
    words: Sequence[NDArray[np.int64]],
    late: NDArray[np.bool],
    first: int,
) -> list[Placement]:
    """A ranking in the caller's terms; the documents arrived one after the other from number `first` on."""
    rows = zip(documents, ranking.names[:, 0].tolist(), ranking.is_new.tolist(), late.tolist(), strict=True)
    return [
        Placement(document, None if name == NONE else name, best[0].probability, is_new, is_late, best, first + r)
        for r, ((document, name, is_new, is_late), best) in enumerate(
            zip(rows, _candidates(vocabulary, ranking, words), strict=True)
        )
    ]


def _candidates(
    vocabulary: Vocabulary, ranking: Ranking, words: Sequence[NDArray[np.int64]]
) -> Iterator[list[Candidate]]:
    """The best of each row. Plain lists: reading arrays one number at a time is slow."""
    columns = ranking.names, ranking.probability, ranking.prior, ranking.length
    rows = zip(words, ranking.is_new.tolist(), *(column.tolist() for column in columns), strict=True)
    gains, at = ranking.gains.T.tolist(), 0
    for own, is_new, names, chances, priors, lengths in rows:
        spelled = [vocabulary.word[w] for w in own.tolist()]
        begin, at = at, at + len(spelled)
        yield [
            Candidate(
                None if names[r] == NONE or (is_new and r == 0) else names[r],
                chances[r],
                priors[r],
                lengths[r],
                {word: gain for word, gain in zip(spelled, gains[r][begin:at], strict=True) if gain},
            )
            for r in range(RANKS)
            if chances[r]
        ]


def explain(stream: "Stream", document: str) -> Placement:
    """See `Stream.explain`."""
    if document not in stream.arrivals:
        raise ArgumentError("document", f"is {document!r:.40}", "name a document of the window")
    arrival = stream.arrivals[document]
    number = int(stream.cursor[0]) + int(np.flatnonzero(stream.sequences() == arrival)[0])
    words = stream.documents.words[stream.documents.word_places(np.array([number]))]
    ranking = new_ranking(1, len(words))
    lab = stream.labelling
    own, alone = int(lab.slots.names[lab.labels[number]]), bool(lab.slots.size[lab.labels[number]] == 1)
    chance = float(explain_kernel(lab.state, number, np.zeros(RANKS, np.int64), ranking))
    candidates = next(_candidates(stream.vocabulary, ranking, [words])) or [Candidate(own, 1.0, 0.0, 0.0, {})]
    return Placement(document, own, chance, alone, False, candidates, arrival)


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
