"""Evaluating models on a file or a stream: held-out likelihood, and all measures where the truth is known."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.metrics import (
    adjusted_rand_index,
    b_cubed,
    count_ratio,
    id_churn,
    normalized_mutual_information,
    variation_of_information,
)
from service.engine.contents import Arrival, content_of, stored_content
from service.engine.evaluation import FEWEST, corpus_of, evaluate
from service.engine.models import StreamSettings
from service.engine.replay import replay
from service.store import assignments, streams
from service.store.database import Database

from .documents import FileError, read_documents

MODELS = ("tdpm", "rcrp", "crp", "addcrp", "ddcrp", "dpchain", "hdp_evo")
SECOND = 1_000_000
MOST = 100_000  # documents of a stream
UNKNOWN = -1


class Material(NamedTuple):
    """Documents by time. arrivals and truth: only of a file; truth: UNKNOWN for documents without a label."""

    moments: list[int]
    contents: list[Any]
    arrivals: list[Arrival]
    truth: NDArray[np.int64] | None
    settings: dict[str, Any]


class Evaluated(NamedTuple):
    """Figures of one model by name."""

    figures: dict[str, Any]


def from_file(path: Path) -> Material:
    """Documents of a JSON-lines file; times that are numbers count as seconds."""
    documents = read_documents(path)
    arrivals = [
        Arrival(n, round(document.time * SECOND), document.title, document.text, None)
        for n, document in enumerate(documents, 1)
    ]
    known = sorted({document.label for document in documents if document.label is not None})
    number = {label: n for n, label in enumerate(known)}
    truth = np.array([UNKNOWN if d.label is None else number[d.label] for d in documents], np.int64) if known else None
    contents = [content_of(arrival, StreamSettings()) for arrival in arrivals]
    return Material([arrival.time for arrival in arrivals], contents, arrivals, truth, {})


def from_stream(database: Database, name: str) -> Material | None:
    """The documents of a stream, the newest if there are very many; None if there is no such stream."""
    with database.read() as connection:
        row = streams.find(connection, name)
        if row is None:
            return None
        found = assignments.contents(connection, row.id, MOST, states=assignments.COUNTED)
    contents = [stored_content(one.words, one.vector) for one in found]
    return Material([one.time for one in found], contents, [], None, row.settings)


def evaluate_models(
    material: Material, models: Sequence[str], given: dict[str, Any], *, held_out: float, sweeps: int
) -> list[Evaluated]:
    """Figures of each model. given: settings that are the same for all; None for those that are learned."""
    if len(material.moments) < FEWEST:
        raise FileError(f"there are {len(material.moments)} documents; pass at least {FEWEST}")
    corpus = corpus_of(material.moments, material.contents)
    found = []
    for model in models:
        settings = _settings(material, model, given)
        one = evaluate(settings, corpus, held_out=held_out, sweeps=sweeps, progress=_silent)
        figures = {
            "model": model,
            "documents": len(material.moments),
            "held_out_documents": max(round(held_out * len(material.moments)), 1),
            "threads": len(np.unique(one.labels)),
            "held_out_per_document": one.held_out.per_document,
            "held_out_per_token": one.held_out.per_token,
        }
        found.append(Evaluated(figures | _measures(settings, material)))
    return found


def _settings(material: Material, model: str, given: dict[str, Any]) -> StreamSettings:
    if model not in MODELS:
        raise FileError(f"{model!r:.40} is not a model; choose of {', '.join(MODELS)}")
    base = StreamSettings.read(material.settings | {"model": model})
    spans = {name: round(given[name] * SECOND) for name in ("window", "epoch", "half_life") if given[name] is not None}
    knobs = {name: given[name] for name in ("alpha", "strength", "seed") if given[name] is not None}
    lateness = {"lateness": spans["window"]}
    spans.setdefault("epoch", base.epoch if model == material.settings.get("model") else 0)
    return replace(base, **spans, **lateness, **knobs)


def _measures(settings: StreamSettings, material: Material) -> dict[str, float]:
    """What the engine made of the documents against their labels, of those that were in time and have one."""
    if material.truth is None:
        return {}
    played = replay(settings, material.arrivals, _silent)
    known = (material.truth != UNKNOWN) & (played.last != UNKNOWN)
    truth, last, first = material.truth[known], played.last[known], played.first[known]
    cubed = b_cubed(truth, last)
    return {
        "threads": len(np.unique(played.last[played.last != UNKNOWN])),
        "variation_of_information": variation_of_information(truth, last),
        "nmi": normalized_mutual_information(truth, last),
        "ari": adjusted_rand_index(truth, last),
        "b_cubed_precision": cubed.precision,
        "b_cubed_recall": cubed.recall,
        "b_cubed_f1": cubed.f1,
        "thread_ratio": count_ratio(truth, last),
        "id_churn": id_churn(truth, first, last),
    }


def _silent(share: float) -> None:
    """Nobody waits for progress."""
