"""Assignments: the current thread of each document, and why."""

import json
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.responses import Response

from service.errors import Conflicting
from service.spellings import read_spellings
from service.store import assignments, documents, parts, streams
from service.store.assignments import Assigned
from service.store.documents import DocumentRow
from service.store.parts import Part
from service.store.streams import StreamRow
from service.text import spelled

from .. import rows
from ..answers import Paging, reply
from ..context import Use
from ..ids import thread_number
from ..operations import operation
from ..parameters import DocumentPath, StreamPath, ThreadFilter, Whole
from ..rows import found
from ..schemas.assignments import Assignment, AssignmentPage, Candidate, Why, WordShare

router = APIRouter()
ONE = "/v1/streams/{stream}/documents/{document}"
ChangedSince = Annotated[
    int | None,
    Query(ge=0, le=10**15, description="Only documents that a later model version put where they are."),
    Whole,
]


@router.get("/v1/streams/{stream}/assignments", **operation("assignments_list", "read", AssignmentPage))
def list_assignments(
    context: Use,
    stream: StreamPath,
    pager: Paging,
    thread: ThreadFilter = None,
    changed_since: ChangedSince = None,
) -> Response:
    """List the current thread of each document in order of arrival."""
    with context.database.read() as connection:
        row: StreamRow = found(streams.find(connection, stream))
        after = pager.after[0] if pager.after else 0
        page = assignments.list_page(connection, row.id, pager.fetch, after, thread_number(thread), changed_since)
    fields = pager.page(page, lambda item: rows.assignment(item, row.model_version), lambda item: [item.seq])
    return reply(AssignmentPage(**fields))


@router.get(f"{ONE}/assignment", **operation("assignments_get", "read", Assignment, 409))
def get_assignment(context: Use, stream: StreamPath, document: DocumentPath) -> Response:
    """Read the thread of a document with its probability and alternatives.

    409 while the document still waits for the worker.
    """
    with context.database.read() as connection:
        row, _, item = _assigned(connection, stream, document)
    return reply(rows.assignment(item, row.model_version))


@router.get(f"{ONE}/why", **operation("assignments_why", "read", Why, 409))
def why(context: Use, stream: StreamPath, document: DocumentPath) -> Response:
    """Read which words, how much time and how much size spoke for the thread, against the next two."""
    with context.database.read() as connection:
        row, known, item = _assigned(connection, stream, document)
    read_spellings(row, [known])
    words = [spelled(word) for word in json.loads(known.words or "{}")]
    candidates = [_candidate(part, words) for part in parts.load(item.parts)]
    return reply(Why(document_id=item.id, thread_id=rows.thread_name(item.thread), candidates=candidates))


def _assigned(connection: Connection, stream: str, document: str) -> tuple[StreamRow, DocumentRow, Assigned]:
    row = found(streams.find(connection, stream))
    known: DocumentRow = found(documents.get(connection, row.id, document))
    item = assignments.get(connection, row.id, known.seq)
    if item is None:
        raise Conflicting("The document still waits for the worker; ask again.", code="pending")
    return row, known, item


def _candidate(part: Part, words: Sequence[str]) -> Candidate:
    shares = sorted(zip(part.places, part.nats, strict=True), key=lambda share: (-abs(share[1]), share[0]))
    return Candidate(
        thread_id=rows.thread_name(part.thread),
        probability=part.probability,
        score=part.prior + part.length + part.rest + sum(part.nats),
        size_and_time=part.prior,
        length=part.length,
        words=[WordShare(word=words[place], nats=nats) for place, nats in shares],
        other_words=part.rest,
    )
