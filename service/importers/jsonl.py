"""Files of JSON lines, one object each, also compressed with gzip."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .columns import BadRow, Columns, row_document
from .dates import Dates
from .files import opened, readable
from .items import Clock, Format, Item, Memory

LONGEST = 16 << 20  # bytes of a line
POLL = 1.0  # seconds between two looks at a growing file


class JsonLines:
    """A JSON-lines file."""

    text_format: Format = "auto"
    copies = False

    def __init__(self, path: Path, columns: Columns, dates: Dates, clock: Clock, *, follow: bool = False) -> None:
        self.path = readable(path, "pass a file with one JSON object a line")
        self.name, self.title, self.suggested = f"jsonl:{self.path}", path.name, path.name
        self._columns, self._dates, self._clock, self._follow = columns, dates, clock, follow
        self._complete: Columns | None = None
        self._unread = 0
        self.total: int | None = self.path.stat().st_size

    def items(self, memory: Memory) -> Iterator[Item]:
        """The documents of the lines after the remembered position."""
        self.total = self.path.stat().st_size
        offset, number = memory.fact("position") or (0, 0)
        if offset > self.total and self.path.suffix != ".gz":  # another file under the same name
            offset, number = 0, 0
        with opened(self.path) as (data, done):
            data.seek(offset)
            while line := data.readline(LONGEST):
                if self._follow and not line.endswith(b"\n"):
                    break  # it is still being written
                offset, number = offset + len(line), number + 1
                self._unread = offset
                if line.strip():
                    yield self._item(line, number, offset, done())

    def wait(self) -> None:
        """Until the file has grown."""
        while self.path.stat().st_size <= self._unread:
            time.sleep(POLL)

    def _item(self, line: bytes, number: int, offset: int, done: int) -> Item:
        place = f"{self.title} line {number} (offset {offset - len(line)})"
        found, problem = None, None
        try:
            row: Any = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
            if not isinstance(row, dict):
                raise BadRow("is not a JSON object")
            if self._complete is None:
                self._complete = self._columns.complete(row)
            found = row_document(row, self._complete, self._dates, self._clock)
        except BadRow as error:
            problem = str(error)
        except (ValueError, RecursionError):
            problem = "is not JSON"
        return Item(place, found, problem, position=[offset, number], done=done)
