"""How long an epoch is where nobody says."""

from .durations import UNITS


def usual_epoch(model: str, window: int) -> int:
    """Microseconds. In dpchain the words of an epoch alone tell its threads apart, so an epoch must hold many
    documents; the other models carry words over."""
    return max(window // 2, UNITS["s"]) if model == "dpchain" else UNITS["d"]
