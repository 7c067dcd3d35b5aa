"""Sources, messages and a service for the tests of importers."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from service.importers.items import Item, Source
from service.importers.run import Counts, Import
from service.importers.target import HttpTarget
from service.store.database import Database
from service.store.spool import Skipped, Spool
from tests.api import Server, serving

BEGIN = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
NOW = int(datetime(2026, 6, 1, tzinfo=UTC).timestamp()) * 1_000_000  # the clock of the importers
SUBJECTS = ("Probes at Hollis Farm", "Lease of the yard", "Invoice 4411", "Demo in Lindmark", "Flood at the wharf")


def clock() -> int:
    return NOW


def message(number: int, *, minutes: int | None = None, body: str = "", head: str = "") -> bytes:
    """A mail of its own subject and words; minutes after the beginning of all mails, by default the number."""
    date = BEGIN + timedelta(minutes=number if minutes is None else minutes)
    subject = SUBJECTS[number % len(SUBJECTS)]
    text = body or f"Dear all, {subject.lower()} again: number {number}, {'word' * (number % 7)} and more.\n"
    return (
        f"From: Ann <ann{number % 4}@example.org>\nDate: {format_datetime(date)}\nSubject: {subject}\n"
        f"Message-ID: <{number}@example.org>\n{head}\n{text}"
    ).encode()


def in_mbox(raw: bytes) -> bytes:
    """The message as a part of an mbox file."""
    escaped = raw.replace(b"\n>From ", b"\n>>From ").replace(b"\nFrom ", b"\n>From ")
    return b"From ann@example.org Mon Mar  2 08:00:00 2026\n" + escaped + b"\n\n"


def mbox_file(path: Path, numbers: Iterator[int] | range) -> Path:
    with path.open("wb") as file:
        file.writelines(in_mbox(message(number)) for number in numbers)
    return path


class NoMemory:
    """Nothing was read before."""

    def fact(self, name: str, default: Any = None) -> Any:
        return default

    def seen(self, name: str) -> bool:
        return False


def items_of(source: Source) -> list[Item]:
    return list(source.items(NoMemory()))


class Silent:
    """Shows nothing, and remembers what was troublesome."""

    def __init__(self) -> None:
        self.troubles: list[str] = []

    def reading(self, done: int, total: int | None) -> None: ...
    def sending(self, done: int, total: int) -> None: ...
    def trouble(self, message: str) -> None:
        self.troubles.append(message)


@contextmanager
def service(database: Database, folder: Path, url: str, **settings: Any) -> Iterator[Server]:
    with serving(database, folder, url, **settings) as server:
        yield server


def import_once(
    source: Source, target: HttpTarget, spool: Path, *, fresh: bool = False, stream: str = "mail"
) -> tuple[Counts, list[Skipped]]:
    """Run one import to its end, as the command does."""
    with Spool(spool) as memory:
        found = target.open_stream(stream, {})
        work = Import(source, memory, target, stream, Silent())
        work.begin(found["id"], fresh=fresh)
        work.read()
        work.send()
        skipped = memory.skipped()
        work.finish()
        return work.counts, skipped


def stored(server: Server, stream: str = "mail") -> list[dict[str, Any]]:
    """All documents of a stream in the order they were stored."""
    rows: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = server.client.get(f"/v1/streams/{stream}/documents", params={"limit": 500, **cursor}).json()
        rows += page["data"]
        if not page["has_more"]:
            return sorted(rows, key=lambda row: int(row["seq"]))
        cursor = {"cursor": page["next_cursor"]}
