"""How well each model finds the true threads of labelled collections, words and vectors, at the service's defaults.

    python -m benchmarks.models FOLDER [--documents 2000] [--sets NAME ...] [--models NAME ...] [--kinds words vectors]

FOLDER as in benchmarks.quality. Documents go through the service's own live stream: sweeps after every 64, rest when
all have come. Vectors are tf-idf of the same words, 50 directions of a singular value decomposition, unit length. The
command fails if a model puts half of all documents into one thread, or nearly each into its own.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import svds

from benchmarks.quality import days, rows_of
from core import metrics
from service.engine.contents import Arrival
from service.engine.live import BOUNDARY, LiveStream
from service.engine.load import new_stream
from service.engine.models import DAY, StreamSettings
from service.engine.statistics import describe_model
from service.settings import Settings
from service.text import Fields, TextSettings, count_words

FORMATS = {"googlenews_titles_t": "news", "wcep_core_2019": "news", "email_rdevel_2010": "mail"}
MODELS: dict[str, dict[str, Any]] = {
    name: {"model": name} for name in ("tdpm", "rcrp", "crp", "addcrp", "ddcrp", "dpchain", "hdp_evo")
} | {"rcrp, evolving": {"model": "rcrp", "evolving": True}}
KINDS = ("words", "vectors")
DIRECTIONS = 50
COLUMNS = ("nmi", "f1", "found", "true", "largest", "seconds")
KNOBS = ("alpha", "half_life", "strength")
LARGEST = 0.5  # of all documents in one thread
SINGLES = 0.9  # threads a document


def read(folder: Path, name: str, documents: int) -> tuple[list[Arrival], NDArray[np.int64]]:
    """The first documents of a collection, each with a vector too, and their true threads."""
    rows = rows_of(folder, name)[:documents]
    text = TextSettings.read({"format": FORMATS[name]})
    points = vectors([count_words(Fields(row.get("title"), row["text"]), text) for row in rows])
    arrivals = [
        Arrival(seq, round(days(row["time"]) * DAY), row.get("title"), row["text"], point.astype("<f8").tobytes())
        for seq, (row, point) in enumerate(zip(rows, points, strict=True), 1)
    ]
    return arrivals, np.unique([str(row["label"]) for row in rows], return_inverse=True)[1]


def vectors(documents: list[dict[str, int]]) -> NDArray[np.float64]:
    """Unit vectors of documents."""
    words = {word: n for n, word in enumerate(sorted({word for counts in documents for word in counts}))}
    starts = np.cumsum([0, *map(len, documents)])
    columns = [words[word] for counts in documents for word in counts]
    counts = np.array([count for counts in documents for count in counts.values()], float)
    table = scipy.sparse.csr_array((np.log1p(counts), columns, starts), shape=(len(documents), len(words)))
    rarity = np.log(len(documents) / np.bincount(columns, minlength=len(words)))
    left, size, _ = svds(table * rarity, DIRECTIONS, rng=np.random.default_rng(1))
    points = left * size
    return np.asarray(points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-12))


def run(arrivals: list[Arrival], settings: StreamSettings) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """The thread of each document when the stream has come to rest, and the model's numbers."""
    service = Settings()
    live = LiveStream(settings, new_stream(settings))
    visits = round(service.visits_per_document * BOUNDARY)
    thread = np.zeros(len(arrivals), np.int64)
    for begin in range(0, len(arrivals), BOUNDARY):
        live.place(arrivals[begin : begin + BOUNDARY])
        if live.sweep_due:
            live.sweep(visits)
        note(thread, live)
    live.begin_rest(service.rest_passes)
    while live.rest_left and not live.rest():
        pass
    note(thread, live)
    return thread, describe_model(live)


def note(thread: NDArray[np.int64], live: LiveStream) -> None:
    """Take over the threads that the stream reports."""
    step = live.take_step(words=False)
    for seq, placed in (step.placed | step.moved).items():
        thread[seq - 1] = -1 if placed.thread is None else placed.thread


def score(truth: NDArray[np.int64], found: NDArray[np.int64]) -> dict[str, float]:
    sizes = np.unique(found, return_counts=True)[1]
    return {
        "nmi": metrics.normalized_mutual_information(truth, found),
        "f1": metrics.b_cubed(truth, found).f1,
        "found": len(sizes),
        "true": len(np.unique(truth)),
        "largest": sizes.max() / len(found),
    }


def collapsed(name: str, scores: dict[str, float], documents: int) -> list[str]:
    """What a model did that no user would want."""
    if scores["largest"] > LARGEST:
        return [f"{name}: {scores['largest']:.0%} in one thread"]
    return [f"{name}: a thread a document"] if scores["found"] > SINGLES * documents else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--sets", nargs="+", choices=FORMATS, default=list(FORMATS))
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    arguments = parser.parse_args()
    bad: list[str] = []
    print("| " + " | ".join(("set", "kind", "model", *COLUMNS, *KNOBS)) + " |")
    print("| --- " * (3 + len(COLUMNS) + len(KNOBS)) + "|")
    for name in arguments.sets:
        arrivals, truth = read(arguments.folder, name, arguments.documents)
        for kind in arguments.kinds:
            for model in arguments.models:
                text = TextSettings.read({"format": FORMATS[name]})
                settings = StreamSettings(
                    kind=kind, dimensions=DIRECTIONS if kind == "vectors" else 0, text=text, **MODELS[model]
                )
                start = time.process_time()
                found, knobs = run(arrivals, settings)
                scores = score(truth, found) | {"seconds": time.process_time() - start}
                cells = [f"{scores[key]:.3g}" for key in COLUMNS]
                cells += ["–" if knobs[key] is None else f"{knobs[key]:.3g}" for key in KNOBS]
                print(f"| {name} | {kind} | {model} | " + " | ".join(cells) + " |", flush=True)
                bad += collapsed(f"{name}, {kind}, {model}", scores, len(arrivals))
    if bad:
        sys.exit("collapsed: " + "; ".join(bad))


if __name__ == "__main__":
    main()
