"""A stream from its chain and its labelled documents."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .chain import known_threads
from .documents import RING, Rows
from .errors import ArgumentError
from .intake import make_room_for_words, read_content, to_rows
from .items import NONE
from .knobs import frequencies, rebase
from .lifecycle import Event
from .samplers.settle import count_kernel, keep_kernel
from .specification import build_model
from .sweeping import Scan, left_of

if TYPE_CHECKING:
    from .stream import Stream

AT_ONCE = 4096  # settled documents counted at a time


class Labelled(NamedTuple):
    """A document with its label. sequence: the arrival number of its placement, probability that of its placement."""

    id: str
    time: float
    content: Any
    thread: int
    sequence: int
    probability: float = 0.0


class Window(NamedTuple):
    """The documents of the window, in any order."""

    rows: Rows
    ids: list[str]
    threads: NDArray[np.int64]
    confidence: NDArray[np.float64]


def from_labels(cls: type["Stream"], chain: Mapping[str, Any], documents: Iterable[Any]) -> "Stream":
    """See `Stream.from_labels`."""
    stream = blank(cls, chain)
    slot_of = dict(zip(known_threads(chain), chain["threads"]["slot"], strict=True))
    horizon = stream.clock[0] - stream.window
    inside: list[Labelled] = []
    settled: list[Labelled] = []
    for document in documents:
        one = Labelled(*document)
        if one.thread in slot_of:
            (settled if one.time < horizon else inside).append(one._replace(content=read_content(stream, one.content)))
    _check_complete(chain, settled, slot_of)
    sequence = np.array([d.sequence for d in inside], np.int64)
    window = Window(
        to_rows(stream, (d.time for d in inside), sequence, [d.content for d in inside]),
        [d.id for d in inside],
        np.array([d.thread for d in inside], np.int64),
        np.array([d.probability for d in inside]),
    )
    fill(stream, chain, window)
    for begin in range(0, len(settled), AT_ONCE):
        some = settled[begin : begin + AT_ONCE]
        rows = to_rows(stream, (d.time for d in some), np.full(len(some), NONE), [d.content for d in some])
        count_settled(stream, rows, np.array([slot_of[d.thread] for d in some], np.int64))
    restore_base(stream, chain)
    return stream


def _check_complete(chain: Mapping[str, Any], settled: list[Labelled], slot_of: dict[int, int]) -> None:
    counts = dict.fromkeys(slot_of, 0)
    for document in settled:
        counts[document.thread] += 1
    for thread, wanted in zip(counts, chain["threads"]["settled"], strict=True):
        if counts[thread] != wanted:
            raise ArgumentError(
                "documents",
                f"have {counts[thread]} settled ones of thread {thread}, not {wanted}",
                "pass all that were ever in it, but for late ones",
            )


def blank(cls: type["Stream"], chain: Mapping[str, Any]) -> "Stream":
    """A stream without documents, at the chain's point of time and chance."""
    known_threads(chain)
    window, seed, fixed, dimensions = chain["settings"]
    models = build_model(chain["prior"]), build_model(chain["likelihood"])
    stream = cls(*models, window=float(window), seed=seed, fixed=fixed, dimensions=dimensions)
    stream.clock[0] = float(chain["clock"])
    stream.first_strength = chain.get("first_strength", stream.first_strength)
    stream.sequence, stream.passes = chain["sequence"], chain["passes"]
    stream.rng.bit_generator.state = chain["random"]
    stream.dead = set(chain["dead"])
    stream.pending = [Event(*event) for event in chain["pending"]]
    return stream


def fill(stream: "Stream", chain: Mapping[str, Any], window: Window) -> None:
    """Put settled weights and window documents where they were."""
    _open_threads(stream, chain)
    _keep_folded(stream, chain)
    _load_window(stream, window, dict(zip(chain["threads"]["thread"], chain["threads"]["slot"], strict=True)))
    _restore_ring(stream, chain)
    if chain["scan"] is not None:
        stream.scan = Scan(*chain["scan"])
        stream.order = left_of(stream, stream.scan)


def _open_threads(stream: "Stream", chain: Mapping[str, Any]) -> None:
    lab, threads = stream.labelling, chain["threads"]
    slot = np.array(threads["slot"], np.int64)
    lab.widen_to(int(slot.max(initial=0)) + 2)
    life = stream.life_table()
    lab.slots.names[slot] = threads["thread"]
    life.settled[slot], life.birth[slot], life.last[slot] = threads["settled"], threads["birth"], threads["last"]
    lab.slots.size[slot] = threads["settled"]
    used = np.flatnonzero(lab.slots.size)
    lab.slots.marks[:] = 0, int(used.max(initial=-1)) + 1, len(used), chain["next_thread"]
    lab.prior.attached[0] = lab.slots.size.sum()


def _keep_folded(stream: "Stream", chain: Mapping[str, Any]) -> None:
    kept = {name: np.array(column) for name, column in chain["folded"].items()}
    order = np.lexsort((kept["sequence"], kept["time"]))
    slot, sequence, count = (kept[name][order].astype(np.int64) for name in ("slot", "sequence", "count"))
    none = [np.zeros(0, np.int64)] * len(order)
    points = np.zeros((len(order), stream.dimensions))
    numbers = stream.documents.append(Rows(kept["time"][order].astype(np.float64), sequence, none, none, points))
    stream.attach_arrays()
    stream.documents["labels"][numbers] = slot
    stream.cursor[0] = len(numbers)
    value = kept["value"][order].astype(np.float64)
    lab = stream.labelling
    lab.run(lambda begin: keep_kernel(lab.state, numbers, slot, count, value, begin))


def _load_window(stream: "Stream", window: Window, slot_of: dict[int, int]) -> None:
    rows = window.rows
    order = np.lexsort((rows.sequence, rows.times))
    sorted_rows = Rows(
        rows.times[order],
        rows.sequence[order],
        [rows.words[d] for d in order],
        [rows.counts[d] for d in order],
        rows.points[order],
    )
    numbers = stream.documents.append(sorted_rows)
    stream.attach_arrays()
    stream.labelling.load(numbers, np.array([slot_of[t] for t in window.threads[order].tolist()], np.int64))
    stream.documents["confidence"][numbers] = window.confidence[order]
    stream.ids = dict(zip(sorted_rows.sequence.tolist(), (window.ids[d] for d in order), strict=True))
    stream.arrivals = {name: arrival for arrival, name in stream.ids.items()}


def _restore_ring(stream: "Stream", chain: Mapping[str, Any]) -> None:
    sequence, now = stream.sequences(), stream.names()
    by_arrival = np.argsort(sequence)
    past = stream.documents["past"][stream.window_range()]
    for column, (before, arrivals, threads) in enumerate(chain["ring"], RING - len(chain["ring"])):
        past[:, column] = np.where(sequence < before, now, NONE)
        where = by_arrival[np.searchsorted(sequence[by_arrival], np.array(arrivals, np.int64))]
        past[where, column] = threads
        stream.kept.append(before)


def count_settled(stream: "Stream", rows: Rows, slots: NDArray[np.int64]) -> None:
    """Count words or vectors of settled documents into slots."""
    held = stream.documents.count, stream.documents.used_words
    numbers = stream.documents.append(rows)
    stream.attach_arrays()
    lab = stream.labelling
    lab.run(lambda begin: count_kernel(lab.state, numbers, slots, begin))
    stream.documents.drop_last(*held)


def restore_base(stream: "Stream", chain: Mapping[str, Any]) -> None:
    """Make the base measure from the frequencies that it was made from."""
    base, vocabulary = chain["base"], stream.vocabulary
    if base is None:
        return
    vocabulary.encode(dict.fromkeys(base["idle"], 1))
    make_room_for_words(stream)
    vocabulary.mark(frequencies(stream))
    for word, more in base["since"]:
        vocabulary.then[vocabulary.number[word]] += more
    vocabulary.size_then = base["size"]
    rebase(stream, vocabulary.then, base["size"], base["strength"])
