"""Names in news: words with a capital letter, by their first letters, so that Chile and Chilean, Iraq and Iraqi meet.

What kind of thing happened is told in words that all stories share; which story it is, the names tell.
"""

from functools import lru_cache
from itertools import islice

from .shapes import LONGEST, capital_runs, fold
from .stems import stems
from .words import MOST

NAME = "name:"  # before the letters, so that no word of a text looks like it
LETTERS = 4  # that forms of a name share


def names_of(text: str, language: str) -> list[str]:
    """The names among the first capital words of a text, those that are not stop words."""
    known = stems(language)
    runs = (run.lower() for run in islice(capital_runs(text), MOST) if len(run) <= LONGEST)
    return [_name(run) for run in runs if known[run]]


@lru_cache(1 << 16)
def _name(run: str) -> str:
    return NAME + fold(run)[0][:LETTERS]
