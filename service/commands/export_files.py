"""Rows of an export as JSON lines, CSV, Parquet or an mbox file."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from email.header import Header
from email.utils import format_datetime
from itertools import islice
from typing import IO, Any

from service.times import EPOCH, MICROSECOND, parse_moment

from .output import CommandError

Row = dict[str, Any]
GROUP = 10_000  # rows of a Parquet row group
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run
LONGEST_HEADER = 900  # characters that fit on a line of their own
# Columns and their kinds; json: written as text.
COLUMNS = {
    "threads": "id state label top_words:strings size:int window_size:int strength:float born_at:time last_at:time"
    " died_at:time merged_into version:int",
    "documents": "id seq:int time:time arrived_at:time title author text vector:floats metadata:json state error"
    " thread_id probability:float",
    "events": "id seq:int type occurred_at:time recorded_at:time thread_id other_thread_id document_id"
    " model_version:int",
    "lifespans": "thread_id state born_at:time last_at:time died_at:time duration_seconds:float censored:bool size:int",
}


def columns(what: str) -> dict[str, str]:
    """Names of the columns of an export and their kinds."""
    pairs = (column.partition(":") for column in COLUMNS[what].split())
    return {name: kind or "string" for name, _, kind in pairs}


def write_lines(rows: Iterable[Row], file: IO[bytes], what: str) -> None:
    """One JSON object a row."""
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def write_csv(rows: Iterable[Row], file: IO[bytes], what: str) -> None:
    """A table with a head, in which no cell is a formula."""

    class Text:
        def write(self, text: str) -> int:
            return file.write(text.encode())

    names = list(columns(what))
    writer = csv.writer(Text())
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in names])


def _cell(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
    return f"'{text}" if isinstance(text, str) and text.startswith(FORMULA) else text


def write_parquet(rows: Iterable[Row], file: IO[bytes], what: str) -> None:
    """A Parquet file; times are timestamps, metadata is JSON. Needs pyarrow."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise CommandError("Parquet needs pyarrow; install it with `pip install 'threadline[parquet]'`") from error
    types = {
        "string": pyarrow.string(),
        "json": pyarrow.string(),
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "bool": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", tz="UTC"),
        "strings": pyarrow.list_(pyarrow.string()),
        "floats": pyarrow.list_(pyarrow.float64()),
    }
    kinds = columns(what)
    schema = pyarrow.schema([(name, types[kind]) for name, kind in kinds.items()])
    with parquet.ParquetWriter(file, schema) as writer:
        waiting = iter(rows)
        while group := list(islice(waiting, GROUP)):
            cells = {name: [_typed(row[name], kind) for row in group] for name, kind in kinds.items()}
            writer.write_table(pyarrow.table(cells, schema=schema))


def _typed(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "time":
        return _date(value)
    return json.dumps(value, ensure_ascii=False) if kind == "json" else value


def _date(text: str) -> datetime:
    return EPOCH + parse_moment(text) * MICROSECOND


def write_mbox(rows: Iterable[Row], file: IO[bytes], what: str) -> None:
    """Documents as mails whose headers name their thread; label: of the thread, in each row."""
    for row in rows:
        file.write(b"".join(_message(row)))


def _message(row: Row) -> Iterator[bytes]:
    date, metadata = _date(row["time"]), row["metadata"] or {}
    yield b"From threadline " + date.strftime("%a %b %e %H:%M:%S %Y").encode() + b"\n"
    references = metadata.get("references")
    fields = {
        "From": row["author"] or "unknown",
        "Date": format_datetime(date),
        "Subject": row["title"] or "",
        "Message-ID": f"<{metadata.get('message_id') or row['id']}>",
        "In-Reply-To": f"<{metadata['in_reply_to']}>" if metadata.get("in_reply_to") else None,
        "References": " ".join(f"<{name}>" for name in references) if isinstance(references, list) else None,
        "List-Id": f"<{metadata['list_id']}>" if metadata.get("list_id") else None,
        "X-Threadline-Id": row["id"],
        "X-Threadline-Thread": row["thread_id"],
        "X-Threadline-Label": row["label"],
        "X-Threadline-Probability": row["probability"],
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
    }
    yield from (_header(name, str(value)) for name, value in fields.items() if value is not None)
    yield b"\n"
    for line in (row["text"] or "").split("\n"):
        yield (">" if line.lstrip(">").startswith("From ") else "").encode() + line.encode() + b"\n"
    yield b"\n"


def _header(name: str, value: str) -> bytes:
    line = "".join(character if character.isprintable() else " " for character in value)
    if not line.isascii() or len(line) > LONGEST_HEADER:
        line = Header(line, "ascii" if line.isascii() else "utf-8", header_name=name).encode()
    return f"{name}: {line}\n".encode()


WRITERS: dict[str, Callable[[Iterable[Row], IO[bytes], str], None]] = {
    "jsonl": write_lines,
    "csv": write_csv,
    "parquet": write_parquet,
    "mbox": write_mbox,
}
