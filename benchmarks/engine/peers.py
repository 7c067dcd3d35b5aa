"""The engine against River's TextClust and tomotopy's HDPModel, on the same words of the same documents.

All take turns on one core. The engine places a batch of 500 and sweeps a window of the last 1,500 documents once, so
that each document is placed once and then visited by three whole-window sweeps; learning the knobs and split-merge
moves are part of them. In a harder setting the window is swept three times after each batch, which makes nine visits.
TextClust reads a document as its documentation shows: predict_one, then learn_one, with the settings given there;
learn_one alone gives no label but is shown too. HDPModel, with one worker, has all documents from the start and does
some iterations after each batch; one iteration visits every document once.
"""

import gc
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from river import cluster, compose, feature_extraction

from core.metrics import b_cubed, normalized_mutual_information

from .engine import Run, warm_up
from .report import Figure, Watch, pin
from .sources import Text, read

BATCH, WINDOW = 500, 1_500  # documents
AS_FAST = 30.0  # as TextClust


class Set(NamedTuple):
    """A collection, how many of its first documents are used, HDP's iterations after a batch, and whether limits hold
    for it or it is only reported."""

    name: str
    documents: int
    iterations: int
    limited: bool


SETS = (
    Set("googlenews_titles_t", 11_109, 5, True),
    Set("email_rdevel_2010", 3_309, 5, False),
    Set("news20_10groups", 2_000, 5, False),
)


class TextClust:
    """River's pipeline for the words as they are: single words, nothing cut or dropped a second time."""

    def __init__(self) -> None:
        words = feature_extraction.BagOfWords(lowercase=False, strip_accents=False, tokenizer=str.split)
        kind: Any = cluster.TextClust
        model = kind(real_time_fading=False, fading_factor=0.001, tgap=100, auto_r=True, radius=0.9)
        self.pipeline: Any = compose.Pipeline(words, model)
        self.watch = Watch()
        self.labels: dict[str, int] = {}

    def add(self, texts: list[Text]) -> None:
        """Predict each, then learn it."""
        for text in texts:
            with self.watch.on("predict"):
                found = self.pipeline.predict_one(text.words)
            with self.watch.on("learn"):
                self.pipeline.learn_one(text.words)
            self.labels[text.id] = int(found) if found is not None else -1


class Topics:
    """tomotopy's HDPModel over all documents."""

    def __init__(self, texts: list[Text]) -> None:
        self.model: Any = import_module("tomotopy").HDPModel(seed=1)  # has no types
        self.held = [text for text in texts if text.words]
        for text in self.held:
            self.model.add_doc(text.words.split())
        self.model.train(0, workers=1)
        self.watch = Watch()
        self.visited = 0

    def train(self, iterations: int) -> None:
        """Visit all documents so many times."""
        with self.watch.on("train"):
            self.model.train(iterations, workers=1)
        self.visited += iterations * len(self.held)


def measure(folder: Path, most: int | None) -> list[Figure]:
    """Every collection that is there."""
    pin()
    warm_up()
    figures = []
    for chosen in SETS:
        try:
            texts = read(folder, chosen.name)
        except FileNotFoundError as missing:
            print(missing)
            continue
        figures += _compare(chosen, texts[: min(chosen.documents, most or chosen.documents)], len(texts))
    return figures


def _compare(chosen: Set, texts: list[Text], of: int) -> list[Figure]:
    """Let all take turns, then compare."""
    run, harder, river, topics = Run(float(WINDOW)), Run(float(WINDOW)), TextClust(), Topics(texts)
    gc.collect()
    gc.freeze()
    for begin in range(0, len(texts), BATCH):
        batch = texts[begin : begin + BATCH]
        for turn in (
            partial(_feed, run, begin, batch, 1),
            partial(river.add, batch),
            partial(topics.train, chosen.iterations),
            partial(_feed, harder, begin, batch, 3),
        ):
            gc.collect()  # nobody pays for the others' garbage
            turn()
    _finish(run, len(texts), 1)
    _finish(harder, len(texts), 3)
    part = f"peers, {chosen.name} (first {len(texts):,} of {of:,})"
    n = len(texts)
    pipeline, learn = sum(river.watch.spent.values()), river.watch.spent["learn"]
    visit, iteration = run.watch.spent["sweep"] / run.visited, topics.watch.spent["train"] / topics.visited
    least, faster = (AS_FAST, 1.0) if chosen.limited else (None, None)
    truth = np.unique([text.label for text in texts], return_inverse=True)[1]
    ours, theirs = _score(texts, truth, run.labels), _score(texts, truth, river.labels)
    return [
        Figure(part, "engine, visits of a document", run.visited / n, ""),
        Figure(part, "engine, placing and three sweeps", n / run.seconds, "documents/s"),
        Figure(part, "engine, placing and nine sweeps", n / harder.seconds, "documents/s"),
        Figure(part, "TextClust, predict and learn", n / pipeline, "documents/s"),
        Figure(part, "engine, three sweeps, against TextClust", pipeline / run.seconds, "times as fast", least=least),
        Figure(part, "the same against its learn_one alone", learn / run.seconds, "times as fast"),
        Figure(part, "engine, nine sweeps, against TextClust", pipeline / harder.seconds, "times as fast"),
        Figure(part, "engine, placing", 1e6 * run.watch.spent["add"] / n, "µs/document"),
        Figure(part, "engine, a visit in a sweep", 1e6 * visit, "µs"),
        Figure(part, f"HDPModel, a visit, {topics.model.live_k} topics at the end", 1e6 * iteration, "µs"),
        Figure(part, "engine's sweep against HDPModel, by visit", iteration / visit, "times as fast", least=faster),
        Figure(part, "engine, NMI", ours[0], ""),
        Figure(part, "engine, B-cubed F1", ours[1], ""),
        Figure(part, "TextClust, NMI", theirs[0], ""),
        Figure(part, "TextClust, B-cubed F1", theirs[1], ""),
    ]


def _feed(run: Run, begin: int, batch: list[Text], passes: int) -> None:
    with run.watch.on("split"):
        documents = [(text.id, float(begin + n), text.words.split()) for n, text in enumerate(batch)]
    run.add(documents)
    run.sweep(passes)


def _finish(run: Run, n: int, passes: int) -> None:
    """Let the last documents have as many visits as the others."""
    for passed in range(BATCH, WINDOW, BATCH):
        run.stream.advance(float(n - 1 + passed))
        run.sweep(passes)


def _score(texts: list[Text], truth: Any, labels: dict[str, int]) -> tuple[float, float]:
    found = np.array([labels[text.id] for text in texts])
    return normalized_mutual_information(truth, found), b_cubed(truth, found).f1
