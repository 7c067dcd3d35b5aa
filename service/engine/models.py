"""A stream's settings as models of core. Event times in core are days since 1970, or epochs for rcrp."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import core
from service.durations import parse_duration
from service.text import TextSettings

DAY = 86_400_000_000  # microseconds
ALPHA = 2.0  # documents; where learning starts
STRENGTH = 140.0  # words; where learning starts
HALF_LIVES = 20  # of a window, where learning starts
NOISE, SPREAD = 0.25, 0.75  # of a unit vector's squared length: what threads do not and do explain


@dataclass(frozen=True)
class StreamSettings:
    """What a user set for a stream; durations in microseconds, None for what is learned."""

    model: str = "tdpm"
    kind: str = "words"
    dimensions: int = 0
    half_life: int | None = None
    epoch: int = DAY
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
        return self.epoch if self.model == "rcrp" else DAY


def core_time(settings: StreamSettings, moment: int) -> float:
    """Core's time of a moment; never later for an earlier one."""
    if settings.model == "rcrp":
        return float(moment // settings.epoch)
    return moment / DAY


def moment_of(settings: StreamSettings, time: float) -> int:
    """The first moment that core does not see as earlier than the time."""
    moment = math.ceil(time) * settings.epoch if settings.model == "rcrp" else math.floor(time * DAY)
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
    return core.TDPM(alpha, core.Exponential(math.log(2) / half_life))


def new_likelihood(settings: StreamSettings) -> Any:
    """The likelihood to start with."""
    if settings.kind == "words":
        return core.DirichletMultinomial(settings.strength or STRENGTH)
    return core.Gaussian(settings.noise or NOISE / settings.dimensions, settings.spread or SPREAD / settings.dimensions)


def fixed_knobs(settings: StreamSettings) -> set[str]:
    """Names of the knobs that the user set."""
    fixed = {name for name in ("alpha", "strength") if getattr(settings, name) is not None}
    return fixed | ({"rate", "decay"} if settings.half_life is not None else set())


def window_of(settings: StreamSettings) -> float:
    """The window in core's unit: for rcrp in whole epochs."""
    length = settings.window / settings.unit
    return math.ceil(length) if settings.model == "rcrp" else length


def half_life_seconds(settings: StreamSettings, prior: Any) -> float | None:
    """The half-life that the prior has now."""
    if isinstance(prior, core.TDPM) and isinstance(prior.kernel, core.Exponential):
        return math.log(2) / prior.kernel.rate * settings.unit / 1e6
    if isinstance(prior, core.RCRP):
        return math.log(2) * prior.decay * settings.unit / 1e6
    return None
