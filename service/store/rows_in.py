"""Rows of documents, inserted the fastest way that each database has."""

from collections.abc import Sequence
from itertools import chain

from sqlalchemy import Connection

Row = tuple[str, int, int, str | None, int, str | None, str | None, str | None, bytes | None, str | None, bytes]
"""stream_id, seq, arrived_at, and then the fields of a NewDocument"""

TOGETHER = 100  # rows of one statement on SQLite: the driver stops all other threads between two statements
SQLITE = (
    "INSERT INTO documents (stream_id, seq, arrived_at, id, time, title, author, text, vector, metadata, digest)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
SQLITE_TOGETHER = SQLITE + ", (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" * (TOGETHER - 1)
POSTGRES = (
    "INSERT INTO documents (stream_id, seq, arrived_at, id, time, title, author, text, vector, metadata, digest)"
    " SELECT * FROM unnest(%b::text[], %b::bigint[], %b::bigint[], %b::text[], %b::bigint[], %b::text[], %b::text[],"
    " %b::text[], %b::bytea[], %b::text[], %b::bytea[])"
)
AT_ONCE = 5_000


def insert_documents(connection: Connection, rows: Sequence[Row]) -> None:
    if connection.dialect.name == "sqlite":
        _insert_sqlite(connection, rows)
        return
    for start in range(0, len(rows), AT_ONCE):  # one array for each column
        columns = tuple(map(list, zip(*rows[start : start + AT_ONCE], strict=True)))
        connection.exec_driver_sql(POSTGRES, columns)


def _insert_sqlite(connection: Connection, rows: Sequence[Row]) -> None:
    even = len(rows) - len(rows) % TOGETHER
    for start in range(0, even, TOGETHER):
        connection.exec_driver_sql(SQLITE_TOGETHER, tuple(chain.from_iterable(rows[start : start + TOGETHER])))
    if even < len(rows):
        connection.exec_driver_sql(SQLITE, list(rows[even:]))
