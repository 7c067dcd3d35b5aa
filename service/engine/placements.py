"""Placements as they are stored: candidates with the parts of their scores."""

from collections.abc import Sequence
from typing import Any

from core.placement import Candidate

MOST_WORDS = 32  # that speak loudest, for or against
DIGITS = 6  # significant ones


def parts_of(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """The best candidates as plain data; nats against a new thread."""
    return [
        {
            "thread": candidate.thread,
            "probability": _short(candidate.probability),
            "prior": _short(candidate.prior),
            "length": _short(candidate.length),
            "words": {str(word): _short(candidate.words[word]) for word in _loudest(candidate.words)},
        }
        for candidate in candidates
    ]


def _loudest(words: dict[Any, float]) -> list[Any]:
    return sorted(words, key=lambda word: (-abs(words[word]), str(word)))[:MOST_WORDS]


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
