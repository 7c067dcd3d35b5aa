"""Every model at the service's defaults finds threads that are there, words and vectors, busy times and quiet ones."""

import numpy as np
import pytest

from benchmarks.models import DIRECTIONS, KINDS, MODELS, collapsed, run, score, vectors
from service.engine.contents import Arrival
from service.engine.models import DAY, StreamSettings

TOPICS, WORDS, COUNT = 8, 30, 320


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_a_model_neither_joins_nor_scatters_all(model: str, kind: str) -> None:
    """Each topic has words of its own and shares others; half of the documents come in a day, half in forty."""
    rng = np.random.default_rng(3)
    topics = rng.integers(0, TOPICS, COUNT)
    days = np.sort(np.append(rng.uniform(0, 1, COUNT // 2), rng.uniform(1, 41, COUNT // 2)))
    drawn = np.where(rng.random((COUNT, 14)) < 0.6, topics[:, None] * WORDS, TOPICS * WORDS)
    drawn += rng.integers(0, WORDS, drawn.shape)
    texts = [" ".join(f"word{letters(n)}" for n in row) for row in drawn.tolist()]
    points = vectors([{word: text.split().count(word) for word in set(text.split())} for text in texts])
    arrivals = [
        Arrival(seq, int(20_000 * DAY + day * DAY), None, text, point.astype("<f8").tobytes())
        for seq, (day, text, point) in enumerate(zip(days, texts, points, strict=True), 1)
    ]
    settings = StreamSettings(kind=kind, dimensions=DIRECTIONS if kind == "vectors" else 0, **MODELS[model])
    found, knobs = run(arrivals, settings)
    scores = score(topics, found)
    assert collapsed(model, scores, COUNT) == []
    assert scores["nmi"] > 0.5
    assert TOPICS / 2 <= scores["found"] < COUNT / 2
    assert knobs["alpha"] > 0


def letters(number: int) -> str:
    """A number as a word."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))
