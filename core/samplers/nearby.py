"""Where near a positive number a score is highest: a rough search, as only a part of the way will be gone."""

import math
from collections.abc import Callable

REACH = 16.0  # times; how far from where it stands a knob is looked for
STRIDE = 0.4  # on the log scale; the first step


def best_near(here: float, limits: tuple[float, float], score: Callable[[float], float]) -> float:
    """Where near a positive number the score is highest, roughly: steps that double while they climb, then the vertex
    of the parabola through the last three points, on the log scale."""
    low, high = math.log(max(here / REACH, limits[0])), math.log(min(here * REACH, limits[1]))
    stride, b = STRIDE, math.log(here)
    a, c = max(b - stride, low), min(b + stride, high)
    at_a, at_b, at_c = (score(math.exp(x)) for x in (a, b, c))
    while max(at_a, at_c) > at_b:
        stride *= 2.0
        if at_c > at_a:
            a, at_a, b, at_b, c = b, at_b, c, at_c, min(c + stride, high)
            at_c = score(math.exp(c)) if c > b else at_b
        else:
            c, at_c, b, at_b, a = b, at_b, a, at_a, max(a - stride, low)
            at_a = score(math.exp(a)) if a < b else at_b
    return math.exp(_vertex((a, b, c), (at_b - at_a, at_b - at_c)))


def _vertex(x: tuple[float, float, float], fall: tuple[float, float]) -> float:
    """Where a parabola is highest that falls by so much from the middle of three ascending points to the outer two."""
    left, right = x[1] - x[0], x[2] - x[1]
    curved = left * fall[1] + right * fall[0]
    return x[1] + (right * right * fall[0] - left * left * fall[1]) / (2.0 * curved) if curved > 0.0 else x[1]
