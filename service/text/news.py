"""What an article says: without the lines that a site puts around every article."""

from .phrases import BOILERPLATE, BOILERPLATE_STARTS

SHORT = 160  # characters of a line that may be one of these


def article_of(text: str) -> str:
    """The article's own lines; if there are none, all lines."""
    small = text.casefold()
    if not any(phrase in small for phrase in (*BOILERPLATE, *BOILERPLATE_STARTS)):
        return text
    lines = text.replace("\r", "").split("\n")
    kept = [line for line in lines if not _is_boilerplate(line)]
    return "\n".join(kept) if any(line.strip() for line in kept) else text


def _is_boilerplate(line: str) -> bool:
    if len(line) > SHORT:
        return False
    small = line.strip().casefold()
    return small.startswith(BOILERPLATE_STARTS) or any(phrase in small for phrase in BOILERPLATE)
