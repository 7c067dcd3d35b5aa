"""Decay functions of time: how much a document of age d still counts. All are at most 1.

Ages and parameters are in the unit of the times they are used with.
"""

import math
from typing import Any, NamedTuple

from .items import positive
from .jit import contract


@contract
def decay(kernel, age):  # type: ignore[no-untyped-def]
    """k(age), for age >= 0."""


@contract
def log_decay(kernel, age):  # type: ignore[no-untyped-def]
    """log k(age), finite wherever the formula is, even where k underflows."""


@contract
def horizon(kernel, nats):  # type: ignore[no-untyped-def]
    """An age beyond which k stays below e^-nats (inf if there is none)."""


class _Exponential(NamedTuple):
    rate: float


class Exponential(_Exponential):
    """k(d) = exp(-rate d) (tDPM eq. 2). rate: per unit of time, > 0; half-life = ln 2 / rate."""

    __slots__ = ()

    def __new__(cls, rate: Any) -> "Exponential":
        return super().__new__(cls, positive("rate", rate))


class Step(NamedTuple):
    """k(d) = 1: nothing is ever forgotten, and tDPM becomes the CRP (tDPM §2)."""


class _Window(NamedTuple):
    width: float


class Window(_Window):
    """k(d) = 1 up to the width, 0 beyond. width: time, >= 0."""

    __slots__ = ()

    def __new__(cls, width: Any) -> "Window":
        return super().__new__(cls, positive("width", width, zero=True, infinite=True))


class _Logistic(NamedTuple):
    midpoint: float
    scale: float


class Logistic(_Logistic):
    """k(d) = 1 / (1 + exp((d - midpoint) / scale)) (ddCRP paper §6, sign corrected). Both times; scale > 0."""

    __slots__ = ()

    def __new__(cls, midpoint: Any, scale: Any) -> "Logistic":
        return super().__new__(cls, positive("midpoint", midpoint, zero=True), positive("scale", scale))


class _Periodic(NamedTuple):
    period: float
    sharpness: float
    rate: float


class Periodic(_Periodic):
    """k(d) = exp(sharpness (cos(2π d / period) - 1) - rate d): what recurs, e.g. weekly (tDPM §6).

    period: time, > 0. sharpness: >= 0, how much a recurrence stands out (4: 1/3000 half-way between).
    rate: per unit of time, >= 0, the decay over many periods.
    """

    __slots__ = ()

    def __new__(cls, period: Any, sharpness: Any = 4.0, rate: Any = 0.0) -> "Periodic":
        return super().__new__(
            cls,
            positive("period", period),
            positive("sharpness", sharpness, zero=True),
            positive("rate", rate, zero=True),
        )


Kernel = Exponential | Step | Window | Logistic | Periodic


@decay.implements(Exponential)
def _exponential_decay(kernel: Exponential, age: float) -> float:
    return math.exp(-kernel.rate * age)


@log_decay.implements(Exponential)
def _exponential_log_decay(kernel: Exponential, age: float) -> float:
    return -kernel.rate * age


@horizon.implements(Exponential)
def _exponential_horizon(kernel: Exponential, nats: float) -> float:
    return nats / kernel.rate


@decay.implements(Step)
def _step_decay(kernel: Step, age: float) -> float:
    return 1.0


@log_decay.implements(Step)
def _step_log_decay(kernel: Step, age: float) -> float:
    return 0.0


@horizon.implements(Step)
def _step_horizon(kernel: Step, nats: float) -> float:
    return math.inf


@decay.implements(Window)
def _window_decay(kernel: Window, age: float) -> float:
    return 1.0 if age <= kernel.width else 0.0


@log_decay.implements(Window)
def _window_log_decay(kernel: Window, age: float) -> float:
    return 0.0 if age <= kernel.width else -math.inf


@horizon.implements(Window)
def _window_horizon(kernel: Window, nats: float) -> float:
    return kernel.width


@decay.implements(Logistic)
def _logistic_decay(kernel: Logistic, age: float) -> float:
    x = (age - kernel.midpoint) / kernel.scale
    return 1.0 / (1.0 + math.exp(x)) if x < 0.0 else math.exp(-x) / (1.0 + math.exp(-x))


@log_decay.implements(Logistic)
def _logistic_log_decay(kernel: Logistic, age: float) -> float:
    x = (age - kernel.midpoint) / kernel.scale
    return -math.log1p(math.exp(x)) if x < 0.0 else -x - math.log1p(math.exp(-x))


@horizon.implements(Logistic)
def _logistic_horizon(kernel: Logistic, nats: float) -> float:
    return kernel.midpoint + kernel.scale * nats


@decay.implements(Periodic)
def _periodic_decay(kernel: Periodic, age: float) -> float:
    return math.exp(kernel.sharpness * (math.cos(2.0 * math.pi * age / kernel.period) - 1.0) - kernel.rate * age)


@log_decay.implements(Periodic)
def _periodic_log_decay(kernel: Periodic, age: float) -> float:
    return kernel.sharpness * (math.cos(2.0 * math.pi * age / kernel.period) - 1.0) - kernel.rate * age


@horizon.implements(Periodic)
def _periodic_horizon(kernel: Periodic, nats: float) -> float:
    return nats / kernel.rate if kernel.rate > 0.0 else math.inf
