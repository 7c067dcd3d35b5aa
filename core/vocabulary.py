"""Words and their numbers, open at the end: numbers of words that are gone are given again.

Numbers are only places in arrays. Documents list their words in the order of the words themselves, so no answer
depends on how words are numbered.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError

Word = str | int
Counts = dict[Word, int]
MOST = 2**31  # occurrences of a word in a document


class Vocabulary:
    """word <-> number."""

    def __init__(self) -> None:
        self.number: dict[Word, int] = {}
        self.word: list[Word | None] = []
        self.free: list[int] = []
        self.then = np.zeros(0, np.int64)  # frequencies that the base measure was made from
        self.size_then = 0

    def __len__(self) -> int:
        """Words known."""
        return len(self.number)

    @property
    def extent(self) -> int:
        """All numbers are below."""
        return len(self.word)

    def encode(self, counts: Counts) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers and counts of a document's words; words not known yet get numbers."""
        return np.array([self._number_of(word) for word in counts], np.int64), np.array([*counts.values()], np.int64)

    def look_up(self, counts: Counts) -> tuple[NDArray[np.int64], NDArray[np.int64], list[int]]:
        """Like `encode`, but unknown words get no number: returns also how often each of those occurs."""
        known = {self.number[w]: c for w, c in counts.items() if w in self.number}
        unknown = [c for w, c in counts.items() if w not in self.number]
        return np.array([*known], np.int64), np.array([*known.values()], np.int64), unknown

    def idle(self, used: NDArray[np.bool]) -> list[Word]:
        """Known words that are not in use."""
        return [w for w in (self.word[n] for n in np.flatnonzero(~used[: self.extent])) if w is not None]

    def mark(self, used: NDArray[np.int64]) -> None:
        """The base measure is made from the frequencies as they are now."""
        self.then, self.size_then = used, len(self)

    def since(self, used: NDArray[np.int64]) -> list[tuple[Word, int]]:
        """How much less frequent words were when the base measure was made, where that differs from now."""
        more = np.pad(self.then, (0, len(used) - len(self.then))) - used
        differ = np.flatnonzero(more)
        words = [self.word[n] for n in differ]
        return [(w, int(more[n])) for w, n in zip(words, differ, strict=True) if w is not None]

    def release(self, unused: NDArray[np.bool]) -> None:
        """Give up the numbers marked as unused."""
        for number in np.flatnonzero(unused[: self.extent]):
            word = self.word[number]
            if word is not None:
                del self.number[word]
                self.word[number] = None
                self.free.append(int(number))

    def _number_of(self, word: Any) -> int:
        number = self.number.get(word)
        if number is None:
            number = self.free.pop() if self.free else len(self.word)
            if number == len(self.word):
                self.word.append(word)
            self.word[number] = word
            self.number[word] = number
        return number


def count_words(name: str, content: Any) -> Counts:
    """How often each word occurs, in the order of the words; content maps words to counts or lists words."""
    counts = content if isinstance(content, Mapping) else _count(name, content)
    if all(type(word) is str and type(count) is int and 0 < count < MOST for word, count in counts.items()):
        return dict(sorted(counts.items()))
    for word, count in counts.items():
        if not isinstance(word, str | int | np.integer) or isinstance(count, bool) or not _is_count(count):
            raise ArgumentError(
                name, f"has {word!r}: {count!r:.20}", "map words to whole numbers, 1 or more, or list words"
            )
    plain = {word if isinstance(word, str) else int(word): int(count) for word, count in counts.items()}
    return {word: plain[word] for word in in_order(plain)}


def in_order(words: Iterable[Word]) -> list[Word]:
    """Numbers first, then strings."""
    return sorted(words, key=lambda word: (isinstance(word, str), word))


def _count(name: str, content: Any) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    if isinstance(content, str | bytes) or not isinstance(content, Iterable):
        raise ArgumentError(name, f"is {content!r:.40}", "pass a list of words or a mapping from words to counts")
    for word in content:
        counts[word] = counts.get(word, 0) + 1
    return counts


def _is_count(count: Any) -> bool:
    return isinstance(count, int | np.integer) and bool(1 <= count < MOST)
