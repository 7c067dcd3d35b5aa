"""Documents out of a windowed stream: erased as if they had never come."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ArgumentError
from .lifecycle import Event
from .naming import rename
from .priors.rcrp import RCRP

if TYPE_CHECKING:
    from .windowed import Windowed


def remove(stream: "Windowed", gone: set[str]) -> None:
    """See `Windowed.remove`."""
    unknown = gone - stream.arrivals.keys()
    if unknown:
        raise ArgumentError("ids", f"names {min(unknown)!r:.40}", "name documents of the window")
    dropped = stream.memory.drop(lambda kept: kept.id in gone and kept.place > stream.horizon)
    _note_ends(stream, {kept.thread for kept in dropped})
    _split_torn(stream)


def remove_settled(
    stream: "Windowed", documents: Iterable[tuple[str, float, Any, int]], spans: Mapping[int, tuple[float, float]]
) -> None:
    """See `Windowed.remove_settled`."""
    gone = {(str(name), int(thread)) for name, _, _, thread in documents}
    life = stream.life
    for _, thread in gone:
        if thread in life:
            life[thread] = life[thread]._replace(settled=life[thread].settled - 1)
    stream.memory.drop(lambda kept: (kept.id, kept.thread) in gone and kept.place <= stream.horizon)
    for thread, (birth, last) in spans.items():
        if thread in life:
            life[thread] = life[thread]._replace(birth=birth, last=last)
    stream.life = {thread: one for thread, one in life.items() if one.settled > 0}
    _note_ends(stream, {thread for _, thread in gone})
    _split_torn(stream)


def _note_ends(stream: "Windowed", threads: set[int]) -> None:
    """Threads that have no document left died now, unless they were dead."""
    for thread in sorted(threads - stream.slot_of().keys()):
        if thread not in stream.dead:
            stream.pending.append(Event("died", thread, float(stream.clock[0]), None))
        stream.dead.discard(thread)


def _split_torn(stream: "Windowed") -> None:
    """What lies in the window behind a gap that the prior does not allow becomes a thread of its own."""
    memory = stream.memory
    if not isinstance(stream.prior, RCRP) or not memory.kept:
        return
    view = memory.view(memory.kept)
    groups = stream.possible(view.threads, view.times)
    named, stream.next_thread = rename(view.threads, groups, memory.context, stream.next_thread)
    for name in sorted(set(named.tolist()) - set(view.threads.tolist())):
        first = int(np.flatnonzero(named == name)[0])
        stream.pending.append(Event("split", name, float(view.times[first]), int(view.threads[first])))
    memory.rename(named.tolist())
