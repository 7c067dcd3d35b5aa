"""Two models over the same documents: which predicts better, and how far they agree."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics import adjusted_rand_index, normalized_mutual_information, variation_of_information

from .evaluation import Corpus, Evaluation, evaluate
from .models import StreamSettings


def compare(
    models: tuple[StreamSettings, StreamSettings],
    corpus: Corpus,
    threads: NDArray[np.int64],
    *,
    held_out: float,
    sweeps: int,
    progress: Callable[[float], None],
) -> dict[str, Any]:
    """The result of a comparison, ready for JSON. threads: those that the stream has the documents in."""
    found = [
        evaluate(
            settings,
            corpus,
            held_out=held_out,
            sweeps=sweeps,
            progress=lambda share, done=n: progress((done + share) / len(models)),  # type: ignore[misc]
        )
        for n, settings in enumerate(models)
    ]
    return {
        "kind": "comparison",
        "from": int(corpus.moments[0]),
        "to": int(corpus.moments[-1]),
        "documents": len(corpus.moments),
        "held_out_documents": max(round(held_out * len(corpus.moments)), 1),
        "models": [_told(settings, one, threads) for settings, one in zip(models, found, strict=True)],
        "agreement": agreement(found[0].labels, found[1].labels),
    }


def agreement(first: NDArray[np.int64], second: NDArray[np.int64]) -> dict[str, float]:
    """How alike two labellings are."""
    return {
        "variation_of_information": variation_of_information(first, second),
        "nmi": normalized_mutual_information(first, second),
        "ari": adjusted_rand_index(first, second),
    }


def _told(settings: StreamSettings, found: Evaluation, threads: NDArray[np.int64]) -> dict[str, Any]:
    return {
        "model": settings.model,
        "threads": len(np.unique(found.labels)),
        "alpha": found.alpha,
        "half_life_seconds": found.half_life,
        "strength": found.strength,
        "held_out_per_document": found.held_out.per_document,
        "held_out_per_token": found.held_out.per_token,
        "agreement_with_stream": agreement(threads, found.labels),
    }
