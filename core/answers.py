"""What a stream knows: its threads, and probabilities for documents that it has not stored."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from .index import entries
from .items import NONE
from .samplers.place import gain_kernel, predict_kernel

if TYPE_CHECKING:
    from .stream import Stream

TOP_WORDS = 8


class Prediction(NamedTuple):
    """Probabilities over threads and a new one, which sum to 1; log p per token (per vector: the log density)."""

    threads: dict[int, float]
    new: float
    log_p: float


class ThreadInfo(NamedTuple):
    """A live thread. size: documents, of which window_size are in the window. weight: in documents of age 0, now."""

    thread: int
    size: int
    window_size: int
    weight: float
    birth: float
    last: float
    top_words: list[Any]
    representative: str | None


def predict(stream: "Stream", batch: list[tuple[str, float, Any]]) -> list[Prediction]:
    """Probabilities over threads and a new one for documents that are not stored, averaged over the last labellings
    (ddCRP paper eq. 15). Times before the clock count as now. Nothing changes."""
    held = stream.documents.count
    numbers, unknown = _lay_out(stream, batch)
    found: list[list[dict[int, float]]] = [[] for _ in batch]
    logs = []
    lab = stream.labelling
    kept = lab.slots.names.copy(), lab.slots.marks.copy()
    for moved, slots in _labellings(stream):
        own = lab.labels[moved].copy()
        lab.unload(moved)
        lab.load(moved, slots)
        logs.append(_predict_once(stream, numbers, found))
        lab.unload(moved)
        lab.load(moved, own)
        lab.slots.names[:] = np.pad(kept[0], (0, len(lab.slots.names) - len(kept[0])))
        lab.slots.marks[:] = kept[1]
    stream.documents.count = held
    return [_prediction(stream, found[r], np.array(logs)[:, r], batch[r], unknown[r]) for r in range(len(batch))]


def _lay_out(stream: "Stream", batch: list[tuple[str, float, Any]]) -> tuple[NDArray[np.int64], list[int]]:
    """Append documents without learning their words; returns their numbers and how many words are unknown."""
    times = np.maximum([when for _, when, _ in batch], stream.clock[0])
    none = np.zeros(0, np.int64)
    if not stream.words:
        words, counts, points = stream.encode([content for _, _, content in batch])
        unknown = [0] * len(batch)
    else:
        parts = [stream.vocabulary.look_up("content", content) for _, _, content in batch]
        words, counts, unknown = [p[0] for p in parts], [p[1] for p in parts], [p[2] for p in parts]
        points = np.zeros((len(batch), 0))
    numbers = stream.documents.append(times, np.full(len(batch), NONE, np.int64), words or [none][:0], counts, points)
    stream.documents["lengths"][numbers] += np.array(unknown, np.int64)
    stream.attach_arrays(stream.labelling)
    return numbers, unknown


def _labellings(stream: "Stream") -> Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For the labels as they are and each labelling kept: documents that are elsewhere there, and in which slot.
    A thread that is no more gets a free slot without a name."""
    yield np.zeros(0, np.int64), np.zeros(0, np.int64)
    lab = stream.labelling
    for sequence, names in list(stream.ring)[:-1]:
        _, here, there = np.intersect1d(stream.sequences(), sequence, return_indices=True)
        differ = stream.names()[here] != names[there]
        documents, wanted = here[differ] + int(stream.cursor[0]), names[there[differ]]
        used = np.flatnonzero(lab.slots.size)
        slot_of = dict(zip(lab.slots.names[used].tolist(), used.tolist(), strict=True))
        lost = sorted(set(wanted.tolist()) - slot_of.keys())
        lab.widen_to(len(used) + len(lost) + 1)
        free = np.flatnonzero(lab.slots.size == 0)[: len(lost)]
        lab.slots.names[free] = NONE
        slot_of |= dict(zip(lost, free.tolist(), strict=True))
        yield documents, np.array([slot_of[name] for name in wanted.tolist()], np.int64)


def _predict_once(
    stream: "Stream", numbers: NDArray[np.int64], found: list[list[dict[int, float]]]
) -> NDArray[np.float64]:
    lab = stream.labelling
    most = int(lab.slots.marks[2]) + 1
    chances, names = np.zeros((len(numbers), most)), np.zeros((len(numbers), most), np.int64)
    counts, logs = np.zeros(len(numbers), np.int64), np.zeros(len(numbers))
    predict_kernel(lab.prior, lab.likelihood, lab.items, lab.slots, lab.scratch, numbers, chances, names, counts, logs)
    for r, count in enumerate(counts):
        row: dict[int, float] = {}
        for name, chance in zip(names[r, :count].tolist(), chances[r, :count].tolist(), strict=True):
            row[name] = row.get(name, 0.0) + chance
        found[r].append(row)
    return logs


def _prediction(
    stream: "Stream",
    rows: list[dict[int, float]],
    logs: NDArray[np.float64],
    item: tuple[str, float, Any],
    unknown: int,
) -> Prediction:
    mean: dict[int, float] = {}
    for row in rows:
        for name, chance in row.items():
            mean[name] = mean.get(name, 0.0) + chance / len(rows)
    new = mean.pop(NONE, 0.0)
    log_p = float(logsumexp(logs) - math.log(len(logs)))
    if stream.words:
        content = item[2]
        tokens = sum(content.values()) if isinstance(content, Mapping) else len(list(content))
        log_p = (log_p + unknown * math.log(stream.unit_mass)) / max(tokens, 1)
    return Prediction(dict(sorted(mean.items(), key=lambda pair: -pair[1])), new, log_p)


def threads(stream: "Stream") -> list[ThreadInfo]:
    """Every live thread, heaviest first."""
    used, weights, _ = stream.weigh()
    slots = stream.labelling.slots
    held = np.arange(int(stream.cursor[0]), stream.documents.count)
    labels, times = stream.documents["labels"][held], stream.documents["times"][held]
    words, chosen = _relevant_words(stream, used), _representatives(stream, held, labels)
    threads = []
    for slot, weight in zip(used.tolist(), weights.tolist(), strict=True):
        own = times[labels == slot]
        settled = int(stream.life_table().settled[slot])
        birth = stream.life.birth[slot] if settled else own.min()
        last = own.max() if len(own) else stream.life.last[slot]
        if int(slots.names[slot]) not in stream.dead:
            threads.append(
                ThreadInfo(
                    int(slots.names[slot]),
                    int(slots.size[slot]),
                    len(own),
                    math.exp(weight),
                    float(birth),
                    float(last),
                    words.get(slot, []),
                    chosen.get(slot),
                )
            )
    return sorted(threads, key=lambda thread: (-thread.weight, thread.thread))


def _relevance(stream: "Stream") -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Slot, word and relevance of every count: how often, times how much likelier than by the base measure."""
    state = stream.labelling.likelihood
    where, word = entries(state.postings)
    slot, count = state.postings.ids[where], state.postings.counts[where]
    lift = count / state.total[slot] / (state.mass[word] / state.strength)
    return slot, word, count * np.log(np.maximum(lift, 1e-300))


def _relevant_words(stream: "Stream", used: NDArray[np.int64]) -> dict[int, list[Any]]:
    if not stream.words:
        return {}
    slot, word, relevance = _relevance(stream)
    order = np.lexsort((word, -relevance, slot))
    begins = np.searchsorted(slot[order], used)
    ends = np.searchsorted(slot[order], used, side="right")
    return {
        int(s): [stream.vocabulary.word[w] for w in word[order[b : min(e, b + TOP_WORDS)]]]
        for s, b, e in zip(used, begins, ends, strict=True)
    }


def _representatives(stream: "Stream", held: NDArray[np.int64], labels: NDArray[np.int64]) -> dict[int, str]:
    """The window document of each thread that is likeliest in it against a new one, per word."""
    gains = np.zeros(len(held))
    lab = stream.labelling
    gain_kernel(lab.likelihood, lab.items, lab.labels, held, gains)
    order = np.lexsort((-held, gains, labels))
    last = np.flatnonzero(np.diff(labels[order], append=-2))
    return {int(labels[d]): stream.ids[int(stream.documents["sequence"][held[d]])] for d in order[last]}
