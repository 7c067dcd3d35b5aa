"""Tasks: work that a caller asked for and that goes on after the answer."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, tuple_, update

from service import times
from service.ids import new_id
from service.store.tables import tasks

UNFINISHED = ("enqueued", "processing")


class TaskRow(NamedTuple):
    """progress: 0 to 1."""

    id: str
    type: str
    status: str
    stream_id: str | None
    details: dict[str, Any]
    error: str | None
    enqueued_at: int
    started_at: int | None
    finished_at: int | None
    progress: float


COLUMNS = tuple(tasks.c[name] for name in TaskRow._fields)


def enqueue(connection: Connection, kind: str, stream_id: str, details: Mapping[str, Any]) -> str:
    task = TaskRow(new_id("tsk"), kind, "enqueued", stream_id, dict(details), None, times.now(), None, None, 0.0)
    connection.execute(tasks.insert(), task._asdict() | {"details": json.dumps(task.details)})
    return task.id


def get(connection: Connection, task_id: str) -> TaskRow | None:
    row = connection.execute(select(*COLUMNS).where(tasks.c.id == task_id)).one_or_none()
    return None if row is None else task_of(row)


def result(connection: Connection, task_id: str) -> Any:
    """What a job found, or None."""
    found = connection.execute(select(tasks.c.result).where(tasks.c.id == task_id)).scalar_one_or_none()
    return None if found is None else json.loads(found)


def list_page(
    connection: Connection,
    limit: int,
    after: tuple[int, str] | None = None,
    *,
    status: str | None = None,
    kind: str | None = None,
    stream_id: str | None = None,
) -> list[TaskRow]:
    """Newest first; after: (enqueued_at, id) of the last one seen."""
    query = select(*COLUMNS).order_by(tasks.c.enqueued_at.desc(), tasks.c.id.desc()).limit(limit)
    for column, value in ((tasks.c.status, status), (tasks.c.type, kind), (tasks.c.stream_id, stream_id)):
        if value is not None:
            query = query.where(column == value)
    if after is not None:
        query = query.where(tuple_(tasks.c.enqueued_at, tasks.c.id) < after)
    return [task_of(row) for row in connection.execute(query)]


def start(connection: Connection, task_id: str) -> None:
    """A task that begins again after a crash keeps its first start."""
    waiting = (tasks.c.id == task_id, tasks.c.status == "enqueued")
    connection.execute(update(tasks).where(*waiting).values(status="processing", started_at=times.now()))


def report(connection: Connection, task_id: str, details: Mapping[str, Any]) -> None:
    connection.execute(update(tasks).where(tasks.c.id == task_id).values(details=json.dumps(dict(details))))


def finish(connection: Connection, task_id: str) -> None:
    values = {"status": "succeeded", "finished_at": times.now(), "progress": 1.0}
    connection.execute(update(tasks).where(tasks.c.id == task_id).values(values))


def fail(connection: Connection, task_id: str, error: str) -> None:
    values = {"status": "failed", "finished_at": times.now(), "error": error}
    connection.execute(update(tasks).where(tasks.c.id == task_id).values(values))


def next_deletion(connection: Connection) -> TaskRow | None:
    """The oldest stream deletion that is not finished; two workers may share it."""
    unfinished = (tasks.c.type == "stream_deletion", tasks.c.status.in_(UNFINISHED))
    row = connection.execute(select(*COLUMNS).where(*unfinished).order_by(tasks.c.enqueued_at).limit(1)).one_or_none()
    return None if row is None else task_of(row)


def task_of(row: Iterable[Any]) -> TaskRow:
    """The columns as a task."""
    task = TaskRow._make(row)
    return task._replace(details=json.loads(str(task.details)))
