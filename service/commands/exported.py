"""One page of an export: rows as the API shows them, flat, and the place where the next page begins."""

from typing import Any

from sqlalchemy import Connection

from service.api import rows as shown
from service.ids import parse_thread_id
from service.store import documents as document_rows
from service.store import events as event_rows
from service.store import histories
from service.store import threads as thread_rows
from service.store.documents import DocumentRow
from service.store.threads import Filter, Lifespan
from service.times import format_moment

Page = tuple[list[dict[str, Any]], Any]


def documents(connection: Connection, stream_id: str, place: Any, limit: int) -> Page:
    """By event time."""
    rows = document_rows.list_page(connection, stream_id, limit=limit, after=place)
    return [_document(row) for row in rows], (rows[-1].time, rows[-1].seq) if rows else place


def mails(connection: Connection, stream_id: str, place: Any, limit: int) -> Page:
    """Documents by event time, each with the label of its thread."""
    page, after = documents(connection, stream_id, place, limit)
    numbers = {number for row in page if (number := parse_thread_id(row["thread_id"] or "")) is not None}
    found = thread_rows.by_numbers(connection, stream_id, sorted(numbers))
    labels = {shown.thread_name(row.thread): row.label for row in found}
    return [row | {"label": labels.get(row["thread_id"])} for row in page], after


def threads(connection: Connection, stream_id: str, place: Any, limit: int) -> Page:
    """By birth."""
    rows = thread_rows.list_page(connection, stream_id, Filter(), sort="born_at", limit=limit, after=place)
    page = [shown.thread(row, None).model_dump(mode="json", exclude={"as_of"}) for row in rows]
    return page, (rows[-1].born_at, rows[-1].thread) if rows else place


def events(connection: Connection, stream_id: str, place: Any, limit: int) -> Page:
    """By sequence."""
    rows = event_rows.after(connection, stream_id, place or 0, limit)
    return [shown.event(row).model_dump(mode="json") for row in rows], rows[-1].seq if rows else place


def lifespans(connection: Connection, stream_id: str, place: Any, limit: int) -> Page:
    """By thread."""
    rows = histories.lifespans(connection, stream_id, Filter(), limit, place)
    return [_lifespan(row) for row in rows], rows[-1].thread if rows else place


def _document(row: DocumentRow) -> dict[str, Any]:
    fields = shown.document(row).model_dump(mode="json")
    placement = fields.pop("assignment") or {}
    return fields | {"thread_id": placement.get("thread_id"), "probability": placement.get("probability")}


def _lifespan(row: Lifespan) -> dict[str, Any]:
    """Duration in seconds, up to the last document while the thread still lives (censored)."""
    end = row.last_at if row.died_at is None else row.died_at
    return {
        "thread_id": shown.thread_name(row.thread),
        "state": row.state,
        "born_at": format_moment(row.born_at),
        "last_at": format_moment(row.last_at),
        "died_at": None if row.died_at is None else format_moment(row.died_at),
        "duration_seconds": (end - row.born_at) / 1e6,
        "censored": row.died_at is None,
        "size": row.size,
    }
