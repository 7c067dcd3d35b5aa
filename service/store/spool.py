"""The memory of one import, a small SQLite file: how far its source is read, and what is read but not yet sent.

A batch of documents and the position after it are one transaction, and so are an answer of the service and the
documents it is about. A kill at any moment leaves at most one batch that is sent again, which the service recognises by
its ids.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seen (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS skipped (number INTEGER PRIMARY KEY, place TEXT NOT NULL, reason TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS waiting (
    number INTEGER PRIMARY KEY, time INTEGER NOT NULL, place TEXT NOT NULL, line BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS waiting_time ON waiting (time, number);
"""
BUSY = "database is locked"


class SpoolTaken(Exception):
    """Another process works with the same file."""


class Waiting(NamedTuple):
    """A document that is read and not yet sent; line: JSON; place: where it was found."""

    number: int
    time: int
    place: str
    line: bytes


class Skipped(NamedTuple):
    """Something that is no document, where it was found and why."""

    place: str
    reason: str


class Spool:
    """One file, for one process at a time. Raises SpoolTaken if another has it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = sqlite3.connect(path, isolation_level=None, timeout=0.5, check_same_thread=False)
        try:
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(TABLES)
        except sqlite3.OperationalError as error:
            self._connection.close()
            if BUSY in str(error):
                raise SpoolTaken(str(path)) from error
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def fact(self, name: str, default: Any = None) -> Any:
        """What was noted under the name."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return default if row is None else json.loads(row[0])

    def seen(self, name: str) -> bool:
        """Whether the part of the source that has this name was read before."""
        return self._connection.execute("SELECT 1 FROM seen WHERE name = ?", (name,)).fetchone() is not None

    def put(
        self, documents: Iterable[tuple[int, str, bytes]], skipped: Sequence[Skipped], seen: Iterable[str], **facts: Any
    ) -> None:
        """Keep documents (time, place, line) and what was found beside them, with the position after them."""
        with self._connection:
            self._connection.execute("BEGIN")
            self._connection.executemany("INSERT INTO waiting (time, place, line) VALUES (?, ?, ?)", documents)
            self._connection.executemany("INSERT OR IGNORE INTO seen VALUES (?)", ((name,) for name in seen))
            self._skip(skipped)
            self._note(facts)

    def oldest(self, limit: int) -> list[Waiting]:
        """The next documents to send, in order of time."""
        query = "SELECT number, time, place, line FROM waiting ORDER BY time, number LIMIT ?"
        return [Waiting(*row) for row in self._connection.execute(query, (limit,))]

    def waiting(self) -> int:
        """How many documents are still to be sent."""
        return int(self._connection.execute("SELECT count(*) FROM waiting").fetchone()[0])

    def sent(self, numbers: Iterable[int], skipped: Sequence[Skipped], **facts: Any) -> None:
        """Forget documents that the service has answered for."""
        with self._connection:
            self._connection.execute("BEGIN")
            self._connection.executemany("DELETE FROM waiting WHERE number = ?", ((number,) for number in numbers))
            self._skip(skipped)
            self._note(facts)

    def skipped(self) -> list[Skipped]:
        """All that was skipped."""
        return [Skipped(*row) for row in self._connection.execute("SELECT place, reason FROM skipped ORDER BY number")]

    def forget(self, *, position: bool) -> None:
        """Begin a new account; with position, the source is read from its beginning."""
        with self._connection:
            self._connection.execute("BEGIN")
            self._connection.execute("DELETE FROM skipped")
            self._connection.execute("DELETE FROM facts" if position else "DELETE FROM facts WHERE name = 'counts'")
            if position:
                self._connection.execute("DELETE FROM seen")
                self._connection.execute("DELETE FROM waiting")

    def shrink(self) -> None:
        """Give the space of what was sent back to the disk."""
        self._connection.execute("VACUUM")

    def _skip(self, skipped: Sequence[Skipped]) -> None:
        self._connection.executemany("INSERT INTO skipped (place, reason) VALUES (?, ?)", skipped)

    def _note(self, facts: dict[str, Any]) -> None:
        rows = [(name, json.dumps(value)) for name, value in facts.items()]
        self._connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)
