"""mbox files: messages one after another, each begun by a line `From sender date`; any size, in constant memory."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from service.text.mail_headers import moment
from service.text.mime import BrokenMail

from .files import opened, readable
from .items import Clock, Format, Item, Memory, SourceError
from .mails import LARGEST, mail_document

LINE = 1 << 16  # bytes read at once; a longer line is read in pieces
POLL = 1.0  # seconds between two looks at a growing file
QUIET = 2.0  # seconds without a write after which the last message is taken to be whole
DAY_AND_TIME = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? .{0,20}?\d\d?:\d\d"
SEPARATOR = re.compile(rb"From .{0,300}?" + DAY_AND_TIME + rb".{0,40}\d{4}")
AFTER_EMPTY_LINE = re.compile(rb"From .{0,300}?\d\d?:\d\d.{0,40}")
ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
DATE = re.compile(rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? .*")


class Piece(NamedTuple):
    """The bytes of one message, without its separator; start and end are offsets in the file."""

    start: int
    end: int
    separator: bytes
    raw: bytes


class Mbox:
    """An mbox file, also compressed with gzip."""

    text_format: Format = "mail"
    copies = True

    def __init__(self, path: Path, clock: Clock, *, follow: bool = False) -> None:
        self.path = readable(path, "pass an mbox file")
        self.name, self.title, self.suggested = f"mbox:{self.path}", path.name, path.name
        self._clock, self._follow = clock, follow
        self._unread = 0  # where the last look ended
        self.total: int | None = self.path.stat().st_size

    def items(self, memory: Memory) -> Iterator[Item]:
        """The messages after the remembered position; from the beginning if that is no longer between two messages."""
        self.total = self.path.stat().st_size
        with opened(self.path) as (data, done):
            for piece in split(data, self._start(data, memory.fact("position"))):
                if piece.end < 0 and not self._whole():
                    return
                self._unread = end = piece.end if piece.end >= 0 else data.tell()
                yield self._item(piece, end, done())

    def wait(self) -> None:
        """Until the file has grown."""
        while self.path.stat().st_size <= self._unread:
            time.sleep(POLL)
        time.sleep(POLL)

    def _start(self, data: IO[bytes], position: Any) -> int:
        start, shrunk = int(position or 0), self.path.suffix != ".gz" and int(position or 0) > self.path.stat().st_size
        for place in (0,) if shrunk else (start, 0):
            data.seek(place)
            line = data.readline(LINE)
            if (not line and place == start) or SEPARATOR.match(line) or AFTER_EMPTY_LINE.match(line):
                return place
        raise SourceError(f"{self.path} does not begin with a line `From …` and is no mbox; is it for `import eml`?")

    def _whole(self) -> bool:
        """Whether the last message of the file is there to its end."""
        return not self._follow or time.time() - self.path.stat().st_mtime > QUIET

    def _item(self, piece: Piece, end: int, done: int) -> Item:
        place = f"{self.title} offset {piece.start}"
        date = DATE.search(piece.separator)
        arrived = moment(date[0].decode("latin-1")) if date else None
        try:
            return Item(place, mail_document(piece.raw, self._clock, arrived), position=end, done=done)
        except BrokenMail as error:
            return Item(place, None, str(error), position=end, done=done)


def split(data: IO[bytes], start: int) -> Iterator[Piece]:
    """The messages of an mbox from an offset at which one begins; the end of the last one is -1."""
    data.seek(start)
    offset = begun = start
    separator, lines, size = data.readline(LINE), list[bytes](), 0
    offset += len(separator)
    empty, whole = False, True  # the line before was empty; this piece begins a line
    while line := data.readline(LINE):
        if whole and line.startswith(b"From ") and (SEPARATOR.match(line) or (empty and AFTER_EMPTY_LINE.match(line))):
            yield Piece(begun, offset, separator, _unescaped(lines))
            begun, separator, lines, size = offset, line, [], 0
        elif size < LARGEST:
            lines.append(line)
            size += len(line)
        offset += len(line)
        empty, whole = line in (b"\n", b"\r\n"), line.endswith(b"\n")
    if separator:
        yield Piece(begun, -1, separator, _unescaped(lines))


def _unescaped(lines: list[bytes]) -> bytes:
    """Lines of the text that begin with From are escaped with >, and escaped ones again (mboxrd)."""
    raw = b"".join(lines)
    return ESCAPED.sub(rb"\1", raw) if b"From " in raw else raw
