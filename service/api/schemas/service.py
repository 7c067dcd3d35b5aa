"""Keys, health and version."""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from .base import Answer, Body, Moment, NewMoment, Page

ScopeName = Literal["ingest", "read", "manage"]
KEY: dict[str, Any] = {
    "id": "key_01K00000000000000000000000",
    "name": "importer",
    "scopes": ["ingest"],
    "created_at": "2026-03-02T08:14:00.000000Z",
    "last_used_at": None,
    "expires_at": None,
    "revoked_at": None,
}


class NewKey(Body):
    """A key to create."""

    model_config = ConfigDict(
        title="NewKey", json_schema_extra={"examples": [{"name": "importer", "scopes": ["ingest"], "expires_at": None}]}
    )

    name: str = Field(min_length=1, max_length=100)
    scopes: list[ScopeName] = Field(min_length=1, max_length=3)
    expires_at: NewMoment | None = None


class Key(Answer):
    """A key without its secret."""

    model_config = ConfigDict(json_schema_extra={"examples": [KEY]})

    id: str
    name: str
    scopes: list[ScopeName]
    created_at: Moment
    last_used_at: Moment | None
    expires_at: Moment | None
    revoked_at: Moment | None


class KeyPage(Page[Key]):
    """Keys in order of creation."""


class CreatedKey(Key):
    """A new key; its secret is shown this once."""

    model_config = ConfigDict(json_schema_extra={"examples": [KEY | {"secret": "threadline_01K…_…_…"}]})

    secret: str


class Alive(Answer):
    """The process answers."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"status": "ok"}]})

    status: Literal["ok"] = "ok"


class Ready(Answer):
    """Whether requests should be sent here."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"status": "ready", "reasons": []}]})

    status: Literal["ready", "unready"]
    reasons: list[str]


class Version(Answer):
    """What runs, and its limits."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"version": "0.1.0", "api": "v1", "limits": {"body_bytes": 10485760}}]}
    )

    version: str
    api: Literal["v1"] = "v1"
    limits: dict[str, int | float]
