"""One import: the source is read into the spool, the spool is sent in order of time; both go on where they stopped."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import accumulate, takewhile
from typing import Any, Protocol, TypeVar

from service.store.spool import Skipped, Spool, Waiting
from service.times import format_moment

from .items import Found, Item, Source
from .target import Outcome, Target, patiently

T = TypeVar("T")
READ_AT_ONCE = 200  # items between two notes of the position
SENT_AT_ONCE = 500  # documents
BYTES_AT_ONCE = 4 << 20  # of a request, if the service allows them


@dataclass
class Counts:
    """What an import has done so far. first, last: microseconds since 1970; highest: of the sequence numbers."""

    read: int = 0
    new: int = 0
    duplicates: int = 0
    cut: int = 0
    first: int | None = None
    last: int | None = None
    highest: int = 0


class Progress(Protocol):
    """Shows how far it is."""

    def reading(self, done: int, total: int | None) -> None: ...
    def sending(self, done: int, total: int) -> None: ...
    def trouble(self, message: str) -> None: ...


class Import:
    """A source on its way into a stream."""

    def __init__(self, source: Source, spool: Spool, target: Target, stream: str, progress: Progress) -> None:
        self._source, self._spool, self._target = source, spool, target
        self._stream, self._progress = stream, progress
        self._limits = self._ask(target.limits)
        self.counts = Counts(**spool.fact("counts", {}))

    def begin(self, stream_id: str, *, fresh: bool) -> None:
        """Go on with an import that was interrupted, or begin a new account of what is new.

        A stream that is not the one of last time knows nothing yet, so that the source is read from its beginning.
        """
        other = self._spool.fact("stream") not in (None, stream_id)
        if fresh or other or self._spool.fact("finished", True):
            self._spool.forget(position=fresh or other)
            highest = int(self._ask(lambda: self._target.stats(self._stream))["accepted"])
            self.counts = Counts(highest=highest)
        self._spool.put([], [], [], stream=stream_id, finished=False, counts=asdict(self.counts))

    def read(self) -> None:
        """Read all that is new in the source."""
        batch: list[Item] = []
        for item in self._source.items(self._spool):
            batch.append(item)
            if len(batch) == READ_AT_ONCE:
                self._keep(batch)
                batch.clear()
        self._keep(batch)

    def send(self) -> None:
        """Send all that is read and not yet sent."""
        total, done = self._spool.waiting(), 0
        self._progress.sending(0, total)
        while batch := self._fitting(self._spool.oldest(SENT_AT_ONCE)):
            conflict = "ignore" if self._source.copies else "reject"
            lines = [waiting.line for waiting in batch]
            self._note(batch, self._ask(lambda: self._target.post(self._stream, lines, conflict)))  # noqa: B023
            done += len(batch)
            self._progress.sending(done, total)

    def finish(self) -> None:
        """Close the account; the next import of the source begins another one."""
        self._spool.put([], [], [], finished=True)
        self._spool.shrink()

    def _ask(self, call: Callable[[], T]) -> T:
        return patiently(call, self._progress.trouble)

    def _keep(self, batch: list[Item]) -> None:
        if not batch:
            return
        found = [(item.found.time, item.place, self._line(item.found)) for item in batch if item.found]
        skipped = [Skipped(item.place, item.problem) for item in batch if item.problem]
        seen = [item.seen for item in batch if item.seen]
        counts = self.counts
        counts.read += len(found) + len(skipped)
        times = [time for time, _, _ in found]
        counts.first = min((*times, *([counts.first] if counts.first is not None else [])), default=None)
        counts.last = max((*times, *([counts.last] if counts.last is not None else [])), default=None)
        positions = [item.position for item in batch if item.position is not None]
        facts = {"position": positions[-1]} if positions else {}
        self._spool.put(found, skipped, seen, counts=asdict(counts), **facts)
        self._progress.reading(batch[-1].done, self._source.total)

    def _line(self, found: Found) -> bytes:
        """The document as the API takes it, its text cut to what the service allows."""
        longest = int(self._limits["text_characters"])
        self.counts.cut += len(found.text) > longest
        document: dict[str, Any] = found._asdict() | {"time": format_moment(found.time), "text": found.text[:longest]}
        document = {name: value for name, value in document.items() if value is not None}
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()

    def _fitting(self, waiting: list[Waiting]) -> list[Waiting]:
        """As many as a request may hold, and at least one."""
        room = min(BYTES_AT_ONCE, int(self._limits["body_bytes"]))
        sizes = accumulate(len(one.line) + 1 for one in waiting)
        return waiting[: max(1, sum(1 for _ in takewhile(lambda size: size <= room, sizes)))]

    def _note(self, batch: list[Waiting], outcomes: list[Outcome]) -> None:
        """Count the answers. What has a higher number than all before is new, even if an earlier try had stored it."""
        counts, refused = self.counts, [one for one in outcomes if one.problem is not None]
        numbers = {one.seq for one in outcomes if one.problem is None and one.seq is not None}
        new = {number for number in numbers if number > counts.highest}
        counts.new += len(new)
        counts.duplicates += len(batch) - len(refused) - len(new)
        counts.highest = max((*new, counts.highest))
        skipped = [Skipped(batch[one.place].place, one.problem or "") for one in refused]
        self._spool.sent([waiting.number for waiting in batch], skipped, counts=asdict(counts))
