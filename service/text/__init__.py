"""Raw text to the words that the model counts."""

from .words import TEXT_VERSION, count_words, words_of

__all__ = ["TEXT_VERSION", "count_words", "words_of"]
