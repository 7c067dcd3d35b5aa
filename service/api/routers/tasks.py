"""Tasks: list, read."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from service.store import tasks

from .. import rows
from ..answers import Paging, reply
from ..context import Use
from ..operations import operation
from ..parameters import TaskPath
from ..rows import found
from ..schemas.service import Task, TaskPage

router = APIRouter()
Status = Annotated[Literal["enqueued", "processing", "succeeded", "failed"] | None, Query(description="In this state.")]
Type = Annotated[Literal["erasure", "stream_deletion"] | None, Query(alias="type", description="Of this type.")]


@router.get("/v1/tasks", **operation("tasks_list", "read", TaskPage))
def list_tasks(context: Use, pager: Paging, status: Status = None, kind: Type = None) -> Response:
    """List tasks, newest first."""
    after = (pager.after[0], pager.after[1]) if pager.after else None
    with context.database.read() as connection:
        page = tasks.list_page(connection, pager.fetch, after, status=status, kind=kind)
    return reply(TaskPage(**pager.page(page, rows.task, lambda row: [row.enqueued_at, row.id])))


@router.get("/v1/tasks/{task}", **operation("tasks_get", "read", Task))
def get_task(context: Use, task: TaskPath) -> Response:
    """Read a task."""
    with context.database.read() as connection:
        return reply(rows.task(found(tasks.get(connection, task))))
