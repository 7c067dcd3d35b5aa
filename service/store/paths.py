"""How the words of evolving threads moved: those of each epoch."""

import json
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Connection, delete, select

from service.store.dialects import upsert
from service.store.tables import paths

Path = Sequence[tuple[int, list[str]]]  # when an epoch begins, and the words then


def save(connection: Connection, stream_id: str, moved: Mapping[int, Path]) -> None:
    """Epochs that are not named stay as they were."""
    rows = [
        {"stream_id": stream_id, "thread": thread, "time": time, "words": json.dumps(words, ensure_ascii=False)}
        for thread, path in moved.items()
        for time, words in path
    ]
    if rows:
        upsert(connection, paths, rows)


def load(connection: Connection, stream_id: str, thread: int) -> list[tuple[int, list[str]]]:
    """In the order of time."""
    own = (paths.c.stream_id == stream_id, paths.c.thread == thread)
    rows = connection.execute(select(paths.c.time, paths.c.words).where(*own).order_by(paths.c.time))
    return [(row.time, json.loads(row.words)) for row in rows]


def forget(connection: Connection, stream_id: str, threads: Collection[int]) -> None:
    """Documents of these threads were erased."""
    own = (paths.c.stream_id == stream_id, paths.c.thread.in_(sorted(threads)))
    connection.execute(delete(paths).where(*own))
