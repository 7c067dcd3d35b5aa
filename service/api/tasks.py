"""Answers that name a task."""

from sqlalchemy import Connection
from starlette.responses import Response

from service.store import tasks

from . import rows
from .answers import reply


def task_reply(connection: Connection, task_id: str) -> Response:
    """202 with the task and where to follow it."""
    row = rows.found(tasks.get(connection, task_id))
    return reply(rows.task(row), 202, {"Location": f"/v1/tasks/{task_id}"})
