"""The documents a stream holds: settled ones that still stand for a weight, then the window, by (time, arrival)."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .items import NONE, Items, ranges

SMALLEST = 1024  # documents and words to start with
RING = 8  # labellings kept for predictions


class Rows(NamedTuple):
    """Documents that come in together."""

    times: NDArray[np.float64]
    sequence: NDArray[np.int64]
    words: list[NDArray[np.int64]]
    counts: list[NDArray[np.int64]]
    points: NDArray[np.float64]

    def part(self, begin: int, end: int) -> "Rows":
        """Some of them."""
        chosen = slice(begin, end)
        return Rows(
            self.times[chosen], self.sequence[chosen], self.words[chosen], self.counts[chosen], self.points[chosen]
        )


class Documents:
    """Arrays of documents with room to grow. A document's number is its place; it changes when others come between."""

    def __init__(self, dimensions: int) -> None:
        self.count = 0
        self.used_words = 0
        self.columns: dict[str, NDArray[Any]] = {
            "times": np.zeros(SMALLEST),
            "starts": np.zeros(SMALLEST, np.int64),
            "ends": np.zeros(SMALLEST, np.int64),
            "lengths": np.zeros(SMALLEST, np.int64),
            "points": np.zeros((SMALLEST, dimensions)),
            "labels": np.full(SMALLEST, NONE, np.int64),
            "sequence": np.full(SMALLEST, NONE, np.int64),
            "confidence": np.zeros(SMALLEST),  # probability of the placement
            "past": np.full((SMALLEST, RING), NONE, np.int64),  # threads in the last labellings kept, newest last
        }
        self.words = np.zeros(SMALLEST, np.int64)
        self.counts = np.zeros(SMALLEST, np.int64)

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.columns[column]

    def items(self) -> Items:
        """What kernels see."""
        c = self.columns
        return Items(c["times"], c["starts"], c["ends"], self.words, self.counts, c["lengths"], c["points"])

    def append(self, rows: Rows) -> NDArray[np.int64]:
        """Add documents in no thread at the end, whatever their times; returns their numbers."""
        times, sequence, words, counts, points = rows
        new = np.arange(self.count, self.count + len(times))
        lengths = np.array([len(w) for w in words], np.int64)
        self._reserve(len(times), int(lengths.sum()))
        ends = self.used_words + np.cumsum(lengths)
        self.columns["times"][new] = times
        self.columns["ends"][new] = ends
        self.columns["starts"][new] = ends - lengths
        self.columns["lengths"][new] = [c.sum() for c in counts]
        self.columns["points"][new] = points
        self.columns["labels"][new] = NONE
        self.columns["sequence"][new] = sequence
        self.columns["confidence"][new] = 0.0
        self.columns["past"][new] = NONE
        if len(words):
            self.words[self.used_words : ends[-1]] = np.concatenate(words)
            self.counts[self.used_words : ends[-1]] = np.concatenate(counts)
            self.used_words = int(ends[-1])
        self.count += len(times)
        return new

    def drop_last(self, documents: int, words: int) -> None:
        """Forget what was appended since there were so many documents and words."""
        self.count, self.used_words = documents, words

    def arrange(self, keep: NDArray[np.bool], first: int = 0) -> NDArray[np.int64]:
        """From document `first` on, drop what is not kept and sort the rest by (time, arrival); returns the new number
        of each of these documents."""
        kept = first + np.flatnonzero(keep)
        order = kept[np.lexsort((self.columns["sequence"][kept], self.columns["times"][kept]))]
        numbers = np.full(self.count - first, NONE, np.int64)
        numbers[order - first] = np.arange(first, first + len(order))
        for column in self.columns.values():
            column[first : first + len(order)] = column[order]
        self.columns["labels"][first + len(order) : self.count] = NONE
        self.count = first + len(order)
        return numbers

    def pack_words(self) -> None:
        """Close the gaps that dropped documents left among the words."""
        starts, ends = self.columns["starts"][: self.count], self.columns["ends"][: self.count]
        sizes = ends - starts
        moved = np.cumsum(sizes) - sizes
        source = ranges(starts, sizes)
        self.words[: len(source)] = self.words[source]
        self.counts[: len(source)] = self.counts[source]
        self.columns["starts"][: self.count] = moved
        self.columns["ends"][: self.count] = moved + sizes
        self.used_words = len(source)

    def word_places(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the words of some documents are, document after document."""
        starts = self.columns["starts"][numbers]
        return ranges(starts, self.columns["ends"][numbers] - starts)

    def _reserve(self, documents: int, words: int) -> None:
        capacity = len(self.columns["times"])
        while capacity < self.count + documents:
            capacity *= 2
        for name, column in self.columns.items():
            if len(column) < capacity:
                more = np.zeros((capacity - len(column), *column.shape[1:]), column.dtype)
                self.columns[name] = np.concatenate([column, more])
        while len(self.words) < self.used_words + words:
            self.words = np.concatenate([self.words, np.zeros_like(self.words)])
            self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
