"""Documents: read, list, erase, replace, try again."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from service.errors import FieldError, invalid
from service.store import attempts, documents, streams

from .. import rows
from ..answers import Paging, reply
from ..context import Use
from ..ids import thread_number
from ..ingest import check_all, require_space, store_all
from ..operations import json_body, operation
from ..parameters import DocumentPath, FromTime, StreamPath, ThreadFilter, ToTime
from ..rows import found
from ..schemas.documents import Document, DocumentIds, DocumentPage, Replacement
from ..schemas.outcomes import Ingested
from ..schemas.tasks import Task
from ..tasks import task_reply
from .ingest import ingested

router = APIRouter()
ALL = "/v1/streams/{stream}/documents"
ONE = f"{ALL}/{{document}}"
State = Annotated[
    Literal["pending", "provisional", "settled", "late", "quarantined"] | None, Query(description="In this state.")
]
Order = Annotated[Literal["oldest", "newest"], Query(description="By event time.")]


@router.get(ALL, **operation("documents_list", "read", DocumentPage))
def list_documents(
    context: Use,
    stream: StreamPath,
    pager: Paging,
    time_from: FromTime = None,
    time_to: ToTime = None,
    thread: ThreadFilter = None,
    state: State = None,
    order: Order = "oldest",
) -> Response:
    """List documents by event time, of a thread or in a state.

    `state=quarantined` shows those that the model could not take, with the reason.
    """
    with context.database.read() as connection:
        row = found(streams.find(connection, stream))
        page = documents.list_page(
            connection,
            row.id,
            time_from=time_from,
            time_to=time_to,
            thread=thread_number(thread),
            state=state,
            limit=pager.fetch,
            after=(pager.after[0], pager.after[1]) if pager.after else None,
            newest_first=order == "newest",
        )
    return reply(DocumentPage(**pager.page(page, rows.document, lambda item: [item.time, item.seq])))


@router.get(ONE, **operation("documents_get", "read", Document))
def get_document(context: Use, stream: StreamPath, document: DocumentPath) -> Response:
    """Read a document, its state and its thread."""
    with context.database.read() as connection:
        row = found(streams.find(connection, stream))
        return reply(rows.document(found(documents.get(connection, row.id, document))))


@router.put(ONE, **operation("documents_replace", "ingest", Ingested, 409, 507, status=202, sends=(Replacement,)))
def replace_document(
    context: Use,
    stream: StreamPath,
    document: DocumentPath,
    new: Annotated[Replacement, Depends(json_body(Replacement))],
) -> Response:
    """Replace a document, or store it if there is none.

    The old content is erased; the new one arrives as a new document under the same id.
    """
    if new.id not in (None, document):
        raise invalid([FieldError("#/id", "id_mismatch", "must be the id in the path, or left out")])
    require_space(context)
    with context.database.write() as connection:
        row = found(streams.find(connection, stream))
        content = [new.model_copy(update={"id": document})]
        check_all(content, row, context, batch=False)
        outcomes = store_all(connection, context, row, content, "replace", batch=False)
    return reply(ingested(context, outcomes), 202)


@router.delete(ONE, **operation("documents_delete", "ingest", Task, status=202))
def delete_document(context: Use, stream: StreamPath, document: DocumentPath) -> Response:
    """Erase a document: its text, words, counts and labels.

    Nobody can read it from now on; the task takes it out of the model and of the files.
    """
    with context.database.write() as connection:
        row = found(streams.find(connection, stream))
        found(documents.get(connection, row.id, document))
        return task_reply(connection, documents.request_erasure(connection, row.id, [document], context.clock()))


@router.post(f"{ALL}/delete", **operation("documents_erase", "ingest", Task, status=202, sends=(DocumentIds,)))
def erase_documents(
    context: Use, stream: StreamPath, wanted: Annotated[DocumentIds, Depends(json_body(DocumentIds))]
) -> Response:
    """Erase several documents; ids that are not there are passed over."""
    with context.database.write() as connection:
        row = found(streams.find(connection, stream))
        return task_reply(connection, documents.request_erasure(connection, row.id, wanted.ids, context.clock()))


@router.post(f"{ONE}/retry", **operation("documents_retry", "manage", Document, 409, status=202))
def retry_document(context: Use, stream: StreamPath, document: DocumentPath) -> Response:
    """Let a quarantined document arrive again."""
    with context.database.write() as connection:
        row = found(streams.find(connection, stream))
        before = found(documents.get(connection, row.id, document))
        attempts.retry(connection, row.id, before.seq, context.clock())
        return reply(rows.document(found(documents.get(connection, row.id, document))), 202)
