"""Taking documents out of a model for good."""

from collections.abc import Mapping, Sequence

from core.lifecycle import Moved
from service.store.erasures import ErasureRow
from service.store.spans import Span

from .contents import stored_content
from .live import LiveStream
from .models import core_time


def erase(live: LiveStream, rows: Sequence[ErasureRow], left: Mapping[int, Span]) -> None:
    """As if they had never come. What tears off a thread becomes a thread of its own.

    left: settled documents that stay, by thread.
    """
    before = live.window_threads()
    live.stream.remove([str(row.seq) for row in rows if row.state == "provisional"])
    settled = [
        (str(row.seq), core_time(live.settings, row.time), stored_content(row.words, row.vector), row.thread)
        for row in rows
        if row.state == "settled" and row.thread is not None
    ]
    spans = {t: (core_time(live.settings, s.first), core_time(live.settings, s.last)) for t, s in left.items()}
    live.stream.remove_settled(settled, spans)
    for row in rows:
        live.step.forget(row.seq)
    live.note_threads()
    after = live.window_threads()
    moved = [Moved(name, before[name], thread) for name, thread in after.items() if thread != before[name]]
    live.note_moves(moved)
    live.reconcile()


def settled_threads(rows: Sequence[ErasureRow]) -> set[int]:
    """Threads that lose a settled document."""
    return {row.thread for row in rows if row.state == "settled" and row.thread is not None}
