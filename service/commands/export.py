"""threadline export: what a stream holds, for other programs, a page at a time."""

import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from service import environment

from .output import CommandError

if TYPE_CHECKING:
    from service.store.database import Database

PAGE = 1_000


class What(StrEnum):
    threads = "threads"
    documents = "documents"
    events = "events"
    lifespans = "lifespans"
    mbox = "mbox"


class Shape(StrEnum):
    jsonl = "jsonl"
    csv = "csv"
    parquet = "parquet"


def export(
    what: Annotated[What, typer.Argument(help="What to write; mbox: the documents as mails that name their thread.")],
    stream: Annotated[str, typer.Option(help="Name or id of the stream.")] = "default",
    shape: Annotated[
        Shape, typer.Option("--format", help="JSON lines, CSV for spreadsheets, or Parquet; not of mbox.")
    ] = Shape.jsonl,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write. (default: standard output)")
    ] = None,
) -> None:
    """Write all threads, documents, events or lifespans of a stream."""
    from .export_files import WRITERS
    from .opening import opened

    if shape is Shape.parquet and output is None:
        raise CommandError("Parquet is not text; name a file with --output")
    with opened(environment.load()) as database:
        rows = _rows(database, stream, what)
        write = WRITERS["mbox" if what is What.mbox else shape]
        if output is None:
            _to_standard_output(lambda file: write(rows, file, what))
        else:
            _to_file(output, lambda file: write(rows, file, what))


def _to_standard_output(write: Callable[[IO[bytes]], None]) -> None:
    try:
        write(sys.stdout.buffer)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()  # the reader had enough, as with `| head`


def _to_file(path: Path, write: Callable[[IO[bytes]], None]) -> None:
    """The file is there when it is whole."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            write(file)
        part.replace(path)
    except OSError as error:
        raise CommandError(f"{path} cannot be written ({error.strerror})") from error
    finally:
        part.unlink(missing_ok=True)


def _rows(database: "Database", stream: str, what: What) -> Iterator[dict[str, Any]]:
    from service.store import streams

    from . import exported

    with database.read() as connection:
        row = streams.find(connection, stream)
    if row is None:
        raise CommandError(f"there is no stream {stream}")
    page_of = exported.mails if what is What.mbox else getattr(exported, what)
    place: Any = None
    while True:
        with database.read() as connection:  # one short look for each page, so that a long export holds nothing up
            page, place = page_of(connection, row.id, place, PAGE)
        yield from page
        if len(page) < PAGE:
            return
