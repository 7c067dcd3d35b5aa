"""Quoted replies: their lines, the lines that say who wrote them, and whole messages below a reply."""

from .phrases import FORWARDED, HEADERS, ORIGINAL, WHEN, WROTE

LONGEST = 300  # characters of a line that says who wrote
INITIALS = 4  # letters before a `>`


def is_quoted(line: str) -> bool:
    """`> text` in a line that is not empty, also after a few blanks or somebody's initials; or `| text`, but no row of a
    table."""
    if line[0] in ">|":
        return line[0] == ">" or not line.rstrip().endswith("|")
    before, mark, _ = line[: INITIALS + 8].lstrip().partition(">")
    return bool(mark) and len(before) <= INITIALS and (not before or before.isalpha())


def is_header(line: str) -> bool:
    """A header of a mail inside a mail, in bold or not."""
    head = line[:40]
    return ":" in head and head.lstrip(" *>").casefold().startswith(HEADERS)


def is_original(line: str) -> bool:
    """The line above a message that is given whole."""
    return line[0] in "-_=" and len(line) < LONGEST and line.strip("-_= ").casefold() in ORIGINAL


def starts_attribution(text: str) -> bool:
    """Whether the text has a line that ends as lines on who wrote do."""
    return ":\n" in text and any(f"{verb}:" in text for verb in WROTE)


def without_attribution(lines: list[str]) -> list[str]:
    """Without the lines on who wrote what follows, which may take two lines."""
    dropped: set[int] = set()
    for i, line in enumerate(lines):
        if _ends_attribution(line) and (_says_when(line) or _is_told(line) or _quote_follows(lines, i)):
            dropped.add(i)
            if i and not _says_when(line) and _says_when(lines[i - 1]):
                dropped.add(i - 1)
        elif line[0] in "-Bb" and line[:60].lstrip(" -").casefold().startswith(FORWARDED):
            dropped.add(i)
    return [line for i, line in enumerate(lines) if i not in dropped] if dropped else lines


def _ends_attribution(line: str) -> bool:
    return line.rstrip().endswith((":", "：")) and len(line) < LONGEST and not is_quoted(line)


def _is_told(line: str) -> bool:
    """Whether it says that somebody wrote."""
    small = line.casefold()
    return any(verb in small for verb in WROTE)


def _says_when(line: str) -> bool:
    """Whether it has a date or an address, as nearly every such line has, whatever its language."""
    small = line.strip().casefold()
    if len(line) >= LONGEST or not any(character.isdigit() for character in small):
        return False
    return "@" in small or small.startswith(WHEN) or any(sign in small for sign in ("년", "年"))


def _quote_follows(lines: list[str], i: int) -> bool:
    return i + 1 < len(lines) and is_quoted(lines[i + 1]) and any(mark in lines[i] for mark in ("@", "<", '"'))
