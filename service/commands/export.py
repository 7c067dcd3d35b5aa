"""threadline export: what a stream holds, as JSON lines or CSV, a page at a time."""

import csv
import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service import environment

from .output import CommandError

if TYPE_CHECKING:
    from service.store.database import Database

PAGE = 1_000
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run


class What(StrEnum):
    threads = "threads"
    documents = "documents"
    events = "events"
    lifespans = "lifespans"


class Shape(StrEnum):
    jsonl = "jsonl"
    csv = "csv"


def export(
    what: Annotated[What, typer.Argument(help="What to write.")],
    stream: Annotated[str, typer.Option(help="Name or id of the stream.")] = "default",
    shape: Annotated[Shape, typer.Option("--format", help="JSON lines, or CSV for spreadsheets.")] = Shape.jsonl,
) -> None:
    """Write all threads, documents, events or lifespans of a stream to standard output."""
    from .opening import opened

    with opened(environment.load()) as database:
        rows = _rows(database, stream, what)
        try:
            _write_csv(rows) if shape is Shape.csv else _write_lines(rows)
            sys.stdout.flush()
        except BrokenPipeError:
            sys.stderr.close()  # the reader had enough, as with `| head`


def _rows(database: "Database", stream: str, what: What) -> Iterator[dict[str, Any]]:
    from service.store import streams

    from . import exported

    with database.read() as connection:
        row = streams.find(connection, stream)
    if row is None:
        raise CommandError(f"there is no stream {stream}")
    place: Any = None
    while True:
        with database.read() as connection:  # one short look for each page, so that a long export holds nothing up
            page, place = getattr(exported, what)(connection, row.id, place, PAGE)
        yield from page
        if len(page) < PAGE:
            return


def _write_lines(rows: Iterator[dict[str, Any]]) -> None:
    for row in rows:
        sys.stdout.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


def _write_csv(rows: Iterator[dict[str, Any]]) -> None:
    writer = csv.writer(sys.stdout)
    for number, row in enumerate(rows):
        if number == 0:
            writer.writerow(row)
        writer.writerow([_cell(value) for value in row.values()])


def _cell(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
    return f"'{text}" if isinstance(text, str) and text.startswith(FORMULA) else text
