"""Statements that SQLite and PostgreSQL want differently."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ARRAY, Connection, Row, Select, Table, func, literal, select, text, true
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.elements import ColumnElement

Record = Row[*tuple[Any, ...]]
Query = Select[*tuple[Any, ...]]


def upsert(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows; one that is there already gets the new values of all columns."""
    if not rows:
        return
    insert = _insert(connection, table)
    changed = {name: insert.excluded[name] for name in rows[0] if not table.c[name].primary_key}
    connection.execute(insert.on_conflict_do_update(index_elements=list(table.primary_key), set_=changed), rows)


def insert_missing(connection: Connection, table: Table, row: dict[str, Any]) -> bool:
    """Insert a row unless its key (or another unique value of it) is there already; whether it was inserted."""
    insert = _insert(connection, table).on_conflict_do_nothing().execution_options(preserve_rowcount=True)
    return connection.execute(insert, row).rowcount == 1


def one_each(connection: Connection, query: Query, column: ColumnElement[Any], values: Sequence[Any]) -> Query:
    """The query, for rows that have one of the values in a column that is unique in it; each is looked up by its index.

    PostgreSQL, before it has gathered statistics, would rather read the whole stream for a long IN.
    """
    if connection.dialect.name == "sqlite":
        asked = func.json_each(json.dumps(values)).table_valued("value")  # one parameter, however many values
        return query.where(column.in_(select(asked.c.value)))
    listed = func.unnest(literal(values, ARRAY(column.type))).table_valued("value").render_derived()
    each = query.where(column == listed.c.value).limit(1).lateral()
    return select(*each.c).select_from(listed.join(each, true()))


def unhurried(connection: Connection) -> None:
    """Lift the limit on the time of one statement, for this transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL statement_timeout = 0"))


def _insert(connection: Connection, table: Table) -> "sqlite.Insert | postgresql.Insert":
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)
