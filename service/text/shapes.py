"""What a word looks like: runs of letters, digits and marks, cut where a script has no spaces.

Every pattern here is a character class with a possessive quantifier: a text is walked through once, whatever it holds.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from unicodedata import category, normalize

SHORTEST, LONGEST = 2, 64  # characters of a word
CODE = 12  # characters from which a word with digits is an identifier that nobody repeats
BASIC, ALL = 0x10000, 0x20000  # code points of the basic plane; of all scripts with spaces and all marks but selectors
BY_TWO = "々\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
RARE_BY_TWO = "\U00020000-\U0003ffff"
BY_THREE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer: a syllable is about three characters
ASCII_RUN = re.compile(f"[0-9a-z]{{{SHORTEST},}}+")
ASCII_ANY_CASE = re.compile(f"[0-9A-Za-z]{{{SHORTEST},}}+")
PAIRS = re.compile(f"[{BY_TWO}{RARE_BY_TWO}]")
TRIPLES = re.compile(f"[{BY_THREE}]")


def pattern_of(text: str) -> re.Pattern[str]:
    """Of the runs of such a text: letters, digits and marks; pieces of bounded length in scripts without spaces."""
    return _pattern(len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text))


@cache
def _pattern(beyond_basic: bool) -> re.Pattern[str]:
    """Texts without rare characters have one of their own: a set within the basic plane is looked up in a table, the
    rest of a set is searched from its beginning to its end."""
    basic = _set(0, BASIC, lambda c: c.isalnum() or _is_mark(c))
    pieces = f"[{BY_TWO}]{{1,{LONGEST}}}+|[{BY_THREE}]{{1,{LONGEST}}}+"
    if not beyond_basic:
        return re.compile(f"[{basic}]{{{SHORTEST},}}+|{pieces}")
    either = f"(?:[{basic}]|(?=[\U00010000-\U0001ffff])[\\w{_set(BASIC, ALL, _is_mark)}]){{{SHORTEST},}}+"
    return re.compile(f"{either}|{pieces}".replace(f"[{BY_TWO}]", f"[{BY_TWO}{RARE_BY_TWO}]"))


def _is_mark(character: str) -> bool:
    """Many scripts spell with marks, which `\\w` leaves out."""
    return category(character)[0] == "M"


def _set(first: int, end: int, wanted: Callable[[str], bool]) -> str:
    """Characters between two code points as a pattern has them, without those of scripts without spaces."""
    unspaced = re.compile(f"[{BY_TWO}{BY_THREE}]").match
    codes = [code for code in range(first, end) if wanted(chr(code)) and not unspaced(chr(code))]
    starts = [code for before, code in zip([-1, *codes], codes, strict=False) if code != before + 1]
    ends = [code for code, after in zip(codes, [*codes[1:], 0], strict=True) if after != code + 1]
    return "".join(f"\\U{start:08x}-\\U{end:08x}" for start, end in zip(starts, ends, strict=True))


def runs_of(text: str) -> list[str]:
    """The runs of a text in small letters."""
    small = text.lower()
    return (ASCII_RUN if small.isascii() else pattern_of(small)).findall(small)


def capital_runs(text: str) -> Iterator[str]:
    """The runs that begin with a capital letter, one by one: a long text need not be read to its end."""
    for match in (ASCII_ANY_CASE if text.isascii() else pattern_of(text)).finditer(text):
        if match[0][0].isupper():
            yield match[0]


def fold(run: str) -> list[str]:
    """The words of a run, spelled in one way: NFKC, casefolded, cut into pairs or triples where there are no spaces."""
    if run.isascii():
        return [run]
    normal = normalize("NFKC", normalize("NFKC", run).casefold())
    return [word for part in pattern_of(normal).findall(normal) for word in _cut(part)]


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
