"""A title's words counted several times, or in a Dirichlet-multinomial of their own: which finds threads better.

    python -m benchmarks.fields FOLDER [--seeds 3] [--first N]

FOLDER holds email_rdevel_2010.jsonl.gz. A small sampler of its own treats both alike: documents are drawn into threads
in the order of their times, then resampled in three passes; a thread weighs Σ exp(-|Δt| rate) over its documents. Its
knobs are those that the stream learns on this collection; for fields of their own, a list of strengths for titles.
"""

import argparse
import math
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks.quality import days, rows_of
from core import metrics
from service.text.fields import Fields, clean
from service.text.words import words_of

FILE = "email_rdevel_2010"
ALPHA, HALF_LIFE, STRENGTH = 3.3, 1.0, 110.0  # documents, days, words
PASSES = 3
REACH = 40.0  # days; beyond, a document weighs nothing
SMOOTHING = 0.1
WAYS: dict[str, list[tuple[int, float, bool]]] = {  # times that a title counts, strength of titles, own field
    "counted with the text": [(0, 0.0, False), (1, 0.0, False), (2, 0.0, False), (3, 0.0, False), (5, 0.0, False)],
    "a field of its own": [
        (1, 3.0, True),
        (1, 10.0, True),
        (3, 3.0, True),
        (3, 10.0, True),
        (5, 3.0, True),
        (5, 10.0, True),
    ],
}


class Field(NamedTuple):
    """Words of one field of all documents. mass: strength times base."""

    starts: NDArray[np.int64]
    words: NDArray[np.int64]
    counts: NDArray[np.int64]
    mass: NDArray[np.float64]


def field_of(documents: list[dict[str, int]], strength: float) -> Field:
    """The base measure follows the number of documents that use a word."""
    number = {word: n for n, word in enumerate(sorted({word for counts in documents for word in counts}))}
    words = np.array([number[word] for counts in documents for word in counts], np.int64)
    used = np.bincount(words, minlength=max(len(number), 1)) + SMOOTHING
    return Field(
        np.cumsum([0, *map(len, documents)]),
        words,
        np.array([count for counts in documents for count in counts.values()], np.int64),
        strength * used / used.sum(),
    )


@numba.njit
def gain(field: Field, i: int, held: Any, total: float) -> float:
    """log p(document | thread) of one field, without what all threads share."""
    strength = field.mass.sum()
    length, value = 0, 0.0
    for w in range(field.starts[i], field.starts[i + 1]):
        count, base = field.counts[w], field.mass[field.words[w]] + held[field.words[w]]
        length += count
        value += math.lgamma(base + count) - math.lgamma(base)
    return value + math.lgamma(total + strength) - math.lgamma(total + strength + length)


@numba.njit
def move(field: Field, i: int, held: Any, total: Any, thread: int, sign: int) -> None:
    for w in range(field.starts[i], field.starts[i + 1]):
        held[thread, field.words[w]] += sign * field.counts[w]
        total[thread] += sign * field.counts[w]


@numba.njit
def sample(
    body: Field, title: Field, times: Any, labels: Any, held: Any, totals: Any, uniforms: Any, passes: int
) -> None:
    """labels: -1 for documents that have not come. held, totals: counts by field, thread and word; zeros at first."""
    rate = math.log(2.0) / HALF_LIFE
    documents = len(times)
    for step in range(documents * (1 + passes)):
        i = step % documents
        if labels[i] >= 0:
            move(body, i, held[0], totals[0], labels[i], -1)
            move(title, i, held[1], totals[1], labels[i], -1)
            labels[i] = -1
        weights = np.zeros(documents + 1)
        taken = np.zeros(documents + 1, np.bool_)
        for j in range(documents):
            if labels[j] >= 0:
                taken[labels[j]] = True
                if abs(times[j] - times[i]) < REACH:
                    weights[labels[j]] += math.exp(-rate * abs(times[j] - times[i]))
        free = 0
        while taken[free]:
            free += 1
        weights[free] = ALPHA
        scores = np.full(documents + 1, -np.inf)
        for k in range(documents + 1):
            if weights[k] > 0.0:
                scores[k] = math.log(weights[k])
                scores[k] += gain(body, i, held[0][k], totals[0][k]) + gain(title, i, held[1][k], totals[1][k])
        chances = np.cumsum(np.exp(scores - scores.max()))
        labels[i] = np.searchsorted(chances, uniforms[step] * chances[-1], side="right")
        move(body, i, held[0], totals[0], labels[i], 1)
        move(title, i, held[1], totals[1], labels[i], 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, help="only so many documents")
    arguments = parser.parse_args()
    rows = rows_of(arguments.folder, FILE)[: arguments.first]
    parts = [clean(Fields(row.get("title"), row["text"]), "mail") for row in rows]
    titles, texts = ([words_of(part[n], "en") for part in parts] for n in (0, 1))
    times = np.array([days(row["time"]) for row in rows])
    truth = np.unique([str(row["label"]) for row in rows], return_inverse=True)[1]
    for name, ways in WAYS.items():
        for weight, strength, apart in ways:
            found = [run(titles, texts, times, truth, weight, strength, apart, seed) for seed in range(arguments.seeds)]
            f1, ari, ratio = np.mean(found, axis=0)
            own = f", strength {strength:g}" if apart else ""
            print(f"{name}, {weight} times{own}: F1 {f1:.3f}, ARI {ari:.3f}, found/true {ratio:.2f}", flush=True)


def run(
    titles: list[list[str]],
    texts: list[list[str]],
    times: NDArray[np.float64],
    truth: NDArray[np.int64],
    weight: int,
    strength: float,
    apart: bool,
    seed: int,
) -> tuple[float, float, float]:
    """B-cubed F1, ARI, found to true threads."""
    bodies = [count(text + ([] if apart else title * weight)) for text, title in zip(texts, titles, strict=True)]
    heads = [count(title * weight if apart else []) for title in titles]
    body, head = field_of(bodies, STRENGTH), field_of(heads, strength if apart else 1.0)
    labels = np.full(len(times), -1)
    slots = len(times) + 1
    held = tuple(np.zeros((slots, len(field.mass)), np.int32) for field in (body, head))
    totals = tuple(np.zeros(slots) for _ in range(2))
    uniforms = np.random.default_rng(seed).random(len(times) * (1 + PASSES))
    sample(body, head, times, labels, held, totals, uniforms, PASSES)
    cubed = metrics.b_cubed(truth, labels)
    return cubed.f1, metrics.adjusted_rand_index(truth, labels), metrics.count_ratio(truth, labels)


def count(words: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


if __name__ == "__main__":
    main()
