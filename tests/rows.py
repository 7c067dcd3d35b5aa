"""Rows that the tests of the store share: small streams with a model that is easy to foresee."""

import hashlib
from collections.abc import Sequence

from sqlalchemy import Connection

from service.store import assignments, documents, events, leases, streams, threads
from service.store.assignments import AssignmentRow
from service.store.database import Database
from service.store.documents import NewDocument, Outcome
from service.store.events import NewEvent
from service.store.streams import StreamRow
from service.store.threads import ThreadRow

DAY = 86_400_000_000
T0 = 20_000 * DAY
OWNER = "elsewhere/1/1/a"
PLENTY = 1_000_000


def new_document(
    document_id: str | None, text: str = "some text", time: int = T0, title: str | None = None
) -> NewDocument:
    digest = hashlib.sha256(f"{time} {title} {text}".encode()).digest()
    return NewDocument(document_id, time, title, None, text, None, None, digest)


def new_stream(database: Database, name: str = "mail") -> StreamRow:
    with database.write() as connection:
        return streams.create(connection, name, {"model": "tdpm"})


def post(
    database: Database, stream: StreamRow, new: Sequence[NewDocument], on_conflict: documents.OnConflict = "reject"
) -> list[Outcome]:
    with database.write() as connection:
        return documents.ingest(connection, stream.id, new, T0, on_conflict=on_conflict, pending_limit=PLENTY)


def read_stream(database: Database, stream: StreamRow) -> StreamRow:
    with database.read() as connection:
        found = streams.find(connection, stream.id)
    assert found is not None
    return found


def new_thread(
    number: int, size: int, label: str = "a label", titles: Sequence[str] = (), born_at: int = T0
) -> ThreadRow:
    return ThreadRow(
        thread=number,
        state="live",
        size=size,
        window_size=size,
        strength=float(size),
        born_at=born_at,
        last_at=born_at,
        died_at=None,
        merged_into=None,
        split_from=None,
        label=label,
        top_words=["some", "text"],
        titles=list(titles),
        representative=None,
        version=1,
    )


def handle(database: Database, stream: StreamRow) -> None:
    """Be the worker: put every pending document into thread 1, which is born with the first."""
    with database.write() as connection:
        row = streams.lock(connection, stream.id)
        lease = leases.acquire(connection, stream.id, OWNER, None, DAY, T0)
        assert lease is not None
        waiting = documents.pending_after(connection, stream.id, row.cursor, PLENTY)
        version, fresh = row.model_version + 1, row.next_event == 1
        moved = {"cursor": row.accepted, "model_version": version, "next_event": 2}
        leases.guard(connection, stream.id, OWNER, lease.epoch, statistics={"window": 1}, **moved)
        placed = [_placed(document.seq, document.time, document.text or "", version) for document in waiting]
        assignments.place(connection, stream.id, placed)
        if fresh:
            born = NewEvent("thread.born", T0, T0, 1, None, None, version)
            events.append(connection, stream.id, row.next_event, [born])
        _count(connection, stream.id, version)


def _placed(seq: int, time: int, text: str, version: int) -> AssignmentRow:
    words = "{" + ", ".join(f'"{word}": 1' for word in sorted(set(text.split()))) + "}"
    return AssignmentRow(seq, time, "provisional", 1, 0.9, version, words, 1, None)


def _count(connection: Connection, stream_id: str, version: int) -> None:
    size = len(assignments.list_page(connection, stream_id, PLENTY, thread=1))
    threads.upsert_rows(connection, stream_id, [new_thread(1, size)._replace(version=version)])
