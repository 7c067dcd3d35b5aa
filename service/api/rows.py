"""Rows of the store as the API shows them."""

import json
import struct
from typing import Any

from service.errors import Absent
from service.ids import event_id, thread_id
from service.store import parts
from service.store.assignments import Assigned
from service.store.documents import DocumentRow
from service.store.events import EventRow
from service.store.streams import StreamRow
from service.store.tasks import TaskRow
from service.store.threads import ThreadRow

from .schemas.assignments import Alternative, Assignment
from .schemas.documents import Document, Placement
from .schemas.events import Event
from .schemas.streams import Stream, StreamSettings
from .schemas.tasks import Task
from .schemas.threads import Thread


def found(row: Any) -> Any:
    """The row, or the uniform 404."""
    if row is None:
        raise Absent
    return row


def thread_name(number: int | None) -> str | None:
    """The public id of a thread."""
    return None if number is None else thread_id(number)


def stream(row: StreamRow) -> Stream:
    """A stream with all its settings; those that its row lacks have their defaults."""
    settings = StreamSettings.model_validate(row.settings)
    return Stream(id=row.id, name=row.name or "", settings=settings, created_at=row.created_at, version=row.version)


def placement(row: DocumentRow) -> Placement | None:
    """The thread of a document that the worker has handled."""
    if row.since is None or row.state == "quarantined":
        return None
    return Placement(
        thread_id=thread_name(row.thread),
        probability=row.probability,
        provisional=row.state == "provisional",
        since_version=row.since,
    )


def document(row: DocumentRow) -> Document:
    """A document with its content."""
    return Document.model_validate(
        {
            "id": row.id,
            "seq": row.seq,
            "time": row.time,
            "arrived_at": row.arrived_at,
            "title": row.title,
            "author": row.author,
            "text": row.text,
            "vector": None if row.vector is None else vector(row.vector),
            "metadata": None if row.metadata is None else json.loads(row.metadata),
            "state": row.state,
            "assignment": placement(row),
            "error": row.error,
        }
    )


def vector(stored: bytes) -> list[float]:
    """Numbers from little-endian doubles."""
    return list(struct.unpack(f"<{len(stored) // 8}d", stored))


def assignment(row: Assigned, model_version: int) -> Assignment:
    """An assignment with its alternatives."""
    others = [part for part in parts.load(row.parts) if part.thread != row.thread]
    return Assignment.model_validate(
        {
            "document_id": row.id,
            "seq": row.seq,
            "time": row.time,
            "state": row.state,
            "thread_id": thread_name(row.thread),
            "probability": row.probability,
            "provisional": row.state == "provisional",
            "alternatives": [
                Alternative(thread_id=thread_name(part.thread), probability=part.probability) for part in others
            ],
            "since_version": row.since,
            "model_version": model_version,
        }
    )


def thread_fields(row: ThreadRow, clock: int | None) -> dict[str, Any]:
    """The fields of a thread."""
    same = (
        "state",
        "label",
        "top_words",
        "size",
        "window_size",
        "strength",
        "born_at",
        "last_at",
        "died_at",
        "version",
    )
    return {
        "id": thread_id(row.thread),
        "merged_into": thread_name(row.merged_into),
        "as_of": clock,
        **{name: getattr(row, name) for name in same},
    }


def thread(row: ThreadRow, clock: int | None) -> Thread:
    """A thread as lists show it."""
    return Thread.model_validate(thread_fields(row, clock))


def event(row: EventRow) -> Event:
    """A lifecycle event."""
    return Event.model_validate(
        {
            "id": event_id(row.seq),
            "seq": row.seq,
            "type": row.type,
            "occurred_at": row.occurred_at,
            "recorded_at": row.recorded_at,
            "thread_id": thread_name(row.thread),
            "other_thread_id": thread_name(row.other),
            "document_id": row.document_id,
            "model_version": row.model_version,
        }
    )


def task(row: TaskRow) -> Task:
    """A task."""
    return Task.model_validate(row._asdict())
