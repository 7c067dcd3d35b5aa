"""Tasks: list, read, cancel."""

from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.responses import Response

from service.store import jobs, tasks

from .. import rows
from ..answers import Paging, reply
from ..context import Use
from ..operations import operation
from ..parameters import TaskPath
from ..rows import found
from ..schemas.tasks import Kind, Status, TaskDetail, TaskPage

router = APIRouter()
ONE = "/v1/tasks/{task}"
StatusFilter = Annotated[Status | None, Query(description="In this state.")]
KindFilter = Annotated[Kind | None, Query(alias="type", description="Of this type.")]


@router.get("/v1/tasks", **operation("tasks_list", "read", TaskPage))
def list_tasks(context: Use, pager: Paging, status: StatusFilter = None, kind: KindFilter = None) -> Response:
    """List tasks, newest first, without what they found."""
    after = (pager.after[0], pager.after[1]) if pager.after else None
    with context.database.read() as connection:
        page = tasks.list_page(connection, pager.fetch, after, status=status, kind=kind)
    return reply(TaskPage(**pager.page(page, rows.task, lambda row: [row.enqueued_at, row.id])))


@router.get(ONE, **operation("tasks_get", "read", TaskDetail))
def get_task(context: Use, task: TaskPath) -> Response:
    """Read a task, its progress and what it found."""
    with context.database.read() as connection:
        return reply(_detail(connection, task))


@router.post(f"{ONE}/cancel", **operation("tasks_cancel", "manage", TaskDetail, 409))
def cancel_task(context: Use, task: TaskPath) -> Response:
    """Cancel topics or a comparison that is not finished.

    Erasures and deletions go on: what they remove is out of reach already.
    """
    with context.database.write() as connection:
        jobs.cancel(connection, found(tasks.get(connection, task)))
        return reply(_detail(connection, task))


def _detail(connection: Connection, task: str) -> TaskDetail:
    row = found(tasks.get(connection, task))
    return TaskDetail.model_validate(row._asdict() | {"result": tasks.result(connection, task)})
