"""Documents in: one row each, numbered without gaps under the stream's lock."""

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from sqlalchemy import Connection, insert, select, update

from service.ids import new_id
from service.store import jobs
from service.store import streams as stream_rows
from service.store.dialects import one_each
from service.store.problems import Backpressure
from service.store.rows_in import Row, insert_documents
from service.store.tables import documents, erasures, streams
from service.store.tombstones import buried

OnConflict = Literal["reject", "replace", "ignore"]
Status = Literal["accepted", "duplicate", "replaced", "rejected"]
CHUNK = 5_000


class NewDocument(NamedTuple):
    """digest: SHA-256 of the content, which tells a retry from a conflict; metadata: JSON."""

    id: str | None
    time: int
    title: str | None
    author: str | None
    text: str | None
    vector: bytes | None
    metadata: str | None
    digest: bytes


class Outcome(NamedTuple):
    """seq: of the document under this id; replaced: this document took the place of another."""

    status: Status
    id: str
    seq: int | None
    code: str | None = None


class Stored(NamedTuple):
    seq: int
    digest: bytes


def ingest(
    connection: Connection,
    stream_id: str,
    new: Sequence[NewDocument],
    now: int,
    *,
    on_conflict: OnConflict = "reject",
    pending_limit: int,
) -> list[Outcome]:
    """One outcome per document, in order. Raises NotFound or Backpressure and then stores nothing."""
    stream = stream_rows.lock(connection, stream_id)
    ids = {document.id for document in new if document.id is not None}
    batch = _Batch(stream_id, stream.next_seq, now, on_conflict)
    batch.known = stored(connection, stream_id, ids)
    batch.erased = buried(connection, stream_id, ids - batch.known.keys())
    outcomes = [batch.take(document) for document in new]
    if stream.pending + len(batch.rows) > pending_limit:
        raise Backpressure(stream.pending, pending_limit)
    batch.write(connection)
    return outcomes


class _Batch:
    """The rows that one call of ingest will write."""

    def __init__(self, stream_id: str, next_seq: int, now: int, on_conflict: OnConflict) -> None:
        self.stream_id = stream_id
        self.first = next_seq
        self.now = now
        self.on_conflict = on_conflict
        self.known: dict[str, Stored] = {}
        self.erased: set[str] = set()
        self.rows: list[Row] = []
        self.replaced: list[int] = []

    def take(self, document: NewDocument) -> Outcome:
        if document.id is None:
            return self._add(document, new_id("doc"), "accepted")
        if document.id in self.erased:
            return Outcome("rejected", document.id, None, "erased")
        known = self.known.get(document.id)
        if known is None:
            return self._add(document, document.id, "accepted")
        if known.digest == document.digest or self.on_conflict == "ignore":
            return Outcome("duplicate", document.id, known.seq)
        if self.on_conflict == "reject":
            return Outcome("rejected", document.id, known.seq, "id_conflict")
        self._remove(known.seq)
        return self._add(document, document.id, "replaced")

    def _add(self, document: NewDocument, document_id: str, status: Status) -> Outcome:
        seq = self.first + len(self.rows)
        self.rows.append((self.stream_id, seq, self.now, document_id, *document[1:]))
        self.known[document_id] = Stored(seq, document.digest)
        return Outcome(status, document_id, seq)

    def _remove(self, seq: int) -> None:
        self.replaced.append(seq)
        if seq >= self.first:
            row = self.rows[seq - self.first]
            self.rows[seq - self.first] = (*row[:3], None, *row[4:])

    def write(self, connection: Connection) -> None:
        if not self.rows:
            return
        hide(connection, self.stream_id, [seq for seq in self.replaced if seq < self.first])
        insert_documents(connection, self.rows)
        request(connection, self.stream_id, self.replaced, None, self.now)
        values = {"next_seq": self.first + len(self.rows), "last_arrival_at": self.now}
        connection.execute(update(streams).where(streams.c.id == self.stream_id).values(values))


def hide(connection: Connection, stream_id: str, seqs: Sequence[int]) -> None:
    """Take documents out of readers' sight and free their ids."""
    for start in range(0, len(seqs), CHUNK):
        some = documents.c.seq.in_(seqs[start : start + CHUNK])
        connection.execute(update(documents).where(documents.c.stream_id == stream_id, some).values(id=None))


def request(connection: Connection, stream_id: str, seqs: Sequence[int], task_id: str | None, now: int) -> None:
    """Leave the erasure of hidden documents to the worker."""
    if seqs:
        rows = [{"stream_id": stream_id, "seq": seq, "task_id": task_id, "requested_at": now} for seq in seqs]
        connection.execute(insert(erasures), rows)
        more = {"pending_erasures": streams.c.pending_erasures + len(rows)}
        connection.execute(update(streams).where(streams.c.id == stream_id).values(more))
        jobs.forget(connection, stream_id)


def stored(connection: Connection, stream_id: str, ids: Collection[str]) -> dict[str, Stored]:
    """Where documents with these ids are."""
    asked = list(ids)
    columns = select(documents.c.id, documents.c.seq, documents.c.digest).where(documents.c.stream_id == stream_id)
    found: dict[str, Stored] = {}
    for start in range(0, len(asked), CHUNK):
        query = one_each(connection, columns, documents.c.id, asked[start : start + CHUNK])
        found.update((row.id, Stored(row.seq, bytes(row.digest))) for row in connection.execute(query))
    return found
