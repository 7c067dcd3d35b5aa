"""What the sender of a mail wrote: no quoted replies, signatures, list footers, forwarding headers, encoded files.

Every line is looked at once, by tests that take time proportional to its length.
"""

from .junk import without_encoded
from .phrases import FOOTERS, NOTES
from .quotes import is_header, is_original, is_quoted, starts_attribution, without_attribution

MOST_LINES = 10_000  # that are not empty; nobody wrote more
SIGNATURE_LINES = 20  # more after a `--` is a digest or a text with rules, no signature
FOOTER_LINES = 15  # at the end, in which a list's footer is looked for
RULES = frozenset("-_=*~#—–")


def body_of(text: str) -> str:
    """The sender's own words; if there are none, all words, quoted ones too."""
    lines = without_encoded([line for line in text.split("\n") if line and not line.isspace()][:MOST_LINES])
    own = _without_signature(_without_footer(without_attribution(_above_original(lines))))
    kept = [line for line in own if not (is_quoted(line) or _is_note(line))]
    if not any(map(_says_something, kept)):
        kept = [line for line in lines if not _is_note(line)]
    return "\n".join(kept)


def looks_like_mail(text: str) -> bool:
    """Whether some line is quoted, or opens a signature or a reply."""
    if "\n" not in text:
        return False
    return any(mark in text for mark in ("\n>", "\n-- \n", "\n--\n", "\n-----")) or starts_attribution(text)


def _above_original(lines: list[str]) -> list[str]:
    """What stands above the message replied to, if that is given whole; of a forwarded one only the headers go."""
    above = next((i for i, line in enumerate(lines) if is_original(line)), 0)
    if any(map(_says_something, lines[:above])):
        return lines[:above]
    return [line for line in lines if not (is_header(line) or is_original(line))]


def _without_signature(lines: list[str]) -> list[str]:
    for i in range(len(lines) - 1, max(len(lines) - SIGNATURE_LINES, 0) - 1, -1):
        if lines[i].rstrip() in ("--", "---") or lines[i].startswith("-----BEGIN PGP SIGNATURE"):
            return lines[:i]
    return lines


def _without_footer(lines: list[str]) -> list[str]:
    """A footer begins with a rule, or where its first telling line is."""
    start = max(len(lines) - FOOTER_LINES, 0)
    telling = [i for i in range(start, len(lines)) if _is_footer(lines[i])]
    if not telling:
        return lines
    first = telling[0]
    rules = [i for i in range(start, first) if _is_rule(lines[i])]
    if rules:
        return lines[: rules[-1]]
    return [line for i, line in enumerate(lines) if i not in telling]


def _is_footer(line: str) -> bool:
    small = line[:300].casefold()
    return any(phrase in small for phrase in FOOTERS)


def _is_note(line: str) -> bool:
    return line[:80].strip().casefold().startswith(NOTES)


def _is_rule(line: str) -> bool:
    mark = line.strip()
    return len(mark) >= 5 and set(mark[:200]) <= RULES


def _says_something(line: str) -> bool:
    return any(character.isalnum() for character in line[:300])
