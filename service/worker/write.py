"""A step of the model as rows of the database."""

import json
from collections import Counter
from collections.abc import Collection, Sequence

import orjson
from sqlalchemy import Connection

from service.engine.records import Record
from service.engine.step import Step
from service.store import assignments, documents, events, parts, paths, threads
from service.store.documents import DocumentRow, PendingRow
from service.store.spans import spans
from service.store.threads import ThreadRow
from service.text import TEXT_VERSION

TITLES = 4  # of a thread, for search
LABEL_WORDS = 4
TOP_WORDS = 8


def write_assignments(connection: Connection, stream_id: str, step: Step, version: int) -> None:
    """Documents placed, moved and settled."""
    rows = [
        assignments.AssignmentRow(
            placed.seq,
            placed.time,
            placed.state,
            placed.thread,
            placed.probability,
            version,
            None if placed.words is None else _dump_words(placed.words),
            None if placed.words is None else TEXT_VERSION,
            parts.dump(placed.parts),
        )
        for placed in step.placed.values()
    ]
    assignments.place(connection, stream_id, rows)
    moves = [
        assignments.Move(move.seq, move.thread, move.probability, version, parts.dump(move.parts))
        for move in step.moved.values()
    ]
    assignments.move(connection, stream_id, moves)
    if step.horizon is not None:
        assignments.settle_before(connection, stream_id, step.horizon)
    assignments.settle(connection, stream_id, step.settled)


def quarantine(connection: Connection, stream_id: str, document: PendingRow, reason: str, version: int) -> None:
    """The document is passed over, with the reason."""
    row = assignments.AssignmentRow(
        document.seq, document.time, "quarantined", None, None, version, None, None, None, reason
    )
    assignments.place(connection, stream_id, [row])


def write_events(connection: Connection, stream_id: str, step: Step, first: int, version: int, now: int) -> int:
    """Append what happened; returns the number of the next event."""
    rows = [
        events.NewEvent(h.type, h.occurred_at, now, h.thread, h.other, h.document, version) for h in step.happenings
    ]
    return events.append(connection, stream_id, first, rows)


def write_threads(connection: Connection, stream_id: str, step: Step, version: int) -> None:
    """Rows of the threads that changed."""
    numbers = [record.thread for record in step.threads]
    old = {row.thread: row for row in threads.by_numbers(connection, stream_id, numbers)}
    titles = {placed.seq: placed.title for placed in step.placed.values() if placed.title}
    named = {record.representative for record in step.threads if record.representative is not None}
    titles |= documents.titles(connection, stream_id, sorted(named - step.placed.keys()))
    rows = [_thread_row(record, old.get(record.thread), titles, version) for record in step.threads]
    threads.upsert_rows(connection, stream_id, [_named(connection, stream_id, row) for row in rows])
    paths.save(connection, stream_id, {record.thread: record.path for record in step.threads})


def _named(connection: Connection, stream_id: str, row: ThreadRow) -> ThreadRow:
    """The row; of a thread that died before the model described it, named by its documents."""
    if row.label or row.state != "dead" or not row.size:
        return row
    return _named_by(
        row, documents.list_page(connection, stream_id, thread=row.thread, limit=TITLES, newest_first=True)
    )


def rewrite_threads(connection: Connection, stream_id: str, numbers: Collection[int]) -> None:
    """Titles of threads anew from the documents they have left, after some were erased; without documents in the
    window also the rest that the model no longer knows."""
    reach = spans(connection, stream_id, numbers)
    for row in threads.by_numbers(connection, stream_id, sorted(numbers)):
        left = documents.list_page(connection, stream_id, thread=row.thread, limit=TITLES, newest_first=True)
        rewritten = row._replace(titles=[document.title for document in left if document.title])
        if not row.window_size:
            size, first, last = reach.get(row.thread, (0, row.born_at, row.last_at))
            rewritten = _named_by(rewritten, left)._replace(size=size, born_at=first, last_at=last)
        threads.upsert_rows(connection, stream_id, [rewritten])


def _named_by(row: ThreadRow, left: Sequence[DocumentRow]) -> ThreadRow:
    counts: Counter[str] = Counter()
    for document in left:
        counts.update(json.loads(document.words or "{}"))
    words = [word for word, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:TOP_WORDS]]
    label = row.titles[0] if row.titles else " ".join(words[:LABEL_WORDS])
    return row._replace(label=label, top_words=words, representative=left[0].seq if left else None)


def _thread_row(record: Record, old: ThreadRow | None, titles: dict[int, str], version: int) -> ThreadRow:
    words = record.top_words if record.top_words is not None else old.top_words if old else []
    strength = record.strength if record.strength is not None else old.strength if old else float(record.window_size)
    own = [titles[seq] for seq in (record.representative, *reversed(record.recent)) if seq in titles]
    kept = list(dict.fromkeys([*own, *(old.titles if old else [])]))[:TITLES]
    if record.representative is None and old is not None:
        label, representative = old.label, old.representative
    else:
        representative = record.representative or next(iter(record.recent), None)
        label = titles.get(representative or 0) or " ".join(words[:LABEL_WORDS])
    return ThreadRow(
        record.thread,
        record.state,
        record.size,
        record.window_size,
        strength,
        record.born_at,
        record.last_at,
        record.died_at,
        record.merged_into,
        record.split_from,
        label,
        list(words),
        kept,
        representative,
        version,
    )


def _dump_words(words: dict[str, int]) -> str:
    """In their own order, to which the parts of the score refer."""
    return orjson.dumps(words, option=orjson.OPT_SORT_KEYS).decode()
