"""Reading JSON lines of {id, time, title, text} into documents: times in seconds, texts as words."""

import json
import math
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .text import Fields, TextSettings
from .text import count_words as count_fields


class FileError(Exception):
    """A file cannot be read as documents; the message names the line and says what to do."""


class Document(NamedTuple):
    """time: seconds since 1970 if dated, else in the unit of the numbers in the file."""

    id: str
    time: float
    text: str
    dated: bool
    title: str | None = None
    label: str | None = None  # of the thread that it truly belongs to, where that is known


def read_documents(path: Path) -> list[Document]:
    """The documents of a JSON-lines file, in the order of their times; either all are dated or none is."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as error:
        raise FileError(f"{path} does not exist; pass a JSON-lines file of id, time and text") from error
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path} cannot be read ({error}); pass a UTF-8 JSON-lines file") from error
    documents = [_document(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not documents:
        raise FileError(f"{path} has no documents; pass one JSON object a line, with id, time and text")
    repeated = [name for name, count in Counter(d.id for d in documents).items() if count > 1]
    if repeated:
        raise FileError(f"{path} has more than one document with id {repeated[0]!r}; give each its own")
    if len({document.dated for document in documents}) > 1:
        raise FileError(f"{path} has dates for some documents and numbers for others; use one of the two")
    return sorted(documents, key=lambda document: document.time)


def count_words(documents: Iterable[Document]) -> tuple[list[str], Any]:
    """The vocabulary, sorted, and a sparse count matrix with one row a document."""
    settings = TextSettings()
    counted = [count_fields(Fields(document.title, document.text), settings) for document in documents]
    words = sorted(set().union(*counted))
    column = {word: c for c, word in enumerate(words)}
    rows = np.repeat(np.arange(len(counted)), [len(c) for c in counted])
    columns = np.array([column[w] for c in counted for w in c], dtype=np.int64)
    counts: NDArray[np.int64] = np.array([n for c in counted for n in c.values()], dtype=np.int64)
    return words, scipy.sparse.csr_array((counts, (rows, columns)), shape=(len(counted), len(words)))


def _document(path: Path, number: int, line: str) -> Document:
    where = f"{path} line {number}"
    try:
        fields = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise FileError(f"{where} is not JSON; write one object a line") from error
    if not isinstance(fields, dict) or not {"id", "time", "text"} <= fields.keys():
        raise FileError(f"{where} has no id, time and text; write an object with all three")
    if not isinstance(fields["id"], str | int) or not isinstance(fields["text"], str):
        raise FileError(f"{where}: id and text must be strings; quote them")
    title, label = fields.get("title"), fields.get("label")
    if not isinstance(title, str | None):
        raise FileError(f"{where}: title must be a string or null; quote it")
    label = None if label is None else str(label)
    value = fields["time"]
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise FileError(f"{where}: time is not finite; write a number or 2026-03-02T08:14:00Z")
        return Document(str(fields["id"]), float(value), fields["text"], False, title, label)
    return Document(str(fields["id"]), _seconds(where, value), fields["text"], True, title, label)


def _seconds(where: str, value: Any) -> float:
    """Seconds since 1970 from ISO 8601 with an offset."""
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise FileError(
            f"{where}: time {value!r} is neither a number nor ISO 8601; write 2026-03-02T08:14:00Z"
        ) from error
    if moment.tzinfo is None:
        raise FileError(f"{where}: time {value!r} has no offset; append Z for UTC")
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
