"""Predictions: which thread a document would join, without storing it."""

from typing import Any

from pydantic import ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from .base import Answer, Body, Count
from .documents import Content, limits_of

QUESTION: dict[str, Any] = {
    "documents": [{"time": "2026-03-02T09:00:00Z", "text": "Landing of the shuttle on Friday?"}],
    "top": 3,
}


class Question(Body):
    """Documents to predict."""

    model_config = ConfigDict(title="Question", json_schema_extra={"examples": [QUESTION]})

    documents: list[Content] = Field(min_length=1)
    top: Count = Field(5, ge=1, le=50, description="Most threads to name for each document.")

    @field_validator("documents", mode="before")
    @classmethod
    def _few_enough(cls, documents: Any, info: ValidationInfo) -> Any:
        most = limits_of(info).prediction_documents
        if isinstance(documents, list) and len(documents) > most:
            raise PydanticCustomError("too_long", "must have at most {most} documents", {"most": most})
        return documents


class Share(Answer):
    """The probability of one thread."""

    thread_id: str
    probability: float


class Prediction(Answer):
    """Probabilities of threads, of a new one and of all others; they sum to 1."""

    threads: list[Share]
    new: float = Field(description="Probability of a new thread.")
    other: float = Field(description="Probability of the threads that are not named.")
    log_p: float | None = Field(description="Log probability per token; for vectors the log density.")
    tokens: int


class Predictions(Answer):
    """One prediction for each document, in the same order."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "model_version": 44,
                    "predictions": [
                        {
                            "threads": [{"thread_id": "thr_12", "probability": 0.9}],
                            "new": 0.08,
                            "other": 0.02,
                            "log_p": -6.1,
                            "tokens": 3,
                        }
                    ],
                }
            ]
        }
    )

    model_version: int
    predictions: list[Prediction]
