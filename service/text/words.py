"""Text to words, in time proportional to its length whatever it contains.

A word is a run of letters, digits and marks. Each is normalised by itself (NFKC, then casefold), so the cost of sorting
combining marks is bounded by the longest word.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice

from .stop_words import STOP_WORDS

TEXT_VERSION = 1
SHORTEST, LONGEST = 2, 64  # characters of a word
MOST = 10_000  # words of a document
MARKS = 0x300, 0x20000  # code points between which all combining marks are, but for selectors of glyphs
ASCII_RUN = re.compile(f"[0-9A-Za-z]{{{SHORTEST},}}")


@cache
def _run() -> re.Pattern[str]:
    """Letters, digits and marks: many scripts spell with marks, which `\\w` leaves out."""
    codes = [code for code in range(*MARKS) if unicodedata.category(chr(code))[0] == "M"]
    starts = [code for before, code in zip([0, *codes], codes, strict=False) if code != before + 1]
    ends = [code for code, after in zip(codes, [*codes[1:], 0], strict=True) if after != code + 1]
    marks = "".join(f"\\U{start:08x}-\\U{end:08x}" for start, end in zip(starts, ends, strict=True))
    return re.compile(f"[\\w{marks}]{{{SHORTEST},}}")


def words_of(text: str) -> Iterator[str]:
    """The words of a text in their order, without stop words, numbers and what is shorter or longer than a word."""
    if text.isascii():
        runs = (match[0].lower() for match in ASCII_RUN.finditer(text))
    else:
        runs = (run for match in _run().finditer(text.replace("_", " ")) for run in _normal(match[0]))
    return (run for run in runs if SHORTEST <= len(run) <= LONGEST and not run.isnumeric() and run not in STOP_WORDS)


def count_words(*texts: str | None) -> dict[str, int]:
    """How often each word occurs in the texts together, in the order of first occurrence."""
    return dict(Counter(islice((word for text in texts if text for word in words_of(text)), MOST)))


def _normal(run: str) -> list[str]:
    if len(run) > LONGEST:
        return []
    normal = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", run).casefold())
    return _run().findall(normal)
