"""Random values that stay the same for the life of the database."""

import os

from sqlalchemy import Connection, select

from service.store.dialects import insert_missing
from service.store.tables import secrets

LENGTH = 32


def get(connection: Connection, name: str) -> bytes | None:
    value = connection.execute(select(secrets.c.value).where(secrets.c.name == name)).scalar_one_or_none()
    return None if value is None else bytes(value)


def get_or_create(connection: Connection, name: str) -> bytes:
    """The secret of that name; the first to ask (in a write) makes it, and all others get the same."""
    value = get(connection, name)
    if value is None:
        insert_missing(connection, secrets, {"name": name, "value": os.urandom(LENGTH)})
        value = get(connection, name)
    if value is None:
        raise LookupError(name)
    return value
