"""Slice sampling of one number (Neal 2003): stepping out, then shrinking."""

import math
from collections.abc import Callable

import numpy as np

STEPS = 50  # intervals to step out at most


def slice_sample(log_density: Callable[[float], float], x: float, width: float, rng: np.random.Generator) -> float:
    """A draw that leaves the density invariant, from x; `width` is a first guess of how far to look."""
    level = log_density(x) + math.log(1.0 - rng.random())
    low = x - width * rng.random()
    high = low + width
    left = int(STEPS * rng.random())
    right = STEPS - 1 - left
    while left > 0 and log_density(low) > level:
        low, left = low - width, left - 1
    while right > 0 and log_density(high) > level:
        high, right = high + width, right - 1
    while True:
        found = rng.uniform(low, high)
        if log_density(found) >= level:
            return found
        low, high = (found, high) if found < x else (low, found)
