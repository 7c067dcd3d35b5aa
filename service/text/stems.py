"""Runs of letters to words: folded, without stop words, stemmed. Remembered, since texts repeat their words."""

import threading
from functools import lru_cache

import Stemmer

from .languages import STEMMERS
from .shapes import fold, is_noise
from .stop_words import stop_words

LANGUAGES_AT_HAND = 8
REMEMBERED = 100_000  # runs of a language; then all are forgotten
SPELLINGS: dict[str, str] = {}  # stem -> the shortest word seen that has it, for people to read


class Stems(dict[str, tuple[str, ...]]):
    """run -> its words: none for a stop word, several in scripts without spaces."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._stop_words = stop_words(language)
        self._stemmer = Stemmer.Stemmer(STEMMERS[language], 0) if language in STEMMERS else None
        self._lock = threading.Lock()  # a stemmer serves one caller at a time

    def __missing__(self, run: str) -> tuple[str, ...]:
        words = tuple(self._stem(word) for word in fold(run) if not (is_noise(word) or word in self._stop_words))
        if len(self) >= REMEMBERED:
            self.clear()
        self[run] = words
        return words

    def _stem(self, word: str) -> str:
        if self._stemmer is None:
            return word
        with self._lock:
            stem = str(self._stemmer.stemWord(word)) or word
        _note_spelling(stem, word)
        return stem


def spelled(stem: str) -> str:
    """A word as people write it; the stem itself if none was seen lately."""
    return SPELLINGS.get(stem, stem)


def has_spelling(stem: str) -> bool:
    """Whether a word with this stem was seen lately."""
    return stem in SPELLINGS


def _note_spelling(stem: str, word: str) -> None:
    known = SPELLINGS.get(stem)
    if known is None or (len(word), word) < (len(known), known):
        if len(SPELLINGS) >= REMEMBERED:
            SPELLINGS.clear()
        SPELLINGS[stem] = word


@lru_cache(maxsize=LANGUAGES_AT_HAND)
def stems(language: str) -> Stems:
    """The memory of a language; of those not used lately it is dropped."""
    return Stems(language)
