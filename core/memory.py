"""The documents that a windowed stream keeps in memory, and what models see of them."""

from bisect import insort
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .knobs import SMOOTHING, UNSEEN
from .vocabulary import Vocabulary, Word, in_order

NO_WORDS = np.zeros(0, np.int64)


class Kept(NamedTuple):
    """A document. content: counts of words or a vector; words, counts: the same as numbers of the vocabulary."""

    time: float
    sequence: int
    id: str
    content: Any
    thread: int
    words: NDArray[np.int64] = NO_WORDS
    counts: NDArray[np.int64] = NO_WORDS

    @property
    def place(self) -> tuple[float, int]:
        """Documents are in this order."""
        return self.time, self.sequence


class View(NamedTuple):
    """Documents in order, as models take them. words: by column of the data; the last column stands for words never
    seen, which have a share of the base measure too. base: None for vectors."""

    times: NDArray[np.float64]
    data: Any
    threads: NDArray[np.int64]
    words: list[Word | None]
    base: NDArray[np.float64] | None


class Memory:
    """Documents by (time, arrival); the first `context` of them are settled."""

    def __init__(self, *, words: bool) -> None:
        self.words = words
        self.kept: list[Kept] = []
        self.context = 0
        self.vocabulary = Vocabulary()
        self._uses = np.zeros(1024, np.int64)  # documents that have a word, by number

    @property
    def window(self) -> list[Kept]:
        """Documents that are not settled."""
        return self.kept[self.context :]

    def number(self, document: Kept) -> Kept:
        """The document with its words numbered; new ones get numbers."""
        if not self.words:
            return document
        words, counts = self.vocabulary.encode(document.content)
        if self.vocabulary.extent > len(self._uses):
            self._uses = np.concatenate([self._uses, np.zeros(self.vocabulary.extent, np.int64)])
        return document._replace(words=words, counts=counts)

    def add(self, document: Kept, *, settled: bool = False) -> None:
        """Keep a document whose words are numbered."""
        self._uses[document.words] += 1
        insort(self.kept, document, key=lambda kept: kept.place)
        self.context += settled

    def drop(self, unwanted: Callable[[Kept], bool]) -> list[Kept]:
        """Forget documents, and words that no other has; returns them."""
        dropped = [kept for kept in self.kept if unwanted(kept)]
        if dropped:
            self.context -= sum(map(unwanted, self.kept[: self.context]))
            self.kept = [kept for kept in self.kept if not unwanted(kept)]
            for kept in dropped:
                self._uses[kept.words] -= 1
            self.forget_words()
        return dropped

    def forget_words(self) -> None:
        """Give up the numbers of words that no document has."""
        self.vocabulary.release(self._uses[: self.vocabulary.extent] == 0)

    def rename(self, threads: Sequence[int]) -> None:
        """Give all documents their threads."""
        self.kept = [kept._replace(thread=thread) for kept, thread in zip(self.kept, threads, strict=True)]

    def view(self, documents: Sequence[Kept]) -> View:
        """Some documents in their order. Words are in their own order, so that no answer depends on their numbers."""
        times = np.array([kept.time for kept in documents])
        threads = np.array([kept.thread for kept in documents], np.int64)
        if not self.words:
            return View(times, np.array([kept.content for kept in documents], np.float64), threads, [], None)
        known = in_order(self.vocabulary.number)
        column = np.zeros(self.vocabulary.extent, np.int64)
        column[[self.vocabulary.number[word] for word in known]] = np.arange(len(known))
        starts = np.cumsum([0, *(len(kept.words) for kept in documents)])
        columns = column[np.concatenate([NO_WORDS, *(kept.words for kept in documents)])]
        counts = np.concatenate([NO_WORDS, *(kept.counts for kept in documents)])
        data = scipy.sparse.csr_array((counts, columns, starts), shape=(len(documents), len(known) + 1))
        return View(times, data, threads, [*known, None], self._base(column, len(known)))

    def _base(self, column: NDArray[np.int64], known: int) -> NDArray[np.float64]:
        """Each word's mass follows the number of threads that use it, as in a stream (see knobs.frequencies)."""
        lengths = [len(kept.words) for kept in self.kept]
        thread = np.repeat([kept.thread for kept in self.kept], lengths).astype(np.int64)
        words = column[np.concatenate([NO_WORDS, *(kept.words for kept in self.kept)])]
        used = np.bincount(np.unique(thread * known + words) % max(known, 1), minlength=known)[:known]
        mass = np.append(used + SMOOTHING, SMOOTHING * UNSEEN)
        return np.asarray(mass / mass.sum())
