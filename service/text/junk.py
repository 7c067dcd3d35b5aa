"""Files inside texts: base64 and uuencoded lines, which no reader reads."""

import re
from collections.abc import Iterable

SHORTEST = 50  # characters of a base64 line; words are shorter
BASE64 = re.compile(f"[A-Za-z0-9+/]{{{SHORTEST},}}+={{0,2}}+")
UU_LONGEST = 61  # characters of an encoded line


def without_encoded(lines: Iterable[str]) -> list[str]:
    """The lines that are text."""
    kept = []
    inside = False
    for line in lines:
        if inside:
            inside = not line.startswith("end") and _is_uuencoded(line)
            if inside or line.startswith("end"):
                continue
        if _begins(line):
            inside = True
        elif not _is_base64(line):
            kept.append(line)
    return kept


def _begins(line: str) -> bool:
    words = line[:40].split() if line.startswith("begin ") else []
    return len(words) >= 3 and words[0] == "begin" and len(words[1]) in (3, 4) and words[1].isdigit()


def _is_uuencoded(line: str) -> bool:
    """The first character tells how many bytes the line has; three of them make four characters."""
    if not line or len(line) > UU_LONGEST:
        return False
    size = (ord(line[0]) - 32) & 63
    return line[0] == "`" or 1 + 4 * -(-size // 3) >= len(line.rstrip()) > size


def _is_base64(line: str) -> bool:
    if len(line) < SHORTEST:
        return False
    bare = line.strip()
    return bool(BASE64.fullmatch(bare)) and not (bare.islower() or bare.isalpha())
