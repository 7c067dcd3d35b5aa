"""Comparisons: two models over the same documents."""

from typing import Any

from pydantic import ConfigDict, Field

from .base import Answer, Body, Count, Moment

AGREEMENT: dict[str, Any] = {"variation_of_information": 0.31, "nmi": 0.93, "ari": 0.81}
COMPARISON: dict[str, Any] = {
    "kind": "comparison",
    "from": "2026-01-31T08:14:00.000000Z",
    "to": "2026-03-02T08:14:00.000000Z",
    "documents": 611,
    "held_out_documents": 122,
    "models": [
        {
            "model": "tdpm",
            "threads": 41,
            "alpha": 4.1,
            "half_life_seconds": 259200.0,
            "strength": 120.5,
            "held_out_per_document": -310.2,
            "held_out_per_token": -7.41,
            "agreement_with_stream": AGREEMENT,
        },
        {
            "model": "crp",
            "threads": 29,
            "alpha": 3.0,
            "half_life_seconds": None,
            "strength": 101.0,
            "held_out_per_document": -316.9,
            "held_out_per_token": -7.57,
            "agreement_with_stream": AGREEMENT,
        },
    ],
    "agreement": AGREEMENT,
}


class NewComparison(Body):
    """A second model to run over the window of a stream, beside the stream's own."""

    model_config = ConfigDict(
        title="NewComparison", json_schema_extra={"examples": [{"settings": {"model": "crp"}, "held_out": 0.2}]}
    )

    settings: dict[str, Any] = Field(
        description="Where the second model differs from the stream's settings, as a merge patch."
    )
    held_out: float = Field(0.2, ge=0.05, le=0.5, description="Share of the newest documents to predict from the rest.")
    sweeps: Count = Field(60, ge=6, le=1_000, description="Gibbs passes of each model.")


class Agreement(Answer):
    """How alike two ways to group the same documents are."""

    variation_of_information: float = Field(description="Nats; 0 if they are equal.")
    nmi: float = Field(description="Normalised mutual information; 1 if they are equal.")
    ari: float = Field(description="Adjusted Rand index; 1 if they are equal, 0 by chance.")


class ComparedModel(Answer):
    """What one model made of the documents."""

    model: str
    threads: int
    alpha: float
    half_life_seconds: float | None
    strength: float | None
    held_out_per_document: float = Field(description="Mean log likelihood of the held-out documents; higher is better.")
    held_out_per_token: float
    agreement_with_stream: Agreement


class Comparison(Answer):
    """The stream's own model first, then the other; both were run anew."""

    model_config = ConfigDict(json_schema_extra={"examples": [COMPARISON]})

    kind: str = Field(pattern="^comparison$")
    from_: Moment = Field(alias="from", description="Event time of the first document.")
    to: Moment = Field(description="Event time of the last document.")
    documents: int
    held_out_documents: int
    models: list[ComparedModel]
    agreement: Agreement = Field(description="Between the two models.")
