"""Kaplan-Meier: how long threads live, when some of them have not died yet."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple


class Life(NamedTuple):
    """A duration in seconds; not ended: the thread is still alive, so it is a lower bound."""

    seconds: float
    ended: bool


class Step(NamedTuple):
    """From `seconds` on, this share is alive."""

    seconds: float
    survival: float
    at_risk: int


class Survival:
    """The product-limit estimate of a set of lives."""

    def __init__(self, lives: Sequence[Life]) -> None:
        self.count = len(lives)
        self.deaths = sum(life.ended for life in lives)
        self.longest = max((life.seconds for life in lives), default=0.0)
        self.steps = _steps(lives)

    @property
    def median(self) -> float | None:
        """The first moment at which half or fewer are alive."""
        return next((step.seconds for step in self.steps if step.survival <= 0.5), None)

    @property
    def mean(self) -> float | None:
        """The area under the curve up to the longest life seen."""
        return self._area(0.0) if self.count else None

    def at(self, seconds: float) -> float:
        """Share that lives longer than this."""
        place = bisect_right([step.seconds for step in self.steps], seconds)
        return self.steps[place - 1].survival if place else 1.0

    def remaining(self, age: float) -> float | None:
        """Mean further life of those that reached the age, up to the longest life seen; None if nobody is known to."""
        share = self.at(age)
        return self._area(age) / share if share > 0 and age < self.longest else None

    def curve(self, most: int) -> list[Step]:
        """At most so many of the steps, the first and the last among them."""
        if len(self.steps) <= most:
            return self.steps
        return [self.steps[round(index * (len(self.steps) - 1) / (most - 1))] for index in range(most)]

    def _area(self, start: float) -> float:
        total, moment, share = 0.0, start, self.at(start)
        for step in self.steps:
            if step.seconds > start:
                total += share * (step.seconds - moment)
                moment, share = step.seconds, step.survival
        return total + share * (self.longest - moment)


def _steps(lives: Sequence[Life]) -> list[Step]:
    deaths = Counter(life.seconds for life in lives if life.ended)
    leaving = Counter(life.seconds for life in lives)
    steps, at_risk, share = [], len(lives), 1.0
    for seconds in sorted(leaving):
        if deaths[seconds]:
            share *= 1 - deaths[seconds] / at_risk
            steps.append(Step(seconds, share, at_risk))
        at_risk -= leaving[seconds]
    return steps
