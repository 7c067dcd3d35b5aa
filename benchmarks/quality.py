"""How well a stream with learned knobs finds the true threads of labelled collections: one configuration for all.

    python -m benchmarks.quality FOLDER [--seeds 5] [--sets NAME ...] [--json FILE]

FOLDER holds NAME.jsonl.gz, one document a line, sorted by time, with `text`, `title` or null, and `label`. Times are
the order of the documents. The labels scored are those that the stream has reported when it ends.
"""

import argparse
import gzip
import json
import math
import re
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import core
from core import metrics

CLEAN = ("googlenews_titles_t", "googlenews_titles")  # texts that are words already
SETS = (*CLEAN, "email_rdevel_2010", "wcep_core_2019", "wcep_stories_2019")
ALPHA, RATE, STRENGTH = 1.0, 0.001, 200.0  # where the knobs start
PASSES = 3  # sweeps after each batch
BATCH = 500  # documents
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """the and for that with you this are not have from was but can will your all has which there they one what
        would when been about out use who more some than them other then its any into our had were also only how does
        using could may should here just like get did very these their his her she him over after new said""",
    )
)

Document = tuple[str, float, list[str]]
COLUMNS = ("nmi", "precision", "recall", "f1", "ari", "found", "true", "ratio", "churn", "alpha", "rate", "strength")


class Collection(NamedTuple):
    documents: list[Document]
    truth: NDArray[np.int64]


def words_of(row: dict[str, Any], clean: bool) -> list[str]:
    """The words of a text that is clean, else of title and text: three letters or more, no stop words."""
    if clean:
        return str(row["text"]).split()
    text = f"{row.get('title') or ''} {row['text']}".lower()
    return [word for word in re.findall(r"[a-z0-9]{3,}", text) if word not in STOP_WORDS]


def read_collection(folder: Path, name: str) -> Collection:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["label"] is not None]
    documents = [(str(i), float(i), words_of(row, name in CLEAN)) for i, row in enumerate(rows)]
    labels = [str(row.get("label_merged") or row["label"]) for row in rows]
    return Collection(documents, np.unique(labels, return_inverse=True)[1])


def run(collection: Collection, seed: int) -> dict[str, float]:
    """Stream a collection and score it."""
    documents, truth = collection
    stream = core.Stream(
        core.TDPM(ALPHA, core.Exponential(RATE)), core.DirichletMultinomial(STRENGTH), window=math.inf, seed=seed
    )
    placed: dict[str, int | None] = {}
    label: dict[str, int | None] = {}
    start = time.perf_counter()
    for begin in range(0, len(documents), BATCH):
        new = {p.document: p.thread for p in stream.add(documents[begin : begin + BATCH])}
        placed |= new
        label |= new
        for _ in range(PASSES):
            label |= {m.document: m.after for m in stream.sweep().moved}
    seconds = time.perf_counter() - start
    first, last = (np.array([threads[name] for name, _, _ in documents]) for threads in (placed, label))
    return score(truth, first, last) | {
        "alpha": stream.prior.alpha,
        "rate": stream.prior.kernel.rate,
        "strength": stream.likelihood.strength,
        "seconds": seconds,
    }


def score(truth: NDArray[np.int64], placed: NDArray[Any], found: NDArray[Any]) -> dict[str, float]:
    cubed = metrics.b_cubed(truth, found)
    return {
        "nmi": metrics.normalized_mutual_information(truth, found),
        "precision": cubed.precision,
        "recall": cubed.recall,
        "f1": cubed.f1,
        "ari": metrics.adjusted_rand_index(truth, found),
        "found": len(np.unique(found)),
        "true": len(np.unique(truth)),
        "ratio": metrics.count_ratio(truth, found),
        "churn": metrics.id_churn(truth, placed, found),
    }


def mean(runs: list[dict[str, float]]) -> dict[str, float]:
    return {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}


def line(name: str, scores: dict[str, float]) -> str:
    cells = [f"{scores[key]:.3g}" for key in (*COLUMNS, "seconds")]
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    results: dict[str, list[dict[str, float]]] = {}
    print("| " + " | ".join(("set", *COLUMNS, "seconds")) + " |")
    print("| --- " * (len(COLUMNS) + 2) + "|")
    for name in arguments.sets:
        if not (arguments.folder / f"{name}.jsonl.gz").is_file():
            print(f"{name}: no file {name}.jsonl.gz in {arguments.folder}, left out", flush=True)
            continue
        collection = read_collection(arguments.folder, name)
        results[name] = [run(collection, seed) for seed in range(1, arguments.seeds + 1)]
        print(line(name, mean(results[name])), flush=True)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
