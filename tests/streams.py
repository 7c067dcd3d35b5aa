"""Streams of made-up documents in a real database, worked through by a worker of this process."""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from service.settings import Settings
from service.store import assignments, documents, events, streams, threads
from service.store.database import Database
from service.store.documents import NewDocument
from service.store.threads import Filter
from service.worker.loop import Worker

START = 1_772_400_000_000_000  # microseconds: March 2026
HOUR = 3_600_000_000
TOPICS = 12
SETTINGS = {"window": "P5D", "seed": 7}


def made_up(count: int, *, seed: int = 1, first: int = 0, every: int = HOUR // 4) -> list[NewDocument]:
    """Documents about topics that come and go; a few are a day late."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(first, first + count):
        topic = (i // 40 + int(rng.integers(3))) % TOPICS
        words = [f"t{topic}w{n}" for n in rng.integers(0, 8, 6)] + [f"common{n}" for n in rng.integers(0, 20, 4)]
        late = 24 * HOUR if rng.random() < 0.1 else 0
        found.append(new_document(f"d{i}", START + i * every - late, " ".join(words), title=f"About t{topic} {i}"))
    return found


def new_document(
    name: str, moment: int, text: str | None, *, title: str | None = None, vector: bytes | None = None
) -> NewDocument:
    content = f"{moment} {text} {title}".encode() + (vector or b"")
    return NewDocument(name, moment, title, None, text, vector, None, hashlib.sha256(content).digest())


def new_stream(database: Database, name: str = "default", **settings: Any) -> str:
    with database.write() as connection:
        return streams.create(connection, name, SETTINGS | settings).id


def ingest(database: Database, stream_id: str, new: Sequence[NewDocument]) -> None:
    with database.write() as connection:
        outcomes = documents.ingest(connection, stream_id, new, database.now(connection), pending_limit=10**6)
    assert {outcome.status for outcome in outcomes} == {"accepted"}


def worker_settings(folder: Path, url: str, **more: Any) -> Settings:
    """Settings under which a worker rests only if told to."""
    return Settings(data_dir=folder, database_url=url, **{"rest_after_s": 3600, "unload_after_s": 3600} | more)


@contextmanager
def working(settings: Settings, database: Database) -> Iterator[Worker]:
    """A worker whose turns the test takes itself; its leases are kept and given back."""
    worker = Worker(settings, database)
    worker.keeper.start()
    try:
        yield worker
    finally:
        worker.keeper.stop()
        worker.leave()
        worker.server.stop()


def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def work_off(worker: Worker) -> None:
    """Turns until nothing is left to do."""
    deadline = time.monotonic() + 400  # kernels may have to be compiled first
    while worker.turn() or pending(worker.database):
        assert time.monotonic() < deadline, "the worker does not come to an end"


def pending(database: Database) -> int:
    with database.read() as connection:
        return sum(row.pending + row.pending_erasures for row in streams.list_page(connection, 100))


def row_of(database: Database, stream_id: str) -> streams.StreamRow:
    with database.read() as connection:
        row = streams.find(connection, stream_id)
    assert row is not None
    return row


def outcome(database: Database, stream_id: str) -> dict[str, Any]:
    """Labels, threads and events without what depends on the clock and on the size of steps."""
    with database.read() as connection:
        labels = assignments.list_page(connection, stream_id, 10**6)
        rows = threads.list_page(connection, stream_id, Filter(), sort="born_at", limit=10**6)
        told = events.after(connection, stream_id, 0, 10**6)
    return {
        "labels": [(label.id, label.seq, label.time, label.state, label.thread) for label in labels],
        "threads": sorted(
            (t.thread, t.state, t.size, t.window_size, t.born_at, t.last_at, t.died_at, t.merged_into, t.split_from)
            for t in rows
        ),
        "events": [(e.seq, e.type, e.occurred_at, e.thread, e.other, e.document) for e in told],
    }
