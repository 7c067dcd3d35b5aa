"""Placements as they are stored: candidates with the parts of their scores."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.items import NONE
from core.placement import Ranked
from core.samplers.place import RANKS
from service.store.parts import Part

MOST_WORDS = 32  # that speak loudest, for or against
DECIMALS = 4  # of a nat


def parts_of(ranked: Ranked) -> Iterator[list[Part]]:
    """The candidates of each document, its own thread first."""
    ranking = ranked.ranking
    nats = (np.round(column, DECIMALS).tolist() for column in (ranking.prior, ranking.length))
    words = [_words(gains, ranked.starts) for gains in np.round(ranking.gains, DECIMALS).T]
    rows = zip(ranking.names.tolist(), ranking.probability.tolist(), *nats, zip(*words, strict=True), strict=True)
    for names, chances, priors, lengths, said in rows:
        yield [
            Part(None if names[r] == NONE else names[r], chances[r], priors[r], lengths[r], *said[r])
            for r in range(RANKS)
            if r == 0 or chances[r]
        ]


def _words(gains: NDArray[np.float64], starts: NDArray[np.int64]) -> Iterator[tuple[float, list[int], list[float]]]:
    """For each document: what the quieter words said together, then places and gains of the loudest. All at once, in
    lists: a document alone is too small for arrays."""
    said = np.flatnonzero(gains[: starts[-1]])
    owner = np.searchsorted(starts, said, side="right") - 1
    places, nats = (said - starts[owner]).tolist(), gains[said].tolist()
    for begin, end in pairwise(np.searchsorted(said, starts).tolist()):
        yield _loudest(places[begin:end], nats[begin:end])


def _loudest(places: list[int], nats: list[float]) -> tuple[float, list[int], list[float]]:
    if len(places) <= MOST_WORDS:
        return 0.0, places, nats
    order = sorted(range(len(places)), key=lambda n: -abs(nats[n]))
    kept = sorted(order[:MOST_WORDS])
    rest = round(sum(nats[n] for n in order[MOST_WORDS:]), DECIMALS)
    return rest, [places[n] for n in kept], [nats[n] for n in kept]
