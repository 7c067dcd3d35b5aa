"""Which field of a row is which: named by the user, or told by its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service.text.charsets import clean

from .dates import BadTime, Dates
from .items import LONGEST_AUTHOR, LONGEST_TITLE, Clock, Found, SourceError, content_id, fitting_id, short

USUAL = {
    "id": ("id", "_id", "uuid", "guid", "message_id", "message-id", "document_id", "key", "number"),
    "time": ("time", "timestamp", "date", "datetime", "created_at", "created", "published_at", "published", "pubdate",
             "sent_at", "sent", "updated_at", "ts", "day"),
    "text": ("text", "body", "content", "message", "description", "summary", "abstract", "comment"),
    "title": ("title", "subject", "headline", "name"),
    "author": ("author", "from", "sender", "user", "username", "creator", "by"),
}  # fmt: skip
NEEDED = ("time", "text")


class BadRow(ValueError):
    """A row that is no document; says why."""


@dataclass(frozen=True)
class Columns:
    """Names of fields, or None where they are to be told from the first row; a.b is b in a."""

    id: str | None = None
    time: str | None = None
    text: str | None = None
    title: str | None = None
    author: str | None = None

    def complete(self, row: Mapping[str, Any]) -> "Columns":
        """The names, those that were not given told from a row. Raises SourceError if there is no time or text."""
        given = {field: getattr(self, field) for field in USUAL}
        known = {name.strip().lower(): name for name in row}
        for field, named in given.items():
            if named is not None and value_of(row, named) is None and named not in row:
                raise SourceError(f"there is no field {named}; the first row has {_listed(row)}")
            if named is None:
                given[field] = next((known[name] for name in USUAL[field] if name in known), None)
        for field in NEEDED:
            if given[field] is None:
                raise SourceError(f"which field is the {field}? Pass --{field} NAME; the first row has {_listed(row)}")
        return Columns(**given)


def row_document(row: Mapping[str, Any], columns: Columns, dates: Dates, clock: Clock) -> Found:
    """The document of a row. Raises BadRow."""
    values = {field: value_of(row, getattr(columns, field)) for field in USUAL}
    text = values["text"]
    if not isinstance(text, str):
        raise BadRow("has no text" if text is None else "has a text that is not a string")
    try:
        time = dates.moment(values["time"])
    except BadTime as error:
        raise BadRow(str(error)) from error
    if time > clock() + 300_000_000:
        raise BadRow("has a time in the future")
    title, author = (short(_string(values[field]), longest) for field, longest in LONGEST.items())
    own = values["id"]
    name = content_id("row", time, title, text) if own in (None, "") else fitting_id(str(own))
    metadata = row.get("metadata")
    return Found(name, time, title, author, clean(text), metadata if isinstance(metadata, dict) and metadata else None)


LONGEST = {"title": LONGEST_TITLE, "author": LONGEST_AUTHOR}


def value_of(row: Mapping[str, Any], name: str | None) -> Any:
    """The field of a row, which may be within others."""
    if name is None:
        return None
    if name in row:
        return row[name]
    value: Any = row
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _string(value: Any) -> str | None:
    return None if value is None else str(value)


def _listed(row: Mapping[str, Any]) -> str:
    return ", ".join(str(name) for name in list(row)[:20]) or "none"
