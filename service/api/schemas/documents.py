"""Documents as they are sent and shown."""

import json
from typing import Annotated, Any, Literal, Self, cast

from pydantic import ConfigDict, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from service.settings import Settings

from ..parameters import DOCUMENT_ID
from .base import Answer, Body, Moment, NewMoment, Page

METADATA_DEPTH = 5
METADATA_KEYS = 50
NEW_DOCUMENT: dict[str, Any] = {
    "id": "mail-1",
    "time": "2026-03-02T08:14:00Z",
    "title": "Shuttle landing moved",
    "text": "The shuttle landing was moved to Friday because of the weather.",
    "author": "anna@example.org",
    "metadata": {"folder": "inbox"},
}
DocumentId = Annotated[str, Field(pattern=DOCUMENT_ID)]


def _depth(value: Any) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting and deepest <= METADATA_DEPTH:
        item, level = waiting.pop()
        parts = item.values() if isinstance(item, dict) else item if isinstance(item, list) else None
        if parts is not None:
            deepest = max(deepest, level)
            waiting.extend((part, level + 1) for part in parts)
    return deepest


def limits_of(info: ValidationInfo) -> Settings:
    """The settings that a body is read under."""
    return cast(Settings, info.context)


class Content(Body):
    """What a document is made of: text, or a vector in streams of kind vectors."""

    time: NewMoment = Field(description="Event time, with an offset; not far in the future.")
    title: str | None = Field(None, max_length=1_000)
    text: str | None = Field(None, description="For streams of kind words.")
    vector: list[float] | None = Field(None, min_length=1, max_length=4096, description="For kind vectors.")
    author: str | None = Field(None, max_length=500)
    metadata: dict[str, Any] | None = Field(
        None,
        max_length=METADATA_KEYS,
        description="Kept and given back. Of mail, `message_id`, `in_reply_to` and `references` may count as evidence.",
    )

    @field_validator("text")
    @classmethod
    def _short_enough(cls, text: str | None, info: ValidationInfo) -> str | None:
        if text is not None and len(text) > limits_of(info).text_characters:
            raise PydanticCustomError(
                "text_too_long", "must have at most {most} characters", {"most": limits_of(info).text_characters}
            )
        return text

    @field_validator("metadata")
    @classmethod
    def _small(cls, metadata: dict[str, Any] | None, info: ValidationInfo) -> dict[str, Any] | None:
        if metadata is None:
            return None
        if _depth(metadata) > METADATA_DEPTH:
            raise PydanticCustomError("metadata_too_deep", "must be nested at most 5 deep")
        most = limits_of(info).metadata_bytes
        if len(json.dumps(metadata, ensure_ascii=False).encode()) > most:
            raise PydanticCustomError("metadata_too_large", "must have at most {most} bytes as JSON", {"most": most})
        return metadata

    @model_validator(mode="after")
    def _text_or_vector(self) -> Self:
        if (self.text is None) == (self.vector is None):
            raise PydanticCustomError("text_or_vector", "give either text or vector")
        return self


class NewDocument(Content):
    """A document to ingest. Without an id it gets one, but then a retry would store it again."""

    model_config = ConfigDict(title="NewDocument", json_schema_extra={"examples": [NEW_DOCUMENT]})

    id: DocumentId | None = Field(None, description="Unique in the stream; makes retries harmless.")


class Replacement(NewDocument):
    """A document's new content; an id in the body must be that of the path."""

    model_config = ConfigDict(
        title="Replacement",
        json_schema_extra={"examples": [{k: v for k, v in NEW_DOCUMENT.items() if k != "id"}]},
    )


class Batch(Body):
    """Several documents, stored together or not at all."""

    model_config = ConfigDict(title="Batch", json_schema_extra={"examples": [{"documents": [NEW_DOCUMENT]}]})

    documents: list[NewDocument] = Field(min_length=1)

    @field_validator("documents", mode="before")
    @classmethod
    def _few_enough(cls, documents: Any, info: ValidationInfo) -> Any:
        most = limits_of(info).batch_documents
        if isinstance(documents, list) and len(documents) > most:
            raise PydanticCustomError("too_long", "must have at most {most} documents", {"most": most})
        return documents


class DocumentIds(Body):
    """Documents to erase."""

    model_config = ConfigDict(title="DocumentIds", json_schema_extra={"examples": [{"ids": ["mail-1", "mail-2"]}]})

    ids: list[DocumentId] = Field(min_length=1, max_length=1_000)


class Placement(Answer):
    """The thread of a document."""

    thread_id: str | None
    probability: float | None
    provisional: bool = Field(description="Still resampled; once settled it is final.")
    since_version: int = Field(description="Model version that put it there.")


class Document(Answer):
    """A stored document."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                NEW_DOCUMENT
                | {
                    "time": "2026-03-02T08:14:00.000000Z",
                    "arrived_at": "2026-03-02T08:14:02.120000Z",
                    "seq": 918,
                    "vector": None,
                    "state": "provisional",
                    "assignment": {
                        "thread_id": "thr_12",
                        "probability": 0.93,
                        "provisional": True,
                        "since_version": 41,
                    },
                    "error": None,
                }
            ]
        }
    )

    id: str
    seq: int = Field(description="Arrival sequence in the stream.")
    time: Moment
    arrived_at: Moment
    title: str | None
    author: str | None
    text: str | None
    vector: list[float] | None
    metadata: dict[str, Any] | None
    state: Literal["pending", "provisional", "settled", "late", "quarantined"]
    assignment: Placement | None
    error: str | None = Field(description="Why it is quarantined.")


class DocumentPage(Page[Document]):
    """Documents in order of event time."""
