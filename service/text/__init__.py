"""Raw text to the words that the model counts."""

from .fields import TEXT_VERSION, Fields, count_words, is_shown
from .settings import TextSettings
from .stems import has_spelling, spelled
from .words import learn_spellings

__all__ = [
    "TEXT_VERSION",
    "Fields",
    "TextSettings",
    "count_words",
    "has_spelling",
    "is_shown",
    "learn_spellings",
    "spelled",
]
