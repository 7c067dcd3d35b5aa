"""Jobs: tasks that a process of their own computes. A job belongs to one owner at a time, for as long as its lease."""

import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select, update

from service import times
from service.store.owners import is_dead
from service.store.problems import Conflict
from service.store.tables import streams, tasks
from service.store.tasks import COLUMNS, UNFINISHED, TaskRow, task_of

KINDS = ("topics", "comparison")
ATTEMPTS = 3  # that end without a word, after which a job has failed
JOB = tasks.c.type.in_(KINDS)


class Lost(Exception):
    """The job is no longer this process's: it was canceled, or another has taken it up."""


class Job(NamedTuple):
    """A task at work, and the erasures of its stream up to then: what is found must not outlive its documents."""

    task: TaskRow
    erased: int


def waiting(connection: Connection, now: int) -> bool:
    """Whether there is a job that may be taken."""
    return bool(_free(connection, now))


def unfinished(connection: Connection, stream_id: str) -> int:
    """How many jobs of a stream wait or are at work."""
    own = (JOB, tasks.c.stream_id == stream_id, tasks.c.status.in_(UNFINISHED))
    return connection.execute(select(func.count()).select_from(tasks).where(*own)).scalar_one()


def take(connection: Connection, owner: str, ttl: int, now: int) -> Job | None:
    """The oldest free job, now this owner's. One that was taken too often without coming to an end has failed."""
    for row, attempts in _free(connection, now):
        erased = _erased(connection, row.stream_id)
        if attempts >= ATTEMPTS or erased is None:
            reason = f"it crashed {attempts} times" if erased is not None else "the stream was deleted"
            _end(connection, row.id, "failed", error=reason)
            continue
        taken = {
            "status": "processing",
            "started_at": row.started_at or times.now(),
            "attempts": attempts + 1,
            "owner": owner,
            "lease_expires_at": now + ttl,
        }
        same = (tasks.c.id == row.id, tasks.c.status == row.status, tasks.c.attempts == attempts)
        if connection.execute(update(tasks).where(*same).values(taken)).rowcount:
            return Job(row._replace(status="processing"), erased)
    return None


def beat(connection: Connection, job: Job, owner: str, progress: float, ttl: int, now: int) -> None:
    """Tell how far it is and keep it. Raises Lost."""
    _write(connection, job, owner, {"progress": progress, "lease_expires_at": now + ttl})


def succeed(connection: Connection, job: Job, owner: str, result: Any) -> None:
    """Store what was found, unless documents were erased meanwhile. Raises Lost."""
    if _erased(connection, job.task.stream_id) != job.erased:
        fail(connection, job, owner, "documents were erased while it ran; start it again")
        return
    text = json.dumps(result, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    ended = {"status": "succeeded", "finished_at": times.now(), "progress": 1.0, "result": text, "owner": None}
    _write(connection, job, owner, ended)


def fail(connection: Connection, job: Job, owner: str, error: str) -> None:
    """It cannot be done. Raises Lost."""
    _write(connection, job, owner, {"status": "failed", "finished_at": times.now(), "error": error, "owner": None})


def give_back(connection: Connection, job: Job, owner: str) -> None:
    """The owner stops; another may begin it again, and no attempt counts. Raises Lost."""
    free = {"status": "enqueued", "attempts": tasks.c.attempts - 1, "owner": None, "lease_expires_at": 0}
    _write(connection, job, owner, free)


def cancel(connection: Connection, task: TaskRow) -> None:
    """Stop a job that is not finished; nothing happens to one that was canceled. Raises Conflict for other tasks."""
    if task.type not in KINDS:
        raise Conflict("not_cancelable", "an erasure or a deletion cannot be taken back")
    still = (tasks.c.id == task.id, tasks.c.status.in_((*UNFINISHED, "canceled")))
    ended = {"status": "canceled", "finished_at": func.coalesce(tasks.c.finished_at, times.now()), "owner": None}
    if not connection.execute(update(tasks).where(*still).values(ended)).rowcount:
        raise Conflict("task_finished", "the task has ended already")


def forget(connection: Connection, stream_id: str) -> None:
    """What was found in a stream goes, because documents of it do."""
    own = (JOB, tasks.c.stream_id == stream_id, tasks.c.result.is_not(None))
    connection.execute(update(tasks).where(*own).values(result=None, error="documents were erased; start it again"))


def _free(connection: Connection, now: int) -> list[tuple[TaskRow, int]]:
    """Jobs to take with their attempts so far, oldest first: those that wait, and those whose owner is gone."""
    columns = (*COLUMNS, tasks.c.attempts, tasks.c.owner, tasks.c.lease_expires_at)
    query = select(*columns).where(JOB, tasks.c.status.in_(UNFINISHED)).order_by(tasks.c.enqueued_at, tasks.c.id)
    return [
        (task_of(row[: len(COLUMNS)]), row.attempts)
        for row in connection.execute(query)
        if row.status == "enqueued" or row.lease_expires_at <= now or (row.owner and is_dead(row.owner))
    ]


def _erased(connection: Connection, stream_id: str | None) -> int | None:
    """How many documents of the stream were erased or are to be; None if it is gone."""
    count = select(streams.c.removed + streams.c.pending_erasures)
    query = count.where(streams.c.id == stream_id, streams.c.name.is_not(None))
    return connection.execute(query).scalar_one_or_none()


def _write(connection: Connection, job: Job, owner: str, values: dict[str, Any]) -> None:
    mine = (tasks.c.id == job.task.id, tasks.c.status == "processing", tasks.c.owner == owner)
    if not connection.execute(update(tasks).where(*mine).values(values)).rowcount:
        raise Lost


def _end(connection: Connection, task_id: str, status: str, *, error: str) -> None:
    values = {"status": status, "finished_at": times.now(), "error": error, "owner": None}
    connection.execute(update(tasks).where(tasks.c.id == task_id).values(values))
