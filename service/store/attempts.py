"""How often a document was tried, written before each try, so that a crash counts too."""

from collections.abc import Sequence

from sqlalchemy import Connection, Table, delete, select, update
from sqlalchemy.sql.elements import ColumnElement

from service.store import streams as stream_rows
from service.store.dialects import insert_missing
from service.store.problems import Conflict, NotFound
from service.store.tables import assignments, attempts, documents, streams


def record(connection: Connection, stream_id: str, seq: int, error: str | None = None) -> int:
    """One try more; returns how many there were."""
    own = _own(attempts, stream_id, seq)
    first = {"stream_id": stream_id, "seq": seq, "count": 1, "error": error}
    if not insert_missing(connection, attempts, first):
        more = {"count": attempts.c["count"] + 1, "error": error}
        connection.execute(update(attempts).where(*own).values(more))
    return int(connection.execute(select(attempts.c["count"]).where(*own)).scalar_one())


def note(connection: Connection, stream_id: str, seq: int, error: str) -> None:
    """Say why the last try failed."""
    own = _own(attempts, stream_id, seq)
    connection.execute(update(attempts).where(*own).values(error=error))


def reason(connection: Connection, stream_id: str, seq: int) -> str | None:
    """Why the last try failed, if it was noted."""
    query = select(attempts.c.error).where(*_own(attempts, stream_id, seq))
    return connection.execute(query).scalar_one_or_none()


def counts(connection: Connection, stream_id: str) -> dict[int, int]:
    query = select(attempts.c.seq, attempts.c["count"]).where(attempts.c.stream_id == stream_id)
    return {row.seq: row[1] for row in connection.execute(query)}


def clear(connection: Connection, stream_id: str, seqs: Sequence[int]) -> None:
    connection.execute(delete(attempts).where(attempts.c.stream_id == stream_id, attempts.c.seq.in_(seqs)))


def retry(connection: Connection, stream_id: str, seq: int, now: int) -> int:
    """Let a quarantined document arrive again, with a new sequence number, which is returned."""
    stream = stream_rows.lock(connection, stream_id)
    document = _own(documents, stream_id, seq)
    state = select(assignments.c.state).where(*_own(assignments, stream_id, seq))
    if connection.execute(select(documents.c.seq).where(*document, documents.c.id.is_not(None))).first() is None:
        raise NotFound("document")
    if connection.execute(state).scalar_one_or_none() != "quarantined":
        raise Conflict("not_quarantined", "only a quarantined document can be tried again")
    for table in (assignments, attempts):
        connection.execute(delete(table).where(*_own(table, stream_id, seq)))
    connection.execute(update(documents).where(*document).values(seq=stream.next_seq, arrived_at=now))
    moved = {"next_seq": stream.next_seq + 1, "last_arrival_at": now, "removed": stream.removed + 1}
    connection.execute(update(streams).where(streams.c.id == stream_id).values(moved))
    return stream.next_seq


def _own(table: Table, stream_id: str, seq: int) -> tuple[ColumnElement[bool], ...]:
    return table.c.stream_id == stream_id, table.c.seq == seq
