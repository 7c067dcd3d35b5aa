"""A stream as bytes and back: its chain, its window documents, and what is counted of settled ones."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .chain import chain
from .documents import Rows
from .index import entries
from .intake import make_room_for_words
from .items import NONE
from .rebuild import Window, blank, count_settled, fill, restore_base
from .snapshot import pack, unpack
from .vocabulary import in_order

if TYPE_CHECKING:
    from .stream import Stream

Arrays = dict[str, NDArray[Any]]
COLUMNS = ("times", "sequence", "confidence", "points")
SUMS = ("size", "total", "error")  # of vectors, by slot


def to_bytes(stream: "Stream") -> bytes:
    """See `Stream.to_bytes`. Words are numbered in their own order, so that equal streams give equal bytes."""
    window = stream.window_range()
    arrays = {name: stream.documents[name][window] for name in COLUMNS}
    arrays["threads"] = stream.names()
    words = in_order(w for w in stream.vocabulary.word if w is not None) if stream.words else []
    rank = np.full(stream.vocabulary.extent, NONE, np.int64)
    rank[[stream.vocabulary.number[word] for word in words]] = np.arange(len(words))
    numbers = np.arange(window.start, window.stop)
    where = stream.documents.word_places(numbers)
    arrays["lengths"] = stream.documents["ends"][window] - stream.documents["starts"][window]
    arrays["words"] = rank[stream.documents.words[where]]
    arrays["counts"] = stream.documents.counts[where]
    arrays |= _settled(stream, rank)
    ids = [stream.ids[arrival] for arrival in stream.sequences().tolist()]
    return pack({"chain": chain(stream), "words": words, "ids": ids}, arrays)


def _settled(stream: "Stream", rank: NDArray[np.int64]) -> Arrays:
    """What is counted of settled documents: all that is counted but for the window's."""
    state = stream.labelling.likelihood
    if not stream.words:
        used = int(stream.labelling.slots.marks[1])
        return {f"settled.{name}": getattr(state, name)[:used] for name in SUMS}
    where, word = entries(state.postings)
    window = np.arange(int(stream.cursor[0]), stream.documents.count)
    inside = stream.documents.word_places(window)
    lengths = stream.documents["ends"][window] - stream.documents["starts"][window]
    slots = np.concatenate([state.postings.ids[where], np.repeat(stream.documents["labels"][window], lengths)])
    words = rank[np.concatenate([word, stream.documents.words[inside]])]
    counts = np.concatenate([state.postings.counts[where], -stream.documents.counts[inside]])
    keys, which = np.unique(slots * len(rank) + words, return_inverse=True)
    left = np.bincount(which, counts, len(keys)).astype(np.int64)
    keys, left = keys[left > 0], left[left > 0]
    size = max(len(rank), 1)
    return {"settled.slots": keys // size, "settled.words": keys % size, "settled.counts": left}


def from_bytes(cls: type["Stream"], data: bytes) -> "Stream":
    """See `Stream.from_bytes`."""
    header, arrays = unpack(data)
    stream = blank(cls, header["chain"])
    number = stream.vocabulary.encode(dict.fromkeys(header["words"], 1))[0]
    if stream.words:
        make_room_for_words(stream)
    bounds = np.cumsum(arrays["lengths"])[:-1]
    words = np.split(number[arrays["words"]], bounds) if len(arrays["times"]) else []
    counts = np.split(arrays["counts"], bounds) if len(arrays["times"]) else []
    rows = Rows(arrays["times"], arrays["sequence"], words, counts, arrays["points"])
    fill(stream, header["chain"], Window(rows, header["ids"], arrays["threads"], arrays["confidence"]))
    if stream.words:
        _count_words(stream, number, arrays)
    else:
        for name in SUMS:
            getattr(stream.labelling.likelihood, name)[: len(arrays[f"settled.{name}"])] = arrays[f"settled.{name}"]
    restore_base(stream, header["chain"])
    return stream


def _count_words(stream: "Stream", number: NDArray[np.int64], arrays: Arrays) -> None:
    """One settled document a slot stands for all of them."""
    slots, first = np.unique(arrays["settled.slots"], return_index=True)
    if len(slots) == 0:
        return
    words = np.split(number[arrays["settled.words"]], first[1:])
    counts = np.split(arrays["settled.counts"], first[1:])
    none = np.full(len(slots), NONE)
    count_settled(stream, Rows(np.zeros(len(slots)), none, words, counts, np.zeros((len(slots), 0))), slots)
