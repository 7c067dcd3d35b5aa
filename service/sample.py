"""Clustering a file of documents once: learned knobs, sweeps, and a table of the threads found."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import core

from .documents import Document, FileError, count_words
from .text import spelled

DAY = 86_400.0  # seconds
LEARNING_SHARE = 3  # sweeps in each round of learning
TOP_WORDS = 6
SMOOTHING = 0.5  # occurrences added to each word of the base measure, so that none has probability 0


class Settings(NamedTuple):
    """What the user set; None leaves a knob to be learned. Times are in the unit of the documents' times."""

    model: str = "tdpm"
    alpha: float | None = None
    half_life: float | None = None
    epoch: float = DAY  # rcrp only
    width: int = 7  # epochs; rcrp only
    strength: float | None = None
    sweeps: int = 200
    seed: int = 1


class Thread(NamedTuple):
    """One thread of the last sweep. size: documents. birth, last: times of its first and last document."""

    number: int
    size: int
    birth: float
    last: float
    words: list[str]
    documents: list[str]


class Result(NamedTuple):
    """Threads in the order of their births, and the knobs they were found with."""

    threads: list[Thread]
    knobs: dict[str, float]


def sample_threads(documents: list[Document], settings: Settings, progress: Callable[[int], None]) -> Result:
    """Learn the knobs left open, sweep, and describe the threads."""
    words, counts = count_words(documents)
    if not words:
        raise FileError("no document has a word of three letters or more; pass texts")
    times = np.array([document.time for document in documents])
    prior, likelihood = _models(settings, counts, times)
    if settings.model == "rcrp":
        times = np.floor(times / settings.epoch)
    learned = core.learn(
        prior,
        likelihood,
        counts,
        times,
        rounds=max(settings.sweeps // LEARNING_SHARE, 1),
        sweeps=LEARNING_SHARE,
        seed=settings.seed,
        fixed=_fixed(settings),
        progress=lambda done: progress(done * LEARNING_SHARE),
    )
    return Result(_threads(documents, learned.labels, words, counts), _knobs(learned, settings))


def _models(settings: Settings, counts: Any, times: NDArray[np.float64]) -> tuple[Any, Any]:
    base = np.asarray(counts.sum(axis=0)).ravel() + SMOOTHING
    strength = settings.strength or max(1.5 * counts.sum() / counts.shape[0], 1.0)
    likelihood = core.DirichletMultinomial(strength, base / base.sum())
    alpha = settings.alpha or 1.0
    span = float(times[-1] - times[0]) or 1.0
    if settings.model == "crp":
        return core.CRP(alpha), likelihood
    if settings.model == "rcrp":
        decay = settings.half_life / settings.epoch / np.log(2) if settings.half_life else settings.width / 2 or 1.0
        return core.RCRP(alpha, decay, settings.width), likelihood
    return core.TDPM(alpha, core.Exponential(np.log(2) / (settings.half_life or span / 10))), likelihood


def _fixed(settings: Settings) -> set[str]:
    fixed = {name for name in ("alpha", "strength") if getattr(settings, name) is not None}
    return fixed | ({"rate", "decay"} if settings.half_life is not None else set())


def _knobs(learned: core.Learned, settings: Settings) -> dict[str, float]:
    knobs = {"alpha": learned.prior.alpha, "strength": learned.likelihood.strength}
    if settings.model == "tdpm":
        knobs["half_life"] = float(np.log(2) / learned.prior.kernel.rate)
    if settings.model == "rcrp":
        knobs["half_life"] = float(np.log(2) * learned.prior.decay * settings.epoch)
    return knobs


def _threads(documents: list[Document], labels: NDArray[np.int64], words: list[str], counts: Any) -> list[Thread]:
    everyone = np.asarray(counts.sum(axis=0)).ravel()
    threads = []
    for label in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == label)
        own = np.asarray(counts[members].sum(axis=0)).ravel()
        threads.append(
            Thread(
                label + 1,
                len(members),
                documents[members[0]].time,
                documents[members[-1]].time,
                [spelled(words[w]) for w in _relevant(own, everyone)],
                [documents[m].id for m in members],
            )
        )
    return threads


def _relevant(own: NDArray[np.int64], everyone: NDArray[np.int64]) -> list[int]:
    """The words that set a thread apart: highest count times log of how much likelier they are in it than anywhere."""
    share = own / max(own.sum(), 1)
    score = own * np.log(
        np.maximum(share * everyone.sum() / np.maximum(everyone, 1), 1e-12), where=own > 0, out=np.zeros(len(own))
    )
    best = np.lexsort((np.arange(len(own)), -score))[:TOP_WORDS]
    return [int(w) for w in best if own[w] > 0]
