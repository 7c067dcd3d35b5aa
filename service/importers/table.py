"""CSV files: comma, semicolon, tab or bar between cells, names in the first row, any charset."""

import codecs
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from service.text.charsets import decode

from .columns import BadRow, Columns, row_document
from .dates import Dates
from .files import readable
from .items import Clock, Format, Item, Memory, SourceError

if TYPE_CHECKING:
    import _csv

LONGEST_CELL = 16 << 20  # characters
SAMPLE = 1 << 16  # characters of the first line, in which the separator is looked for
SEPARATORS = ",;\t|"
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class Table:
    """A CSV file with a head. Cells that are not UTF-8 are read as what they most likely are."""

    text_format: Format = "auto"
    copies = False

    def __init__(self, path: Path, columns: Columns, dates: Dates, clock: Clock) -> None:
        self.path = readable(path, "pass a CSV file whose first row names the columns")
        self.name, self.title, self.suggested = f"csv:{self.path}", path.name, path.name
        self._columns, self._dates, self._clock = columns, dates, clock
        self.total: int | None = self.path.stat().st_size

    def items(self, memory: Memory) -> Iterator[Item]:
        """The documents of the rows after the remembered position."""
        before = int(memory.fact("position") or 0)
        csv.field_size_limit(LONGEST_CELL)
        with self.path.open(encoding=self._encoding(), errors="surrogateescape", newline="") as file:
            separator = _separator(file)
            rows = csv.reader(file, delimiter=separator)
            head = [name.strip() for name in next(rows, [])]
            columns = self._columns.complete(dict.fromkeys(head, ""))
            for number, (line, cells) in enumerate(_numbered(rows), 1):
                if number > before and cells != []:
                    yield self._item(head, cells, columns, line, number, file)

    def wait(self) -> None:
        """A table does not grow."""
        raise SourceError("a CSV file cannot be followed; write JSON lines and follow those")

    def _encoding(self) -> str:
        with self.path.open("rb") as file:
            start = file.read(4)
        return next((name for mark, name in MARKS.items() if start.startswith(mark)), "utf-8")

    def _item(
        self, head: list[str], cells: list[str] | None, columns: Columns, line: int, number: int, file: TextIO
    ) -> Item:
        place = f"{self.title} line {line}"
        found, problem = None, None
        try:
            if cells is None:
                raise BadRow("is no row of a table")
            row = {name: _readable(cell) for name, cell in zip(head, cells, strict=False)}
            found = row_document(row, columns, self._dates, self._clock)
        except BadRow as error:
            problem = str(error)
        return Item(place, found, problem, position=number, done=file.buffer.tell())


def _numbered(rows: "_csv.Reader") -> Iterator[tuple[int, list[str] | None]]:
    """Rows with the line each ends on; None for one that cannot be read."""
    while True:
        try:
            cells: list[str] | None = next(rows)
        except StopIteration:
            return
        except csv.Error:
            cells = None
        yield rows.line_num, cells


def _separator(file: TextIO) -> str:
    head = file.readline(SAMPLE)
    file.seek(0)
    return max(SEPARATORS, key=head.count)


def _readable(cell: str) -> str:
    try:
        cell.encode()
    except UnicodeEncodeError:
        return decode(cell.encode("utf-8", "surrogateescape"), None)
    return cell
