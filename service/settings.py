"""The one table of settings: environment variables that begin with THREADLINE_, with unit, range and default."""

from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

PREFIX = "THREADLINE_"
POSTGRES = "postgresql+psycopg://"


def _setting(default: Any, unit: str, sentence: str, **limits: Any) -> Any:
    return Field(default, description=sentence, json_schema_extra={"unit": unit}, validate_default=True, **limits)


class Settings(BaseSettings):
    """What an operator may set. Passed down explicitly; nothing reads the environment later."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        extra="forbid",
        frozen=True,
        env_ignore_empty=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
    )

    data_dir: Path = _setting(
        Path("threadline-data"), "path", "Folder of the SQLite file and its lock; made with mode 0700."
    )
    database_url: str = _setting(
        "",
        "URL",
        "`sqlite:///PATH` or `postgresql://USER:PASSWORD@HOST/NAME`; empty is SQLite in the data folder.",
        repr=False,
    )
    database_pool: int = _setting(10, "connections", "Connections a process keeps to the database.", ge=2, le=100)
    host: str = _setting(
        "127.0.0.1", "address", "Address the API listens on; beyond loopback a key is required.", min_length=1
    )
    port: int = _setting(8470, "port", "Port the API listens on; 0 takes a free one.", ge=0, le=65535)
    worker_host: str = _setting(
        "127.0.0.1",
        "address",
        "Address on which a worker answers the API's questions; 0.0.0.0 for other machines.",
        min_length=1,
    )
    insecure: bool = _setting(
        False, "true, false", "Listen beyond loopback without keys, for networks that are closed."
    )
    log_level: Literal["debug", "info", "warning", "error"] = _setting("info", "level", "Least level that is logged.")
    log_format: Literal["json", "text"] = _setting("json", "format", "JSON lines for machines or text for people.")

    body_bytes: int = _setting(
        10 << 20, "bytes", "Largest request body, before and after decompression.", ge=1 << 10, le=1 << 30
    )
    line_bytes: int = _setting(1 << 20, "bytes", "Longest line of a bulk request.", ge=1 << 10, le=1 << 26)
    text_characters: int = _setting(100_000, "characters", "Longest text of a document.", ge=1, le=10_000_000)
    tokens: int = _setting(
        10_000, "tokens", "Tokens of a document that the model sees; the rest is cut.", ge=1, le=1_000_000
    )
    metadata_bytes: int = _setting(16 << 10, "bytes", "Largest metadata of a document.", ge=2, le=1 << 20)
    batch_documents: int = _setting(1_000, "documents", "Most documents in one JSON batch.", ge=1, le=10_000)
    bulk_lines: int = _setting(50_000, "lines", "Most lines in one bulk request.", ge=1, le=1_000_000)
    prediction_documents: int = _setting(100, "documents", "Most documents in one prediction request.", ge=1, le=1_000)
    pending_documents: int = _setting(
        100_000, "documents", "Documents a stream may have waiting; beyond it, ingest answers 429.", ge=1, le=10_000_000
    )
    task_documents: int = _setting(
        5_000, "documents", "Most documents that topics or a comparison are made of.", ge=10, le=100_000
    )
    streams: int = _setting(64, "streams", "Most streams.", ge=1, le=10_000)
    sse_connections: int = _setting(100, "connections", "Most open event streams of one API process.", ge=0, le=10_000)
    connections: int = _setting(
        1_000, "connections", "Most open connections of one API process; beyond it, it answers 503.", ge=10, le=100_000
    )
    request_rate: float = _setting(
        0.0, "requests/s", "Requests each key or address may make; 0 is no limit.", ge=0, le=1e6
    )
    receive_deadline_s: float = _setting(60.0, "seconds", "Time a client has to send a request's body.", gt=0, le=3_600)
    future_skew_s: float = _setting(
        300.0,
        "seconds",
        "How far ahead of the clock a document's time may lie, unless its stream says.",
        ge=0,
        le=86_400,
    )
    disk_reserve_mib: int = _setting(
        64, "MiB", "Free disk space below which ingest answers 507 (SQLite).", ge=0, le=1 << 20
    )
    idempotency_hours: float = _setting(24.0, "hours", "How long an Idempotency-Key is remembered.", ge=1, le=720)
    stop_s: float = _setting(
        25.0, "seconds", "Time that requests under way have to end after a stop signal.", ge=0, le=600
    )

    lease_seconds: float = _setting(
        10.0, "seconds", "Time after which another worker may take over a silent worker's streams.", ge=1, le=600
    )
    sweep_budget_ms: float = _setting(
        200.0, "milliseconds", "Longest time a sweep may delay new documents.", ge=1, le=60_000
    )
    visits_per_document: float = _setting(
        10.0, "visits", "Documents of the window resampled for each that arrives.", ge=0, le=1_000
    )
    rest_after_s: float = _setting(
        5.0, "seconds", "Quiet time after which a stream takes its resting passes.", ge=0, le=86_400
    )
    rest_passes: int = _setting(3, "passes", "Passes over the window while a stream is quiet.", ge=0, le=1_000)
    snapshot_interval_s: float = _setting(60.0, "seconds", "Time between snapshots of a busy stream.", ge=1, le=86_400)
    unload_after_s: float = _setting(
        600.0, "seconds", "Idle time after which a worker drops a stream from memory.", ge=1, le=86_400
    )

    @field_validator("database_url")
    @classmethod
    def _complete(cls, url: str, info: ValidationInfo) -> str:
        if not url:
            return f"sqlite:///{info.data['data_dir'] / 'threadline.db'}" if "data_dir" in info.data else url
        scheme, separator, rest = url.strip().partition("://")
        if separator and scheme in ("postgresql", "postgres", "postgresql+psycopg"):
            return POSTGRES + rest
        if url.startswith("sqlite:///") and len(url) > len("sqlite:///"):
            return url
        raise ValueError("must begin with sqlite:/// (and a path) or postgresql://")

    @property
    def database_file(self) -> Path | None:
        """The SQLite file, or None on PostgreSQL."""
        return (
            Path(self.database_url.removeprefix("sqlite:///")) if self.database_url.startswith("sqlite:///") else None
        )


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + name.upper()


def unit(name: str) -> str:
    """The unit of a setting."""
    extra = Settings.model_fields[name].json_schema_extra
    return str(extra["unit"]) if isinstance(extra, dict) else ""


def span(name: str) -> str:
    """The range of a setting, in words."""
    field = Settings.model_fields[name]
    choices = get_args(field.annotation)
    if choices and isinstance(choices[0], str):
        return ", ".join(choices)
    limits = {key: getattr(item, key) for item in field.metadata for key in ("ge", "gt", "le") if hasattr(item, key)}
    low = str(limits.get("ge", f"above {limits['gt']}" if "gt" in limits else ""))
    return f"{low} to {limits['le']}" if "le" in limits else ""
