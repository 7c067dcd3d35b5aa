"""Judging a model by documents that it has not seen (ddCRP paper eq. 15-17): fitted to the older ones, it predicts the
newest."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

import core
from core.metrics import HeldOut, held_out_likelihood

from .models import StreamSettings, core_time, fixed_knobs, half_life_seconds, new_likelihood, new_prior

FEWEST = 10  # documents that say anything
ROUND = 3  # sweeps in each round of learning
DRAWS = 8  # posterior samples that a prediction averages
SMOOTHING = 0.5  # occurrences that every word has in the base measure beside its own


class Corpus(NamedTuple):
    """Documents by event time, in microseconds: counts of words (sparse) or vectors (dense)."""

    moments: NDArray[np.int64]
    data: Any
    words: list[str]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each document; a vector is one."""
        counted = scipy.sparse.issparse(self.data)
        return np.asarray(self.data.sum(axis=1)).ravel() if counted else np.ones(len(self.moments), np.int64)


class Evaluation(NamedTuple):
    """What a model made of a corpus. labels: of all documents. held_out: of the newest, given the others."""

    labels: NDArray[np.int64]
    held_out: HeldOut
    alpha: float
    half_life: float | None  # seconds
    strength: float | None


def corpus_of(moments: Sequence[int], contents: Sequence[Any]) -> Corpus:
    """Documents in the order of their times."""
    if contents and not isinstance(contents[0], Mapping):
        return Corpus(np.array(moments, np.int64), np.array(contents, np.float64), [])
    words = sorted({word for content in contents for word in content})
    column = {word: c for c, word in enumerate(words)}
    columns = np.array([column[word] for content in contents for word in content], np.int64)
    counts = np.array([count for content in contents for count in content.values()], np.int64)
    starts = np.cumsum([0, *(len(content) for content in contents)])
    shape = len(contents), max(len(words), 1)
    return Corpus(np.array(moments, np.int64), scipy.sparse.csr_array((counts, columns, starts), shape=shape), words)


def evaluate(
    settings: StreamSettings, corpus: Corpus, *, held_out: float, sweeps: int, progress: Callable[[float], None]
) -> Evaluation:
    """Fit the model to all but the newest share of the documents, predict those, then group all of them."""
    times = np.array([core_time(settings, moment) for moment in corpus.moments.tolist()])
    known = len(times) - max(round(held_out * len(times)), 1)
    fitted = _fit(settings, corpus.data[:known], times[:known], sweeps, lambda share: progress(0.6 * share))
    models = fitted.prior, fitted.likelihood
    samples = core.sample(
        *models, corpus.data[:known], times[:known], draws=DRAWS, lag=2, seed=settings.seed, init=fitted.labels
    )
    progress(0.7)
    logs = core.held_out(*models, corpus.data, times, samples)
    progress(0.8)
    labels = core.sample(*models, corpus.data, times, draws=1, burn_in=sweeps // ROUND, seed=settings.seed)[0]
    progress(1.0)
    return Evaluation(
        labels,
        held_out_likelihood(logs, corpus.lengths[known:]),
        fitted.prior.alpha,
        half_life_seconds(settings, fitted.prior),
        getattr(fitted.likelihood, "strength", None),
    )


def _fit(settings: StreamSettings, data: Any, times: Any, sweeps: int, progress: Callable[[float], None]) -> Any:
    """Prior and likelihood with the knobs that the settings leave open learned, and labels."""
    rounds = max(sweeps // ROUND, 1)
    return core.learn(
        new_prior(settings),
        _likelihood(settings, data),
        data,
        times,
        rounds=rounds,
        sweeps=ROUND,
        seed=settings.seed,
        fixed=fixed_knobs(settings),
        progress=lambda done: progress(done / rounds),
    )


def _likelihood(settings: StreamSettings, data: Any) -> Any:
    likelihood = new_likelihood(settings)
    if settings.kind != "words":
        return likelihood
    base = np.asarray(data.sum(axis=0)).ravel() + SMOOTHING
    return replace(likelihood, base=base / base.sum())
