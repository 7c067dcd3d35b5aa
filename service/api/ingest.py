"""Documents from requests into the store: checked against their stream, hashed, stored together."""

import hashlib
import json
import shutil
import struct
from collections.abc import Sequence

from sqlalchemy import Connection

from service.durations import parse_duration
from service.errors import Conflicting, FieldError, NoSpace, invalid
from service.store import ingest, streams
from service.store.ingest import NewDocument as Row
from service.store.ingest import OnConflict, Outcome
from service.store.problems import Conflict
from service.store.streams import StreamRow

from .context import Context
from .rows import found
from .schemas.documents import Content, NewDocument
from .schemas.streams import StreamSettings
from .strict_json import pointer

DEFAULT = "default"  # the one stream that needs no set-up
SECOND = 1_000_000
REFUSALS = {
    "id_conflict": "another document has this id; replace it with PUT or on_conflict=replace",
    "erased": "a document of this id was erased and cannot come back",
}


def require_space(context: Context) -> None:
    """Refuse new documents while the disk of the SQLite file is nearly full."""
    file = context.settings.database_file
    if file is not None and shutil.disk_usage(file.parent).free < context.settings.disk_reserve_mib << 20:
        raise NoSpace("Less disk space is free than the reserve; nothing was stored.")


def open_stream(context: Context, name: str) -> StreamRow:
    """The stream that takes the documents, if there is room for any; the default one is made when it is missing."""
    require_space(context)
    with context.database.read() as connection:
        row = streams.find(connection, name)
    if row is None and name == DEFAULT:
        return _create_default(context)
    opened: StreamRow = found(row)
    return opened


def _create_default(context: Context) -> StreamRow:
    try:
        with context.database.write() as connection:
            return create(connection, context, DEFAULT, StreamSettings.model_validate({}))
    except Conflict:
        with context.database.read() as connection:
            row: StreamRow = found(streams.find(connection, DEFAULT))
            return row


def create(connection: Connection, context: Context, name: str, settings: StreamSettings) -> StreamRow:
    """A new stream, if there may be another."""
    if streams.count(connection) >= context.settings.streams:
        raise Conflicting("There are as many streams as the service allows; delete one.", code="too_many_streams")
    return streams.create(connection, name, settings.model_dump(mode="json"))


class Checker:
    """What one stream demands of its documents, at one moment."""

    def __init__(self, stream: StreamRow, context: Context) -> None:
        skew = stream.settings.get("max_future_skew")
        ahead = round(context.settings.future_skew_s * SECOND) if skew is None else parse_duration(skew)
        self._latest = context.clock() + ahead
        self._vectors = stream.settings.get("kind") == "vectors"
        self._dimensions = stream.settings.get("dimensions")

    def check(self, document: Content, place: tuple[int | str, ...] = ()) -> list[FieldError]:
        """What is wrong with the document in this stream."""
        faults = []
        if document.time > self._latest:
            faults.append(("time", "time_in_future", "lies further in the future than the stream allows"))
        if self._vectors and document.vector is None:
            faults.append(("vector", "vector_required", "this stream takes vectors"))
        elif self._vectors and len(document.vector or ()) != self._dimensions:
            faults.append(("vector", "wrong_dimensions", f"must have {self._dimensions} numbers"))
        elif not self._vectors and document.text is None:
            faults.append(("text", "text_required", "this stream takes text"))
        return [FieldError(pointer((*place, name)), code, detail) for name, code, detail in faults]


def row_of(document: NewDocument) -> Row:
    """The document as the store keeps it, with the hash that tells a retry from a conflict."""
    numbers = document.vector
    vector = None if numbers is None else struct.pack(f"<{len(numbers)}d", *numbers)
    metadata = None
    if document.metadata is not None:
        metadata = json.dumps(document.metadata, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    time, title, author, text = document.time, document.title, document.author, document.text
    parts = ["" if part is None else f"+{part}" for part in (title, author, text, metadata)]
    digest = hashlib.sha256("\0".join((str(time), *parts, "")).encode())  # no text contains NUL
    if vector is not None:
        digest.update(vector)
    return Row(document.id, time, title, author, text, vector, metadata, digest.digest())


def check_all(documents: Sequence[NewDocument], stream: StreamRow, context: Context, *, batch: bool) -> None:
    """Raise Invalid if any document does not fit the stream."""
    checker = Checker(stream, context)
    faults = [
        fault
        for index, document in enumerate(documents)
        for fault in checker.check(document, ("documents", index) if batch else ())
    ]
    if faults:
        raise invalid(faults[:20])


def store_all(
    connection: Connection,
    context: Context,
    stream: StreamRow,
    documents: Sequence[NewDocument],
    on_conflict: OnConflict,
    *,
    batch: bool,
) -> list[Outcome]:
    """All documents or, when one is refused, none: then raises Conflicting."""
    limit = context.settings.pending_documents
    rows = [row_of(document) for document in documents]
    outcomes = ingest.ingest(connection, stream.id, rows, context.clock(), on_conflict=on_conflict, pending_limit=limit)
    faults = [
        FieldError(
            pointer(("documents", index, "id") if batch else ("id",)), outcome.code or "", REFUSALS[outcome.code or ""]
        )
        for index, outcome in enumerate(outcomes)
        if outcome.status == "rejected"
    ]
    if faults:
        raise Conflicting("Nothing was stored.", code=faults[0].code, errors=faults[:20])
    return outcomes
