"""A stream's settings as models of core. Event times in core are days since 1970, or epochs for rcrp."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import core
from core.window_knobs import fading_rate
from service.durations import parse_duration
from service.epochs import usual_epoch
from service.text import TextSettings

DAY = 86_400_000_000  # microseconds
ALPHA = 2.0  # documents; where learning starts
STRENGTH = 140.0  # words; where learning starts
HALF_LIVES = 20  # of a window, where learning starts
SPREAD_OF_WORDS, DRIFT_OF_WORDS = 4.0, 0.2  # variances of a word's log odds: among threads, and from epoch to epoch
DRIFT = 0.05  # of the spread of vectors, from epoch to epoch
NOISE, SPREAD = 0.25, 0.75  # of a unit vector's squared length: what threads do not and do explain


EPOCHAL = ("rcrp", "dpchain", "hdp_evo")  # models whose time goes by epochs
WHOLE = ("addcrp", "ddcrp", "dpchain", "hdp_evo")  # models that sweep a window as a whole
Model = core.Stream | core.Windowed


@dataclass(frozen=True)
class StreamSettings:
    """What a user set for a stream; durations in microseconds, None for what is learned. epoch: 0 for the usual one."""

    model: str = "tdpm"
    kind: str = "words"
    dimensions: int = 0
    half_life: int | None = None
    epoch: int = 0
    width: int = 7
    window: int = 60 * DAY
    lateness: int = 60 * DAY
    alpha: float | None = None
    strength: float | None = None
    noise: float | None = None
    spread: float | None = None
    seed: int = 1
    vocabulary: int = 200_000
    text: TextSettings = field(default_factory=TextSettings)
    window_documents: int = 1_000
    distance: str = "mean"
    evolving: bool = False
    drift: float | None = None

    def __post_init__(self) -> None:
        if not self.epoch:
            object.__setattr__(self, "epoch", usual_epoch(self.model, self.window))

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> "StreamSettings":
        """From a stream's row: what is absent has its default."""
        given = {**settings, **(settings.get("limits") or {})}
        fields = {name: given[name] for name in cls.__dataclass_fields__ if given.get(name) is not None}
        for name in ("half_life", "epoch", "window", "lateness"):
            if name in fields:
                fields[name] = parse_duration(fields[name])
        fields["text"] = TextSettings.read(given.get("text"))
        fields.setdefault("lateness", fields.get("window", cls.window))
        return cls(**fields)

    @property
    def unit(self) -> int:
        """Microseconds of core's unit of time."""
        return self.epoch if self.epochal else DAY

    @property
    def epochal(self) -> bool:
        """Whether core's times are numbers of epochs."""
        return self.model in EPOCHAL

    @property
    def windowed(self) -> bool:
        """Whether the window is bounded and swept as a whole."""
        return self.model in WHOLE or self.evolving


def core_time(settings: StreamSettings, moment: int) -> float:
    """Core's time of a moment; never later for an earlier one."""
    if settings.epochal:
        return float(moment // settings.epoch)
    return moment / DAY


def moment_of(settings: StreamSettings, time: float) -> int:
    """The first moment that core does not see as earlier than the time."""
    moment = math.ceil(time) * settings.epoch if settings.epochal else math.floor(time * DAY)
    while core_time(settings, moment) < time:
        moment += 1
    while core_time(settings, moment - 1) >= time:
        moment -= 1
    return moment


def new_prior(settings: StreamSettings) -> Any:
    """The prior to start with."""
    alpha = settings.alpha or ALPHA
    if settings.model == "crp":
        return core.CRP(alpha)
    half_life = (settings.half_life or settings.window / HALF_LIVES) / settings.unit
    if settings.model == "rcrp":
        decay = half_life / math.log(2) if settings.half_life else max(settings.width / 2, 1.0)
        return core.RCRP(alpha, decay, settings.width)
    rate = math.log(2) / half_life
    if settings.model == "dpchain":
        return core.DPChain(alpha, rate)
    if settings.model == "hdp_evo":
        return core.HDPEvo(alpha, alpha, rate)
    kernel = core.Exponential(rate)
    if settings.model == "addcrp":
        return core.ADDCRP(alpha, kernel, settings.distance)
    return core.DDCRP(alpha, kernel) if settings.model == "ddcrp" else core.TDPM(alpha, kernel)


def new_likelihood(settings: StreamSettings) -> Any:
    """The likelihood to start with."""
    if settings.evolving:
        return _evolving(settings)
    if settings.kind == "words":
        return core.DirichletMultinomial(settings.strength or STRENGTH)
    return core.Gaussian(settings.noise or NOISE / settings.dimensions, settings.spread or SPREAD / settings.dimensions)


def _evolving(settings: StreamSettings) -> Any:
    """Words or centres that move from epoch to epoch."""
    if settings.kind == "words":
        return core.LogisticNormalChain(SPREAD_OF_WORDS, settings.drift or DRIFT_OF_WORDS)
    spread = settings.spread or SPREAD / settings.dimensions
    noise = settings.noise or NOISE / settings.dimensions
    return core.GaussianChain(noise, spread, settings.drift or DRIFT * spread)


def fixed_knobs(settings: StreamSettings) -> set[str]:
    """Names of the knobs that the user set; alpha stands for all concentrations, the half-life for all rates."""
    given = {
        "alpha": ("alpha", "gamma"), "half_life": ("rate", "decay", "eta"), "strength": ("strength",)
    }  # fmt: skip
    return {knob for name, knobs in given.items() if getattr(settings, name) is not None for knob in knobs}


def window_of(settings: StreamSettings) -> float:
    """The window in core's unit: for rcrp in whole epochs."""
    length = settings.window / settings.unit
    return math.ceil(length) if settings.epochal else length


def half_life_seconds(settings: StreamSettings, prior: Any) -> float | None:
    """The half-life that the prior has now."""
    rate = fading_rate(prior)
    return math.log(2) / rate * settings.unit / 1e6 if rate else None
