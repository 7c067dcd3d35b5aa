"""A stream with threads as a worker would leave it, written through the store."""

import json
from typing import Any

from sqlalchemy import update

from service.api.schemas.streams import StreamSettings
from service.store import assignments, events, ingest, parts, streams, threads
from service.store.assignments import AssignmentRow
from service.store.database import Database
from service.store.events import NewEvent
from service.store.ingest import NewDocument
from service.store.parts import Part
from service.store.tables import streams as stream_table
from service.store.threads import ThreadRow
from service.times import parse_moment

HOUR = 3_600_000_000
START = parse_moment("2026-03-02T12:00:00Z")
CLOCK = START + 100 * HOUR
HALF_LIFE = 86_400.0  # seconds
WORDS = [{"landing": 1, "shuttle": 2}, {"orbit": 1, "shuttle": 1}, {"hockey": 3}, {"goal": 2, "hockey": 1}]
THREADS = [1, 1, 2, 2]
HOURS = [0, 5, 10, 90]  # when the documents were written
PARTS = [
    Part(1, 0.9, 1.5, -0.5, 0.0, [0, 1], [1.0, 4.0]),
    Part(2, 0.08, 1.0, -0.5, 0.0, [1], [-1.0]),
    Part(None, 0.02),
]


def tell(database: Database, name: str = "default") -> str:
    """Stream `name`: mail-1 and mail-2 in thr_1, mail-3 and mail-4 in thr_2, mail-5 waiting, thr_3 merged into thr_1,
    thr_4 dead; seven events. Returns the stream's id."""
    settings = StreamSettings.model_validate({"half_life": "1d"}).model_dump(mode="json")
    with database.write() as connection:
        stream = streams.create(connection, name, settings)
        ingest.ingest(connection, stream.id, [_document(n) for n in range(5)], START, pending_limit=1000)
        assignments.place(connection, stream.id, [_assignment(n) for n in range(4)])
        threads.upsert_rows(connection, stream.id, _threads())
        next_event = events.append(connection, stream.id, 1, _events())
        statistics = {"window": {"from": START, "to": CLOCK, "documents": 4}, "vocabulary": 5, "threads_live": 2}
        told = statistics | {"alpha": 2.0, "half_life": HALF_LIFE, "strength": 50.0, "late": 0, "quarantined": 0}
        changed: dict[str, Any] = {
            "cursor": 4,
            "next_event": next_event,
            "model_version": 3,
            "clock": CLOCK,
            "statistics": json.dumps(told),
        }
        connection.execute(update(stream_table).where(stream_table.c.id == stream.id).values(changed))
    return stream.id


def _document(number: int) -> NewDocument:
    time = START + [*HOURS, 95][number] * HOUR
    text = f"text of mail {number + 1}"
    return NewDocument(f"mail-{number + 1}", time, f"Title {number + 1}", None, text, None, None, bytes([number]) * 32)


def _assignment(number: int) -> AssignmentRow:
    words, thread = json.dumps(WORDS[number]), THREADS[number]
    return AssignmentRow(
        number + 1, START + HOURS[number] * HOUR, "provisional", thread, 0.9, number + 1, words, 1, parts.dump(PARTS)
    )


def _threads() -> list[ThreadRow]:
    common: dict[str, Any] = {"died_at": None, "merged_into": None, "split_from": None, "version": 3}
    first = ThreadRow(
        thread=1,
        state="live",
        size=2,
        window_size=2,
        strength=0.5,
        born_at=START,
        last_at=START + 5 * HOUR,
        label="Shuttle landing",
        top_words=["shuttle", "landing"],
        titles=["Title 1", "Title 2"],
        representative=1,
        **common,
    )
    second = first._replace(
        thread=2, strength=1.5, born_at=START + 10 * HOUR, last_at=START + 90 * HOUR, label="Hockey 100%_goal"
    )._replace(top_words=["hockey", "goal"], titles=["Title 3"], representative=3, split_from=1)
    merged = second._replace(thread=3, state="merged", size=0, window_size=0, merged_into=1, split_from=None)
    dead = second._replace(
        thread=4, state="dead", size=1, window_size=0, split_from=None, died_at=START + 60 * HOUR, representative=None
    )
    return [first, second, merged, dead]


def _events() -> list[NewEvent]:
    kinds: list[tuple[str, int, int | None, int | None]] = [
        ("thread.born", 1, None, None),
        ("thread.split", 2, 1, None),
        ("thread.born", 3, None, None),
        ("thread.merged", 3, 1, None),
        ("thread.born", 4, None, None),
        ("document.moved", 2, 1, 3),
        ("thread.died", 4, None, None),
    ]
    return [NewEvent(kind, START, START, thread, other, seq, 2) for kind, thread, other, seq in kinds]
