"""What a source gives: documents and broken pieces, each with its place, and how far it has been read."""

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple, Protocol

from service.text.charsets import clean

LONGEST_ID, LONGEST_TITLE, LONGEST_AUTHOR = 200, 1_000, 500  # characters, as the API has them
UNFIT = re.compile(r"[^!-~]+")
DIGEST = 12  # hexadecimal digits that tell ids apart which were made to fit
Format = Literal["auto", "mail", "news", "plain"]
Clock = Callable[[], int]  # microseconds since 1970


class SourceError(Exception):
    """A source that cannot be read at all; the message says what to do."""


class Found(NamedTuple):
    """A document as the source has it; time in microseconds since 1970."""

    id: str
    time: int
    title: str | None
    author: str | None
    text: str
    metadata: dict[str, Any] | None = None


class Item(NamedTuple):
    """A document, or why there is none at this place; neither, if only the position has changed.

    position: where to go on after this item; seen: a name that marks it as read; done: how much of `total` is read.
    """

    place: str
    found: Found | None
    problem: str | None = None
    position: Any = None
    seen: str | None = None
    done: int = 0


class Memory(Protocol):
    """What earlier runs have read."""

    def fact(self, name: str, default: Any = None) -> Any: ...
    def seen(self, name: str) -> bool: ...


class Source(Protocol):
    """Something that has documents. `items` gives those that are new since the remembered position."""

    name: str  # of what is read, the same in every run
    title: str  # for a person
    suggested: str  # what its stream may be called
    text_format: Format
    copies: bool  # a known id with other content is the same document, as with two copies of a mail
    total: int | None  # what `done` grows to, if that is known

    def items(self, memory: Memory) -> Iterator[Item]: ...
    def wait(self) -> None: ...


def fitting_id(name: str) -> str:
    """The name as an id of a document; one that had to be changed ends with a hash of what it was."""
    fitting = UNFIT.sub("_", name)[:LONGEST_ID]
    if fitting == name and fitting:
        return fitting
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:DIGEST]
    return f"{fitting[: LONGEST_ID - DIGEST - 1]}~{digest}"


def content_id(kind: str, *parts: object) -> str:
    """An id for a document that has none: equal content, equal id."""
    content = "\0".join("" if part is None else str(part) for part in parts)
    return f"{kind}-{hashlib.sha256(content.encode('utf-8', 'replace')).hexdigest()[:32]}"


def short(text: str | None, longest: int) -> str | None:
    """The text on one line, cut to a length; None if there is nothing."""
    line = " ".join(clean(text).split()) if text else ""
    return line[:longest] or None
