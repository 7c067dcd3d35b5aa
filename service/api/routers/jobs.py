"""Jobs over the documents of a stream: topics, and comparisons of models."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from sqlalchemy import Connection
from starlette.responses import Response

from service.errors import FieldError, TooMany, invalid
from service.store import jobs, streams, tasks
from service.store.streams import StreamRow

from ..context import Use
from ..merging import merged, stored_settings, suiting
from ..operations import json_body, operation
from ..parameters import StreamPath
from ..rows import found
from ..schemas.comparisons import NewComparison
from ..schemas.tasks import Task
from ..schemas.topics import NewTopics
from ..tasks import task_reply

router = APIRouter()
ONE = "/v1/streams/{stream}"
WAITING = 8  # jobs of one stream that are not finished
CONTENT = ("kind", "dimensions", "noise", "spread")  # of a stream, what its documents are made of


@router.post(f"{ONE}/topics", **operation("topics_create", "manage", Task, status=202, sends=(NewTopics,)))
def find_topics(
    context: Use, stream: StreamPath, wanted: Annotated[NewTopics, Depends(json_body(NewTopics))]
) -> Response:
    """Find the topics of a stream's documents in a span of time.

    A task: follow it at its `Location`, where its result appears. At most the newest documents of the span are read, as
    many as the limit `task_documents` says.
    """
    with context.database.write() as connection:
        row = found(streams.find(connection, stream))
        if row.settings.get("kind") == "vectors":
            raise invalid([FieldError("#", "text_required", "topics are made of words, and this stream takes vectors")])
        return _enqueue(connection, row, "topics", wanted.model_dump(mode="json", by_alias=True))


@router.post(
    f"{ONE}/comparisons", **operation("comparisons_create", "manage", Task, status=202, sends=(NewComparison,))
)
def compare(
    context: Use, stream: StreamPath, wanted: Annotated[NewComparison, Depends(json_body(NewComparison))]
) -> Response:
    """Run a second model over the window of a stream and compare it with the stream's own.

    Both models run anew over the same documents. The task's result tells how well each predicts documents that it has
    not seen, how many threads it finds, and how far they agree.
    """
    with context.database.write() as connection:
        row = found(streams.find(connection, stream))
        base = stored_settings(row.settings)
        settings = merged(suiting(base, wanted.settings), wanted.settings, context.settings)
        faults = [
            FieldError(
                f"#/settings/{name}", "setting_fixed", "must be that of the stream: its documents are of one kind"
            )
            for name in CONTENT
            if settings[name] != base[name]
        ]
        if faults:
            raise invalid(faults)
        return _enqueue(connection, row, "comparison", wanted.model_dump(mode="json") | {"settings": settings})


def _enqueue(connection: Connection, row: StreamRow, kind: str, details: dict[str, Any]) -> Response:
    if jobs.unfinished(connection, row.id) >= WAITING:
        raise TooMany(
            f"{WAITING} topics or comparisons of this stream are not finished; wait for one or cancel it.",
            code="too_many_tasks",
            retry_after_s=10,
        )
    return task_reply(connection, tasks.enqueue(connection, kind, row.id, details))
