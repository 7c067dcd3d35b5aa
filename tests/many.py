"""Streams with many threads, or with odd ones, as a worker would leave them: written through the store."""

import json
import random
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, update

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

DAY = 86_400_000_000
CLOCK = parse_moment("2026-05-01T12:00:00Z")
HALF_LIFE = 5 * 86_400.0  # seconds
WORDS = {"goal": 1, "hockey": 2}


class Told(NamedTuple):
    """What a document and its thread are called."""

    id: str
    title: str
    text: str
    label: str


def many(database: Database, count: int, *, days: int = 3_650, seed: int = 7) -> None:
    """So many threads of about three documents each, over so many days; some merged, some split, the last ones live."""
    draw = random.Random(seed)  # noqa: S311
    rows, placed = [], []
    for number in range(count):
        born = CLOCK - int(draw.random() * days * DAY)
        times = sorted(min(CLOCK, born + int(draw.expovariate(1 / (8 * DAY)))) for _ in range(1 + number % 5))
        rows.append(_thread(number, times, f"Thread {number} of many", draw))
        placed += [(number, time) for time in times]
    with database.write() as connection:
        stream_id = streams.create(connection, "default", _settings()).id
        threads.upsert_rows(connection, stream_id, rows)
        labels = [_assignment(seq, number, time) for seq, (number, time) in enumerate(placed, 1)]
        assignments.place(connection, stream_id, labels)
        _finish(connection, stream_id, rows, len(placed))


def odd(database: Database, told: Sequence[Told]) -> None:
    """A document in a thread of its own for each, and one thread, number 0, with all titles and texts once more."""
    draw = random.Random(1)  # noqa: S311
    ids = [*(one.id for one in told), *(f"copy-{n}" for n in range(len(told)))]
    with database.write() as connection:
        stream_id = streams.create(connection, "default", _settings()).id
        documents = [
            NewDocument(ids[n], CLOCK - (n + 1) * DAY // 50, one.title, one.title, one.text, None, None, bytes(32))
            for n, one in enumerate([*told, *told])
        ]
        ingest.ingest(connection, stream_id, documents, CLOCK, pending_limit=10**6)
        numbers = [*range(1, len(told) + 1), *[0] * len(told)]
        labels = [
            _assignment(seq, number, document.time)
            for seq, (number, document) in enumerate(zip(numbers, documents, strict=True), 1)
        ]
        assignments.place(connection, stream_id, labels)
        rows = [_thread(0, [CLOCK - DAY, CLOCK], "all of them", draw)._replace(size=len(told))]
        for number, one in enumerate(told, 1):
            row = _thread(number, [documents[number - 1].time], one.label, draw)
            rows.append(row._replace(state="live", died_at=None, top_words=[one.title], titles=[one.title]))
        threads.upsert_rows(connection, stream_id, rows)
        _finish(connection, stream_id, rows, len(documents))


def _settings() -> dict[str, object]:
    return StreamSettings.model_validate({"half_life": "5d"}).model_dump(mode="json")


def _thread(number: int, times: Sequence[int], label: str, draw: random.Random) -> ThreadRow:
    dies = times[-1] + 20 * DAY
    state = "dead" if dies < CLOCK else "live"
    return ThreadRow(
        thread=number,
        state=state,
        size=len(times),
        window_size=0,
        strength=draw.random() if state == "live" else 0.0,
        born_at=times[0],
        last_at=times[-1],
        died_at=dies if state == "dead" else None,
        merged_into=None,
        split_from=number - 1 if number % 50 == 49 else None,
        label=label,
        top_words=["hockey", "goal"],
        titles=[label],
        representative=None,
        version=1,
    )


def _assignment(seq: int, thread: int, time: int) -> AssignmentRow:
    compared = [Part(thread, 0.9, 1.5, -0.5, 0.0, [0, 1], [1.0, 4.0]), Part(thread + 1, 0.08, 1.0), Part(None, 0.02)]
    return AssignmentRow(seq, time, "settled", thread, 0.9, 1, json.dumps(WORDS), 1, parts.dump(compared))


def _finish(connection: Connection, stream_id: str, rows: Sequence[ThreadRow], documents: int) -> None:
    born = [NewEvent("thread.born", row.born_at, CLOCK, row.thread, None, None, 1) for row in rows]
    died = [NewEvent("thread.died", row.died_at, CLOCK, row.thread, None, None, 1) for row in rows if row.died_at]
    next_event = events.append(connection, stream_id, 1, [*born, *died])
    live = sum(row.state == "live" for row in rows)
    window = {"from": CLOCK - 30 * DAY, "to": CLOCK, "documents": 0}
    told = {"window": window, "alpha": 2.0, "half_life": HALF_LIFE, "strength": 50.0, "threads_live": live}
    changed = {
        "next_seq": documents + 1,
        "cursor": documents,
        "next_event": next_event,
        "model_version": 1,
        "clock": CLOCK,
        "statistics": json.dumps(told),
    }
    connection.execute(update(stream_table).where(stream_table.c.id == stream_id).values(changed))
