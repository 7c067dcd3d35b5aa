"""Topics: what the documents of a span of time are about."""

from typing import Any, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from .base import Answer, Body, Count, Moment, SentMoment

TOPICS: dict[str, Any] = {
    "kind": "topics",
    "from": "2026-01-31T08:14:00.000000Z",
    "to": "2026-03-02T08:14:00.000000Z",
    "documents": 611,
    "topics": [
        {
            "topic": 0,
            "share": 0.31,
            "words": [{"word": "shuttle", "probability": 0.052}, {"word": "landing", "probability": 0.041}],
            "coherence": 0.24,
            "intruder": "invoice",
            "intruder_found": True,
        }
    ],
    "shares": [{"document_id": "mail-1", "topics": [{"topic": 0, "share": 0.94}]}],
    "alpha": 0.3,
    "eta": 0.02,
    "log_likelihood": -183211.4,
    "converged": True,
}


class NewTopics(Body):
    """Topics to find among the documents of a stream."""

    model_config = ConfigDict(
        title="NewTopics",
        json_schema_extra={"examples": [{"topics": 10, "from": "2026-03-01T00:00:00Z", "to": "2026-04-01T00:00:00Z"}]},
    )

    topics: Count = Field(10, ge=2, le=200, description="How many topics.")
    from_: SentMoment | None = Field(None, alias="from", description="Earliest event time; null: all.")
    to: SentMoment | None = Field(None, description="Event times before this; null: all.")
    sweeps: Count = Field(200, ge=10, le=2_000, description="Gibbs passes of each chain, at most.")
    chains: Count = Field(2, ge=1, le=8, description="Chains from different starts; the best is told.")
    seed: Count = Field(1, ge=0, le=2**32 - 1, description="Same documents, settings and seed: same topics.")

    @model_validator(mode="after")
    def _span(self) -> Self:
        if self.from_ is not None and self.to is not None and self.from_ >= self.to:
            raise PydanticCustomError("empty_span", "from must lie before to")
        return self


class TopicWord(Answer):
    """A word of a topic."""

    word: str
    probability: float


class Topic(Answer):
    """A topic with its likeliest words."""

    topic: int
    share: float = Field(description="Of all tokens.")
    words: list[TopicWord]
    coherence: float = Field(description="Mean NPMI of its words over the documents: 1 only together, -1 never.")
    intruder: str = Field(description="A word that is likely in another topic and unlikely in this one.")
    intruder_found: bool = Field(description="Whether it alone fits the topic's words worst, so that it can be told.")


class TopicShare(Answer):
    """How much of a document is of a topic."""

    topic: int
    share: float


class DocumentTopics(Answer):
    """The topics of a document that make up at least a twentieth of it, largest first."""

    document_id: str
    topics: list[TopicShare]


class Topics(Answer):
    """Topics of the documents in a span of time (latent Dirichlet allocation), largest first."""

    model_config = ConfigDict(json_schema_extra={"examples": [TOPICS]})

    kind: str = Field(pattern="^topics$")
    from_: Moment = Field(alias="from", description="Event time of the first document.")
    to: Moment = Field(description="Event time of the last document.")
    documents: int
    topics: list[Topic]
    shares: list[DocumentTopics]
    alpha: float = Field(description="Mean strength of a topic in a document, learned.")
    eta: float = Field(description="Strength of a word in a topic, learned.")
    log_likelihood: float
    converged: bool = Field(description="Whether the log likelihood had stopped rising.")
