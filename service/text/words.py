"""Text to words, in time proportional to its length whatever it contains."""

from collections.abc import Iterable

from .detection import USUAL, language_of
from .links import without_links
from .settings import AUTO
from .shapes import LONGEST, runs_of
from .stems import stems

MOST = 10_000  # words of a text


def words_of(text: str, language: str = USUAL) -> list[str]:
    """The words of a text in their order: stems, without stop words, numbers and what is shorter or longer than a
    word; addresses and the hosts of links come last, whole."""
    rest, whole = without_links(text)
    known = stems(language)
    words = [word for run in runs_of(rest)[:MOST] if len(run) <= LONGEST for word in known[run]]
    return (words + whole)[:MOST]


def learn_spellings(texts: Iterable[str], language: str) -> None:
    """Take note of how people spell the words of these texts, for `spelled` to tell."""
    for text in texts:
        words_of(text, language_of(text) if language == AUTO else language)
