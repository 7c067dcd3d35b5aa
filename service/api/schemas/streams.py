"""Streams and their settings."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from service.durations import UNITS
from service.epochs import usual_epoch
from service.text.languages import LANGUAGES

from ..parameters import STREAM_NAME
from .base import Answer, Body, Count, Duration, Moment, Page, integral

DAY = UNITS["d"]
FROZEN = (  # once documents are there
    "model", "kind", "dimensions", "epoch", "width", "seed", "noise", "spread", "distance", "evolving", "drift",
)  # fmt: skip
ModelName = Literal["tdpm", "rcrp", "crp", "addcrp", "ddcrp", "dpchain", "hdp_evo"]
FADING = ("tdpm", "rcrp", "addcrp", "ddcrp", "dpchain", "hdp_evo")
ONLY_WITH: dict[str, tuple[str, ...]] = {
    "half_life": FADING,
    "epoch": ("rcrp", "dpchain", "hdp_evo"),
    "width": ("rcrp",),
    "distance": ("addcrp",),
    "evolving": ("rcrp",),
}
Dimensions = Annotated[int, Field(ge=1, le=4096), BeforeValidator(integral)]
Positive = Annotated[float, Field(gt=0, le=1e9)]
LANGUAGE_CODES = ["auto", *sorted(LANGUAGES)]


def _language(code: str) -> str:
    if code not in LANGUAGE_CODES:
        raise PydanticCustomError("language", "must be auto or one of {codes}", {"codes": " ".join(LANGUAGE_CODES[1:])})
    return code


Language = Annotated[str, AfterValidator(_language), WithJsonSchema({"type": "string", "enum": LANGUAGE_CODES})]
Weight = Annotated[int, Field(ge=0, le=10), BeforeValidator(integral)]


class StreamLimits(Body):
    """What a stream may hold in memory."""

    vocabulary: Count = Field(200_000, ge=1_000, le=5_000_000, description="Words that the model tells apart.")
    window_documents: Count = Field(
        1_000,
        ge=64,
        le=2_000,
        description="addcrp, ddcrp, dpchain, hdp_evo, evolving: most documents in the window, which these models sweep "
        "as a whole; older ones settle, and as many settled ones are looked back on.",
    )


class StreamText(Body):
    """How a stream reads its texts. A weight says how often a word of the field counts against once in the text;
    0 leaves the field out. A change holds for documents from then on."""

    format: Literal["auto", "mail", "news", "plain"] = Field(
        "auto",
        description="mail: without quoted replies, signatures, footers. news: without boilerplate. plain: as it is. "
        "auto: mail or news, by document.",
    )
    language: Language = Field("auto", description="Of stop words and stems; auto: by document, English where unsure.")
    title_weight: Weight = Field(5, description="Of the title, without Re:, Fwd: and [list].")
    author_weight: Weight = Field(0, description="Of the author: the address, or the name where there is none.")
    reply_weight: Weight = Field(
        0, description="Of `message_id`, `in_reply_to` and `references` in metadata, which say what a mail answers."
    )


class StreamSettings(Body):
    """How a stream groups its documents. Null means: learned from the documents."""

    model_config = ConfigDict(title="StreamSettings")

    model: ModelName = Field(
        "tdpm",
        description="tdpm: pull fades with time. rcrp: epochs. crp: no time. addcrp: pull by a thread's average age. "
        "ddcrp: each document follows an earlier one. dpchain: epochs whose threads keep their share, not their words. "
        "hdp_evo: epochs of groups that share threads.",
    )
    kind: Literal["words", "vectors"] = Field("words", description="What a document is made of.")
    dimensions: Dimensions | None = Field(None, description="Length of the vectors; for kind vectors only.")
    half_life: Duration | None = Field(
        None,
        description="Time in which a document's pull halves; null: learned.",
    )
    epoch: Duration | None = Field(
        None,
        description="rcrp, dpchain, hdp_evo: length of an epoch; null: a day, dpchain: half the window. An epoch of "
        "dpchain should hold many documents, as only these tell its threads apart.",
    )
    width: Count = Field(7, ge=1, le=365, description="rcrp: epochs after which an unused thread is dead.")
    window: Duration = Field(60 * DAY, description="Recent event time whose documents are still resampled.")
    lateness: Duration | None = Field(
        None, description="Documents further behind the newest are late: told a thread, not counted; null: the window."
    )
    max_future_skew: Duration | None = Field(None, description="How far ahead a time may lie; null: the service's.")
    distance: Literal["mean", "weighted", "nearest"] | None = Field(
        None, description="addcrp: which age of a thread counts; null: mean."
    )
    evolving: bool = Field(False, description="rcrp: a thread's words or centre move from epoch to epoch.")
    drift: Positive | None = Field(None, description="evolving: variance of that movement in an epoch.")
    alpha: Positive | None = Field(None, description="Weight of a new thread, in documents.")
    strength: Positive | None = Field(None, description="Strength of the words' base measure, in words.")
    noise: Positive | None = Field(None, description="vectors: variance within a thread.")
    spread: Positive | None = Field(None, description="vectors: variance of the threads' centres.")
    seed: Count = Field(1, ge=0, le=2**32 - 1, description="Same documents, settings and seed: same threads.")
    text: StreamText = Field(default_factory=lambda: StreamText.model_validate({}))
    limits: StreamLimits = Field(default_factory=lambda: StreamLimits.model_validate({}))

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.epoch is None:
            self.epoch = usual_epoch(self.model, self.window)
        if self.kind == "vectors" and self.dimensions is None:
            raise PydanticCustomError("dimensions", "kind vectors needs dimensions: how many numbers a vector has")
        if self.kind == "words" and self.dimensions is not None:
            raise PydanticCustomError("dimensions", "dimensions goes with kind vectors; leave it out")
        for name in ("window", "epoch", "half_life"):
            value = getattr(self, name)
            if value is not None and value < UNITS["s"]:
                raise PydanticCustomError("too_short", "{name} must be at least one second", {"name": name})
        self._suit_the_model()
        if self.lateness is not None and self.lateness > self.window:
            raise PydanticCustomError("lateness", "lateness must not be longer than the window")
        if self.max_future_skew is not None and self.max_future_skew > DAY:
            raise PydanticCustomError("max_future_skew", "max_future_skew must not be longer than a day")
        return self

    def _suit_the_model(self) -> None:
        """Refuse what the model would not look at."""
        for name, models in ONLY_WITH.items():
            usual = usual_epoch(self.model, self.window) if name == "epoch" else type(self).model_fields[name].default
            if getattr(self, name) != usual and self.model not in models:
                told = {"name": name, "models": " or ".join(models), "model": self.model}
                raise PydanticCustomError("unsuitable", "{name} goes with the model {models}, not with {model}", told)
        if self.drift is not None and not self.evolving:
            raise PydanticCustomError("unsuitable", "drift goes with evolving; set evolving to true or leave it out")
        if self.evolving and self.strength is not None:
            raise PydanticCustomError("unsuitable", "evolving words have no strength; leave it out")
        if self.kind == "words" and (self.noise is not None or self.spread is not None):
            raise PydanticCustomError("unsuitable", "noise and spread go with kind vectors; leave them out")
        if self.kind == "vectors" and self.strength is not None:
            raise PydanticCustomError("unsuitable", "strength goes with kind words; leave it out")


class NewStream(Body):
    """A stream to create."""

    model_config = ConfigDict(
        title="NewStream",
        json_schema_extra={"examples": [{"name": "mail", "settings": {"half_life": "3d", "window": "30d"}}]},
    )

    name: str = Field(pattern=STREAM_NAME)
    settings: StreamSettings = Field(default_factory=lambda: StreamSettings.model_validate({}))


class StreamChange(Body):
    """A JSON merge patch (RFC 7396): what is named changes, null brings the default back, the rest stays."""

    model_config = ConfigDict(
        title="StreamChange", json_schema_extra={"examples": [{"settings": {"window": "60d", "alpha": None}}]}
    )

    settings: dict[str, Any] = Field(description="Some of the fields of StreamSettings.")


SETTINGS_EXAMPLE: dict[str, Any] = StreamSettings.model_validate({"half_life": "3d"}).model_dump(mode="json")


class Stream(Answer):
    """A named, independent flow of documents."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": "str_01K00000000000000000000000",
                    "name": "mail",
                    "settings": SETTINGS_EXAMPLE,
                    "created_at": "2026-03-02T08:14:00.000000Z",
                    "version": 1,
                }
            ]
        }
    )

    id: str
    name: str
    settings: StreamSettings
    created_at: Moment
    version: int = Field(description="One more with every change of the settings; also the ETag.")


class StreamPage(Page[Stream]):
    """Streams by name."""


class Window(Answer):
    """The span of event time that is still resampled."""

    from_: Moment | None = Field(serialization_alias="from")
    to: Moment | None
    documents: int


class Lease(Answer):
    """Which worker holds the stream; the epoch rises with every new holder."""

    held: bool
    epoch: int
    expires_at: Moment | None


class StreamStats(Answer):
    """How a stream is doing."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "accepted": 918,
                    "pending": 0,
                    "pending_erasures": 0,
                    "lag_seconds": 0.0,
                    "last_arrival_at": "2026-03-02T08:14:02.120000Z",
                    "clock": "2026-03-02T08:14:00.000000Z",
                    "horizon": "2026-01-31T08:14:00.000000Z",
                    "model_version": 44,
                    "stepped_at": "2026-03-02T08:14:02.400000Z",
                    "swept_at": None,
                    "window": {
                        "from": "2026-01-31T08:14:00.000000Z",
                        "to": "2026-03-02T08:14:00.000000Z",
                        "documents": 611,
                    },
                    "vocabulary": 5211,
                    "threads_live": 37,
                    "late": 0,
                    "quarantined": 0,
                    "alpha": 4.1,
                    "half_life_seconds": 259200.0,
                    "strength": 120.5,
                    "sweep_seconds": 0.04,
                    "lease": {"held": True, "epoch": 2, "expires_at": "2026-03-02T08:14:12.400000Z"},
                }
            ]
        }
    )

    accepted: int = Field(description="Documents accepted so far, erased ones included.")
    pending: int = Field(description="Documents that wait for the worker.")
    pending_erasures: int
    lag_seconds: float = Field(description="Age of the oldest document that waits; 0 if none does.")
    last_arrival_at: Moment | None
    clock: Moment | None = Field(description="Event time of the stream.")
    horizon: Moment | None = Field(description="Documents before it are settled.")
    model_version: int
    stepped_at: Moment | None
    swept_at: Moment | None
    window: Window
    vocabulary: int
    threads_live: int
    late: int
    quarantined: int
    alpha: float | None
    half_life_seconds: float | None
    strength: float | None
    sweep_seconds: float | None = Field(description="Time that the last sweep took.")
    lease: Lease


class LearnedPoint(Answer):
    """The model at an hour of event time."""

    at: Moment
    alpha: float | None
    half_life_seconds: float | None
    strength: float | None
    threads_live: int
    window_documents: int


class Learned(Answer):
    """What the model had learned, by event time."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "data": [
                        {
                            "at": "2026-03-02T08:00:00.000000Z",
                            "alpha": 4.1,
                            "half_life_seconds": 259200.0,
                            "strength": 120.5,
                            "threads_live": 37,
                            "window_documents": 611,
                        }
                    ]
                }
            ]
        }
    )

    data: list[LearnedPoint] = Field(description="At most 500 points, the newest among them.")
