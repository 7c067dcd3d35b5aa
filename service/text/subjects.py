"""Titles without what mail programs and lists put before them: Re:, Fwd: and their like, [list] tags, (fwd)."""

from .phrases import REPLY_MARKS

LONGEST_MARK = 12  # characters, with a count such as Re[2]
LONGEST_TAG = 40  # characters
TAILS = ("(fwd)", "(fw)", "(no subject)")


def subject_of(title: str) -> str:
    """The title that all documents of a conversation share."""
    rest = title.strip()
    while True:
        shorter = _without_mark(_without_tag(rest))
        if shorter == rest or not shorter:
            break
        rest = shorter
    for tail in TAILS:
        rest = rest[: -len(tail)].rstrip() if rest.casefold().endswith(tail) else rest
    return rest


def _without_tag(title: str) -> str:
    if not title.startswith("["):
        return title
    tag, end, _ = title[: LONGEST_TAG + 2].partition("]")
    return title[len(tag) + 1 :].lstrip() if end and title[len(tag) + 1 :].strip() else title


def _without_mark(title: str) -> str:
    """Without one mark, whose colon may be a wide one."""
    head = title[: LONGEST_MARK + 1]
    place = min((at for at in (head.find(":"), head.find("：")) if at >= 0), default=-1)
    if place <= 0:
        return title
    mark = head[:place].strip().casefold().rstrip("0123456789[]()^* .")
    return title[place + 1 :].lstrip() if mark in REPLY_MARKS else title
