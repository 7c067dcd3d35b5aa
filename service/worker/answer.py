"""Answering a question with the model of its stream."""

from typing import TYPE_CHECKING, Any

import structlog

import core
from service.engine.predict import predict
from service.store.problems import StoreError

from .ask import Question, RefusedError

if TYPE_CHECKING:
    from .loop import Worker

log = structlog.get_logger(__name__)


def answer(worker: "Worker", question: Question) -> None:
    """Set the question's answer, or the reason why there is none."""
    if not question.answer.set_running_or_notify_cancel():
        return
    try:
        question.answer.set_result(_predict(worker, question))
    except RefusedError as refusal:
        question.answer.set_exception(refusal)
    except (core.ArgumentError, KeyError, TypeError, ValueError) as error:
        question.answer.set_exception(RefusedError(422, f"the documents do not fit the stream: {error}"))
    except StoreError as error:
        question.answer.set_exception(RefusedError(503, str(error)))
    except Exception as error:
        log.error("question failed", stream=question.stream_id, exc_info=error)
        worker.held.pop(question.stream_id, None)
        question.answer.set_exception(RefusedError(500, "the worker failed on this question"))


def _predict(worker: "Worker", question: Question) -> dict[str, Any]:
    held = worker.hold(question.stream_id, wanted=True)
    if held is None:
        raise RefusedError(409, "another worker holds this stream, or it is gone")
    live = worker.stepper.live(held)
    if live is None:
        raise RefusedError(404, "no such stream")
    return {"model_version": held.model_version, "predictions": predict(live, question.documents, question.top)}
