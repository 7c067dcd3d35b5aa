"""Documents straight from JSON, several times faster than the strict reader, which gets every text with an oddity.

A text is taken here only if nothing in it can be what the strict reader refuses, so both read the same documents.
Two keys of one name show in the number of strings: the text then has more of them than the document.
"""

from math import isfinite
from typing import Any

from pydantic import ValidationError

from service.settings import Settings

from .operations import validated
from .schemas.documents import Batch, NewDocument
from .strict_json import LARGEST, parse


def document_of(raw: bytes, settings: Settings) -> NewDocument:
    """The document that a JSON text describes; raises what the strict reader raises."""
    try:
        document = NewDocument.model_validate_json(raw, context=settings)
    except (ValidationError, ValueError):
        document = None
    if document is not None and _string_count(raw) == _strings(document):
        return document
    return validated(NewDocument, parse(raw), settings)


def documents_of(raw: bytes, settings: Settings) -> tuple[list[NewDocument], bool]:
    """The documents of a JSON text that holds one or a batch, and whether it is a batch."""
    if b'"documents"' not in raw:
        return [document_of(raw, settings)], False
    try:
        batch = Batch.model_validate_json(raw, context=settings)
    except (ValidationError, ValueError):
        batch = None
    if batch is not None and _string_count(raw) == 1 + sum(map(_strings, batch.documents)):
        return batch.documents, True
    value = parse(raw)
    if isinstance(value, dict) and "documents" in value:
        return validated(Batch, value, settings).documents, True
    return [validated(NewDocument, value, settings)], False


def _string_count(raw: bytes) -> int:
    """How many strings the JSON text holds, keys included; -1 if that is hard to say or one may contain NUL."""
    quotes = raw.count(b'"')
    if b"\\" in raw:
        if b"\\\\" in raw or b"\\u0000" in raw:
            return -1
        quotes -= raw.count(b'\\"')
    return quotes // 2


def _strings(document: NewDocument) -> int:
    """How many strings the document was written with; -2 if it holds a number that may not be."""
    vector = document.vector
    if vector is not None and (max(vector) > LARGEST or min(vector) < -LARGEST):
        return -2
    given = len(document.model_fields_set) + 1  # the keys, and the time
    given += (document.id is not None) + (document.title is not None)
    given += (document.author is not None) + (document.text is not None)
    if document.metadata is None:
        return given
    return given + _inside(document.metadata)


def _inside(metadata: dict[str, Any]) -> int:
    """How many strings the metadata hold; far below zero if a number may not be."""
    count, waiting = 0, list[Any]([metadata])
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            count += 1
        elif isinstance(item, dict):
            count += len(item)
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        elif item is not None and (abs(item) > LARGEST or not isfinite(item)):
            return -LARGEST
    return count
