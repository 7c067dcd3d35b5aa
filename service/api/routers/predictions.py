"""Predictions: which thread would take a document; nothing is stored."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from service.errors import invalid
from service.ids import thread_id
from service.store import streams

from ..answers import reply
from ..asking import ask
from ..context import Use
from ..ingest import Checker
from ..operations import json_body, operation
from ..parameters import StreamPath
from ..rows import found
from ..schemas.predictions import Prediction, Predictions, Question, Share

router = APIRouter()


@router.post(
    "/v1/streams/{stream}/predictions", **operation("predictions_create", "read", Predictions, sends=(Question,))
)
def predict(context: Use, stream: StreamPath, question: Annotated[Question, Depends(json_body(Question))]) -> Response:
    """Predict the threads of documents without storing them."""
    with context.database.read() as connection:
        row = found(streams.find(connection, stream))
    checker = Checker(row, context)
    faults = [
        fault
        for index, document in enumerate(question.documents)
        for fault in checker.check(document, ("documents", index))
    ]
    if faults:
        raise invalid(faults[:20])
    documents = [document.model_dump(mode="python") for document in question.documents]
    answer = ask(context, row, {"documents": documents, "top": question.top})
    predictions = [_prediction(item) for item in answer["predictions"]]
    return reply(Predictions(model_version=answer["model_version"], predictions=predictions))


def _prediction(item: dict[str, Any]) -> Prediction:
    return Prediction(
        threads=[
            Share(thread_id=thread_id(part["thread"]), probability=part["probability"]) for part in item["threads"]
        ],
        new=item["new"],
        other=item["other"],
        log_p=item["log_p"],
        tokens=item["tokens"],
    )
