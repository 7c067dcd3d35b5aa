"""Words that say nothing about what a text is about, by language."""

import unicodedata
from functools import cache

import stopwordsiso

from .languages import STOPPED

COMMON = frozenset(STOPPED.split())


@cache
def stop_words(language: str) -> frozenset[str]:
    """Folded like words of a text; parts of contracted ones too."""
    if language not in COMMON:
        return frozenset()
    listed = (unicodedata.normalize("NFKC", word.casefold()) for word in stopwordsiso.stopwords(language))
    return frozenset(part for word in listed for part in (word, *word.replace("’", "'").split("'")) if part)
