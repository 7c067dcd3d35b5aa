"""Kaplan-Meier: how long threads live, when some of them have not died yet."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

SHORTEST = 60.0  # seconds


class Life(NamedTuple):
    """A duration in seconds; not ended: the thread is still alive, so it is a lower bound."""

    seconds: float
    ended: bool


class Step(NamedTuple):
    """From `seconds` on, this share is alive."""

    seconds: float
    survival: float
    at_risk: int


class Bin(NamedTuple):
    """Lives from `from_seconds` to before `to_seconds`, which the longest is part of."""

    from_seconds: float
    to_seconds: float
    deaths: int
    alive: int


class Survival:
    """The product-limit estimate of a set of lives."""

    def __init__(self, lives: Sequence[Life]) -> None:
        self.count = len(lives)
        self.deaths = sum(life.ended for life in lives)
        self.longest = max((life.seconds for life in lives), default=0.0)
        self.steps = _steps(lives)
        self._lives = lives

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

    def distribution(self, most: int) -> list[Bin]:
        """Lives in bins that are equally wide on the log scale; those below a minute count as a minute."""
        if not self._lives:
            return []
        lengths = [max(SHORTEST, life.seconds) for life in self._lives]
        low, high = min(lengths), max(lengths)
        bins = most if high > low else 1
        factor = (high / low) ** (1 / bins) if bins > 1 else 2.0
        counts = [[0, 0] for _ in range(bins)]
        for life, length in zip(self._lives, lengths, strict=True):
            place = min(bins - 1, int(math.log(length / low) / math.log(factor)))
            counts[place][0 if life.ended else 1] += 1
        return [Bin(low * factor**k, low * factor ** (k + 1), *counts[k]) for k in range(bins)]

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
