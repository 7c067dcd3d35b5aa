"""Every model can be compared with another, with words and with vectors."""

from typing import Any

import numpy as np
import pytest

from service.engine.comparison import compare
from service.engine.evaluation import Corpus, corpus_of
from service.engine.models import DAY, StreamSettings

MODELS: list[dict[str, Any]] = [
    *({"model": name} for name in ("tdpm", "rcrp", "crp", "addcrp", "ddcrp", "dpchain", "hdp_evo")),
    {"model": "rcrp", "evolving": True},
]
VECTORS = {"kind": "vectors", "dimensions": 2}
GROUPS, EACH = 80, 2


def moments() -> list[int]:
    return [20_000 * DAY + n * DAY // 8 for n in range(GROUPS * EACH)]


def corpus(kind: str) -> Corpus:
    """More groups than numpy has dimensions; both documents of a group follow each other."""
    groups = [n // EACH for n in range(GROUPS * EACH)]
    if kind == "words":
        return corpus_of(moments(), [{f"{group}-{n}": 1 for n in range(4)} for group in groups])
    places = np.random.default_rng(1).normal(0.0, 20.0, (GROUPS, 2))
    return corpus_of(moments(), [places[group].tolist() for group in groups])


@pytest.mark.parametrize("kind", ["words", "vectors"])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: "-".join(map(str, model.values())))
def test_every_model_is_compared(model: dict[str, Any], kind: str) -> None:
    extra = VECTORS if kind == "vectors" else {}
    models = StreamSettings.read({"model": "crp", **extra}), StreamSettings.read({**model, **extra})
    shares: list[float] = []
    threads = np.arange(GROUPS * EACH) // EACH
    result = compare(models, corpus(kind), threads, held_out=0.1, sweeps=6, progress=shares.append)
    assert result["held_out_documents"] == 16
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert np.isfinite(result["models"][1]["held_out_per_document"])
    assert 2 <= result["models"][1]["threads"] <= GROUPS * EACH
