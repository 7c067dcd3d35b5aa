"""Documents out: erased as if they had never come."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError
from .housekeeping import forget, renumber, words_in_use
from .intake import read_content, read_time, to_rows
from .knobs import refresh
from .lifecycle import Event
from .samplers.place import removable_kernel
from .samplers.settle import unsettle_kernel

if TYPE_CHECKING:
    from .stream import Stream


def remove(stream: "Stream", ids: list[str]) -> None:
    """See `Stream.remove`."""
    for name in ids:
        if name not in stream.arrivals:
            raise ArgumentError(
                "ids",
                f"names {name!r:.40}, which is not in the window",
                "pass a document that has left it to remove_settled, with its time, content and thread",
            )
    arrivals = sorted({stream.arrivals[name] for name in ids})
    numbers = int(stream.cursor[0]) + np.flatnonzero(np.isin(stream.sequences(), arrivals))
    for number in numbers.tolist():
        _take_out(stream, number)
    for arrival in arrivals:
        del stream.arrivals[stream.ids.pop(arrival)]
    keep = np.ones(stream.documents.count, bool)
    keep[numbers] = False
    stream.order = stream.order[~np.isin(stream.order, numbers)]
    words = stream.documents.words[stream.documents.word_places(numbers)]
    renumber(stream, keep, 0)
    _give_up_words(stream, words)


def _give_up_words(stream: "Stream", words: NDArray[np.int64]) -> None:
    """Those of the words that nobody uses any more are as if they had never come, too."""
    if not stream.words or stream.likelihood.base is not None:
        return
    unused = np.zeros(stream.vocabulary.extent, bool)
    unused[words] = ~words_in_use(stream)[words]
    stream.vocabulary.release(unused)
    refresh(stream)


def _take_out(stream: "Stream", number: int) -> None:
    lab = stream.labelling
    slot = int(lab.labels[number])
    torn = not removable_kernel(lab.state, number)
    lab.unload(np.array([number]))
    if torn:
        _split_off(stream, number + 1, slot)
    if lab.slots.size[slot] == 0:
        note_end(stream, int(lab.slots.names[slot]))


def _split_off(stream: "Stream", first: int, slot: int) -> None:
    """Documents of a slot from `first` on become a thread of their own."""
    lab = stream.labelling
    later = first + np.flatnonzero(lab.labels[first : stream.documents.count] == slot)
    lab.unload(later)
    lab.widen_to(int(lab.slots.marks[2]) + 2)
    fresh = int(np.flatnonzero((lab.slots.size == 0) & (np.arange(len(lab.slots.size)) != slot))[0])
    name = int(lab.slots.marks[3])
    lab.slots.names[fresh] = name
    lab.slots.marks[3] += 1
    stream.life_table().settled[fresh] = 0
    lab.load(later, np.full(len(later), fresh))
    time = float(stream.documents["times"][later[0]])
    stream.pending.append(Event("split", name, time, int(lab.slots.names[slot])))


def note_end(stream: "Stream", thread: int) -> None:
    """A thread has no document left: it died now, unless it was dead."""
    if thread not in stream.dead:
        stream.pending.append(Event("died", thread, float(stream.clock[0]), None))
    stream.dead.discard(thread)


def remove_settled(
    stream: "Stream", documents: Iterable[tuple[str, float, Any, int]], spans: Mapping[int, tuple[float, float]]
) -> None:
    """See `Stream.remove_settled`."""
    slot_of = stream.slot_of()
    read = [(read_time(stream, time), read_content(stream, content), thread) for _, time, content, thread in documents]
    for time, content, thread in read:
        if time >= stream.clock[0] - stream.window:
            raise ArgumentError("documents", f"has one of time {time}, in the window", "pass its id to remove")
        if thread in slot_of:
            _take_out_settled(stream, time, content, slot_of[thread])
    if stream.words:
        every = dict.fromkeys((word for _, content, _ in read for word in content), 1)
        _give_up_words(stream, stream.vocabulary.look_up(every)[0])
    life = stream.life_table()
    for thread, span in spans.items():
        if thread in slot_of:
            life.birth[slot_of[thread]], life.last[slot_of[thread]] = span


def _take_out_settled(stream: "Stream", time: float, content: Any, slot: int) -> None:
    lab, life = stream.labelling, stream.life_table()
    if life.settled[slot] == 0 or not _holds(stream, slot, content):
        thread = int(lab.slots.names[slot])
        raise ArgumentError("documents", f"has one that thread {thread} never had", "pass each once, as it was added")
    held = stream.documents.count, stream.documents.used_words
    (number,) = stream.documents.append(to_rows(stream, [time], np.array([-1]), [content]))
    stream.attach_arrays()
    if life.settled[slot] == 1 == lab.slots.size[slot]:
        note_end(stream, int(lab.slots.names[slot]))
        forget(stream, np.array([slot]))
    else:
        unsettle_kernel(lab.state, life, int(number), slot)
    stream.documents.drop_last(*held)


def _holds(stream: "Stream", slot: int, content: Any) -> bool:
    """Whether a slot has the words of a document."""
    if not stream.words:
        return True
    words, counts, unknown = stream.vocabulary.look_up(content)
    postings = stream.labelling.likelihood.postings
    for word, count in zip(words.tolist(), counts.tolist(), strict=True):
        entries = slice(postings.start[word], postings.start[word] + postings.length[word])
        if postings.counts[entries][postings.ids[entries] == slot].sum() < count:
            return False
    return not unknown
