"""What a word looks like: runs of letters, digits and marks, cut where a script has no spaces.

Every pattern here is a character class with a possessive quantifier: a text is walked through once, whatever it holds.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

SHORTEST, LONGEST = 2, 64  # characters of a word
CODE = 12  # characters from which a word with digits is an identifier that nobody repeats
MARKS = 0x300, 0x20000  # code points between which all combining marks are, but for selectors of glyphs
BY_TWO = "々\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
BY_THREE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer: a syllable is about three characters
ASCII_RUN = re.compile(f"[0-9a-z]{{{SHORTEST},}}+")
ASCII_ANY_CASE = re.compile(f"[0-9A-Za-z]{{{SHORTEST},}}+")
PAIRS = re.compile(f"[{BY_TWO}]")
TRIPLES = re.compile(f"[{BY_THREE}]")


@cache
def any_run() -> re.Pattern[str]:
    """Letters, digits and marks: many scripts spell with marks, which `\\w` leaves out. Scripts without spaces come in
    pieces of bounded length."""
    codes = [code for code in range(*MARKS) if unicodedata.category(chr(code))[0] == "M"]
    starts = [code for before, code in zip([0, *codes], codes, strict=False) if code != before + 1]
    ends = [code for code, after in zip(codes, [*codes[1:], 0], strict=True) if after != code + 1]
    marks = "".join(f"\\U{start:08x}-\\U{end:08x}" for start, end in zip(starts, ends, strict=True))
    other = f"(?:(?![{BY_TWO}{BY_THREE}_])[\\w{marks}]){{{SHORTEST},}}+"
    return re.compile(f"[{BY_TWO}]{{1,{LONGEST}}}+|[{BY_THREE}]{{1,{LONGEST}}}+|{other}")


def runs_of(text: str) -> list[str]:
    """The runs of a text in small letters."""
    small = text.lower()
    return (ASCII_RUN if small.isascii() else any_run()).findall(small)


def capital_runs(text: str) -> Iterator[str]:
    """The runs that begin with a capital letter, one by one: a long text need not be read to its end."""
    for match in (ASCII_ANY_CASE if text.isascii() else any_run()).finditer(text):
        if match[0][0].isupper():
            yield match[0]


def fold(run: str) -> list[str]:
    """The words of a run, spelled in one way: NFKC, casefolded, cut into pairs or triples where there are no spaces."""
    if run.isascii():
        return [run]
    normal = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", run).casefold())
    return [word for part in any_run().findall(normal) for word in _cut(part)]


def is_noise(word: str) -> bool:
    """Numbers, single letters, what is too long, and identifiers."""
    if word.isnumeric() or len(word) > LONGEST:
        return True
    if len(word) < SHORTEST:
        return not (PAIRS.match(word) or TRIPLES.match(word))
    return len(word) >= CODE and any(character.isdigit() for character in word)


def _cut(part: str) -> list[str]:
    size = 2 if PAIRS.match(part) else 3 if TRIPLES.match(part) else 0
    if not size or len(part) <= size:
        return [part]
    return [part[i : i + size] for i in range(len(part) - size + 1)]
