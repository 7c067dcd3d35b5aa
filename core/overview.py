"""What a stream knows: its threads, and where each document of the window is."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .documents import RING
from .housekeeping import weigh
from .index import entries
from .items import NONE
from .samplers.predict import gain_kernel

if TYPE_CHECKING:
    from .stream import Stream

TOP_WORDS = 8


class ThreadInfo(NamedTuple):
    """A live thread. size: documents, of which window_size are in the window. weight: in documents of age 0, now.
    birth, last: event times of its first and last document."""

    thread: int
    size: int
    window_size: int
    weight: float
    birth: float
    last: float
    top_words: list[Any]
    representative: str | None


class Assignment(NamedTuple):
    """The thread of a document now, in what share of the last labellings it was in it, and where else it was. Before
    its first labelling is kept, the probability is that of its placement."""

    document: str
    thread: int
    probability: float
    alternatives: dict[int, float]


def threads(stream: "Stream") -> list[ThreadInfo]:
    """See `Stream.threads`."""
    used, weights, _ = weigh(stream)
    slots, life = stream.labelling.slots, stream.life_table()
    labels, times = (stream.documents[column][stream.window_range()] for column in ("labels", "times"))
    sizes = np.bincount(labels, minlength=len(slots.size))
    birth, last = np.full(len(slots.size), np.inf), np.full(len(slots.size), -np.inf)
    np.minimum.at(birth, labels, times)
    np.maximum.at(last, labels, times)
    birth = np.where(life.settled > 0, np.minimum(birth, life.birth), birth)
    last = np.where(life.settled > 0, np.maximum(last, life.last), last)
    words, chosen = _relevant_words(stream, used), _representatives(stream, labels)
    found = [
        ThreadInfo(
            int(slots.names[s]),
            int(slots.size[s]),
            int(sizes[s]),
            float(np.exp(weight)),
            float(birth[s]),
            float(last[s]),
            words.get(s, []),
            chosen.get(s),
        )
        for s, weight in zip(used.tolist(), weights, strict=True)
        if int(slots.names[s]) not in stream.dead
    ]
    return sorted(found, key=lambda thread: (-thread.weight, thread.thread))


def _relevant_words(stream: "Stream", used: NDArray[np.int64]) -> dict[int, list[Any]]:
    """The words of each slot that are there most often times how much likelier than by the base measure."""
    if not stream.words:
        return {}
    state, known = stream.labelling.likelihood, stream.vocabulary.word
    where, word = entries(state.postings)
    slot, count = state.postings.ids[where], state.postings.counts[where]
    lift = count / state.total[slot] / (state.mass[word] / state.strength)
    relevance = count * np.log(np.maximum(lift, 1e-300))
    order = np.lexsort((-relevance, slot))
    bounds = np.searchsorted(slot[order], used), np.searchsorted(slot[order], used, side="right")
    top = {}
    for s, begin, end in zip(used.tolist(), *bounds, strict=True):
        least = -np.sort(-relevance[order[begin:end]])[:TOP_WORDS][-1] if end > begin else 0.0
        some = [e for e in order[begin:end] if relevance[e] >= least]  # with those as relevant as the last
        some.sort(key=lambda e: (-relevance[e], str(known[word[e]])))
        top[s] = [known[word[e]] for e in some[:TOP_WORDS]]
    return top


def _representatives(stream: "Stream", labels: NDArray[np.int64]) -> dict[int, str]:
    """The window document of each thread that is likeliest in it against a new one, per word."""
    held = np.arange(int(stream.cursor[0]), stream.documents.count)
    gains = np.zeros(len(held))
    gain_kernel(stream.labelling.state, held, gains)
    order = np.lexsort((-held, gains, labels))
    last = np.flatnonzero(np.diff(labels[order], append=-2))
    return {int(labels[d]): stream.ids[int(stream.documents["sequence"][held[d]])] for d in order[last]}


def assignments(stream: "Stream") -> list[Assignment]:
    """See `Stream.assignments`."""
    window = stream.window_range()
    now, confidence = stream.names(), stream.documents["confidence"][window]
    past = stream.documents["past"][window][:, RING - len(stream.kept) : RING - 1]
    sure = ((past == now[:, None]) | (past == NONE)).all(axis=1)
    certainty = np.where((past != NONE).any(axis=1), 1.0, confidence)
    found = []
    for d, sequence in enumerate(stream.sequences().tolist()):
        thread, probability = int(now[d]), float(certainty[d])
        others: dict[int, float] = {}
        if not sure[d]:
            known = past[d][past[d] != NONE]
            for name in known[known != thread].tolist():
                others[name] = others.get(name, 0.0) + 1.0 / (len(known) + 1)
            probability = 1.0 - sum(others.values())
        found.append(Assignment(stream.ids[sequence], thread, probability, others))
    return found
