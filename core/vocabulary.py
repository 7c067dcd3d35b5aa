"""Words and their numbers, open at the end: numbers of words that are gone are given again."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError

Word = str | int


class Vocabulary:
    """word <-> number, and how often each occurs among the documents of the window."""

    def __init__(self) -> None:
        self.number: dict[Word, int] = {}
        self.word: list[Word | None] = []
        self.free: list[int] = []
        self.recent = np.zeros(1024, np.int64)

    def __len__(self) -> int:
        return len(self.word)

    def encode(self, name: str, content: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers and counts of a document's words, ascending; content maps words to counts or lists words."""
        counts = content if isinstance(content, Mapping) else _count(name, content)
        for word, count in counts.items():
            if not isinstance(word, str | int | np.integer) or isinstance(count, bool) or not _is_count(count):
                raise ArgumentError(
                    name, f"has {word!r}: {count!r:.20}", "map words to whole numbers, 1 or more, or list words"
                )
        numbers = np.array([self._number_of(word) for word in counts], np.int64)
        order = np.argsort(numbers)
        return numbers[order], np.array(list(counts.values()), np.int64)[order]

    def look_up(self, name: str, content: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Like `encode`, but unknown words get no number: returns also how many occurrences those have."""
        counts = content if isinstance(content, Mapping) else _count(name, content)
        known = {self.number[w]: int(c) for w, c in counts.items() if w in self.number}
        order = sorted(known)
        unknown = sum(int(c) for w, c in counts.items() if w not in self.number)
        return np.array(order, np.int64), np.array([known[n] for n in order], np.int64), unknown

    def release(self, unused: NDArray[np.bool]) -> None:
        """Give up the numbers marked as unused."""
        for number in np.flatnonzero(unused[: len(self.word)]):
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
            if number >= len(self.recent):
                self.recent = np.concatenate([self.recent, np.zeros_like(self.recent)])
        return number


def _count(name: str, content: Any) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    if isinstance(content, str | bytes) or not isinstance(content, Iterable):
        raise ArgumentError(name, f"is {content!r:.40}", "pass a list of words or a mapping from words to counts")
    for word in content:
        counts[word] = counts.get(word, 0) + 1
    return counts


def _is_count(count: Any) -> bool:
    return isinstance(count, int | np.integer) and bool(1 <= count < 2**31)
