"""How well the service's defaults find the true threads of labelled collections.

    python -m benchmarks.quality FOLDER [--seeds 3] [--sets NAME ...] [--json FILE]

FOLDER holds NAME.jsonl.gz, one document a line, sorted by time, with `time`, `text`, `title` or null, and `label`.
Every set runs through the service's own text pipeline and a stream as the service makes it, with nothing set but the
format of the texts: mail or news. As in the service, a sweep of ten visits a document comes after every 64 documents,
and passes over the window when all have come. Sets without a clock get 1,000 documents a day. The labels scored are
those that the stream has reported when it ends. The command fails if a limit is missed.
"""

import argparse
import gzip
import json
import math
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import metrics
from service.engine.live import BOUNDARY
from service.engine.load import new_stream
from service.engine.models import StreamSettings
from service.settings import Settings
from service.text import Fields, TextSettings, count_words

A_DAY = 1_000  # documents of sets that have no clock
COLUMNS = (
    "nmi",
    "precision",
    "recall",
    "f1",
    "ari",
    "found",
    "true",
    "ratio",
    "churn",
    "alpha",
    "half_life",
    "strength",
)
RATIO = (0.7, 1.5)


class Setting(NamedTuple):
    """A way to run a set. limits: least of each measure; with any, the ratio of found to true threads is held too."""

    name: str
    file: str
    format: str
    title: bool = True
    label: str = "label"
    limits: dict[str, float] | None = None


SETTINGS = (
    Setting("email_rdevel_2010", "email_rdevel_2010", "mail", limits={"f1": 0.85, "ari": 0.70}),
    Setting("email_rdevel_2010, merged", "email_rdevel_2010", "mail", label="label_merged"),
    Setting("… without subject", "email_rdevel_2010", "mail", title=False, limits={"f1": 0.62, "ari": 0.35}),
    Setting("… without subject, merged", "email_rdevel_2010", "mail", title=False, label="label_merged"),
    Setting("email_rdevel_2010_raw", "email_rdevel_2010_raw", "mail"),
    Setting("email_spamassassin_ham", "email_spamassassin_ham", "mail", label="label_merged"),
    Setting("wcep_core_2019", "wcep_core_2019", "news", limits={"f1": 0.62, "ari": 0.40}),
    Setting("wcep_stories_2019", "wcep_stories_2019", "news"),
    Setting("googlenews_titles_t", "googlenews_titles_t", "news", limits={"nmi": 0.90, "f1": 0.78}),
    Setting("googlenews_titles", "googlenews_titles", "news", limits={"nmi": 0.86}),
)

Document = tuple[str, float, dict[str, int]]


class Collection(NamedTuple):
    documents: list[Document]
    truth: NDArray[np.int64]


def days(moment: Any) -> float:
    """Core's time of a document: days since 1970, or by order."""
    if isinstance(moment, int | float):
        return moment / A_DAY
    return datetime.fromisoformat(moment).timestamp() / 86_400


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    """The documents of a file that have a label."""
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["label"] is not None]


def read_collection(folder: Path, setting: Setting) -> Collection:
    rows = rows_of(folder, setting.file)
    text = TextSettings.read({"format": setting.format})
    documents = [
        (str(i), days(row["time"]), count_words(Fields(row.get("title") if setting.title else None, row["text"]), text))
        for i, row in enumerate(rows)
    ]
    labels = [str(row.get(setting.label) or row["label"]) for row in rows]
    return Collection(documents, np.unique(labels, return_inverse=True)[1])


def run(collection: Collection, seed: int) -> dict[str, float]:
    """Stream a collection as the service does, and score it."""
    documents, truth = collection
    service = Settings()
    stream = new_stream(StreamSettings(seed=seed))
    visits = round(service.visits_per_document * BOUNDARY)
    placed: dict[str, int | None] = {}
    label: dict[str, int | None] = {}
    start = time.process_time()
    for begin in range(0, len(documents), BOUNDARY):
        new = {p.document: p.thread for p in stream.add(documents[begin : begin + BOUNDARY])}
        placed |= new
        label |= new
        label |= {m.document: m.after for m in stream.sweep(documents=visits).moved}
    for _ in range(service.rest_passes):
        label |= {m.document: m.after for m in stream.sweep().moved}
    seconds = time.process_time() - start
    first, last = (np.array([threads[name] for name, _, _ in documents]) for threads in (placed, label))
    return score(truth, first, last) | {
        "alpha": stream.prior.alpha,
        "half_life": math.log(2) / stream.prior.kernel.rate,
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


def missed(setting: Setting, scores: dict[str, float]) -> list[str]:
    """The limits that the scores do not reach."""
    if setting.limits is None:
        return []
    low = [f"{key} {scores[key]:.3f} < {least}" for key, least in setting.limits.items() if scores[key] < least]
    apart = [] if RATIO[0] <= scores["ratio"] <= RATIO[1] else [f"ratio {scores['ratio']:.2f} outside {RATIO}"]
    return [f"{setting.name}: {what}" for what in low + apart]


def line(name: str, scores: dict[str, float]) -> str:
    cells = [f"{scores[key]:.3g}" for key in (*COLUMNS, "seconds")]
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", nargs="+", help="files to run; all without it")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    results: dict[str, list[dict[str, float]]] = {}
    short: list[str] = []
    print("| " + " | ".join(("set", *COLUMNS, "seconds")) + " |")
    print("| --- " * (len(COLUMNS) + 2) + "|")
    for setting in SETTINGS:
        if arguments.sets and setting.file not in arguments.sets:
            continue
        if not (arguments.folder / f"{setting.file}.jsonl.gz").is_file():
            print(f"{setting.name}: no file {setting.file}.jsonl.gz in {arguments.folder}, left out", flush=True)
            continue
        collection = read_collection(arguments.folder, setting)
        results[setting.name] = [run(collection, seed) for seed in range(1, arguments.seeds + 1)]
        print(line(setting.name, mean(results[setting.name])), flush=True)
        short += missed(setting, mean(results[setting.name]))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if short:
        sys.exit("limits missed: " + "; ".join(short))


if __name__ == "__main__":
    main()
