"""A stream's model in memory: documents in, and what changed since it was last written down out."""

import math
import time
from collections.abc import Iterable, Sequence
from itertools import chain, islice, pairwise
from typing import Any

import core
from core.lifecycle import Changes
from core.lifecycle import Moved as Change
from core.samplers.place import RANKS
from service.store.parts import Part

from .contents import Arrival, content_of, fitting, has_room, runs
from .describe import describe
from .models import Model, StreamSettings, core_time, moment_of
from .placements import parts_of
from .records import Record, Records
from .step import Moved, Placed, Step
from .survey import survey
from .turns import Turns

BOUNDARY = 64  # documents between two sweeps, by arrival sequence, so that batches and crashes do not matter
TIDYING = (16, 32, 64)  # arrival sequences below BOUNDARY at which core itself tidies up
SLICE = 640  # visits of a resting stream between two looks at what came; fixed, so that the same moves are seen


class LiveStream:
    """One stream. Nothing here reads or writes the database."""

    def __init__(
        self,
        settings: StreamSettings,
        stream: Model,
        *,
        cursor: int = 0,
        clock: int | None = None,
        swept: int = 0,
        known: Iterable[Record] = (),
    ) -> None:
        self.settings = settings
        self.stream = stream
        self.cursor = cursor  # arrival sequence of the last document handled
        self.clock = clock  # event time of the newest document
        self.swept = swept  # the last boundary at which the window was swept
        self.records = Records(settings, known)
        self.step = Step()
        self.rest_left = 0  # visits

    @property
    def horizon(self) -> int | None:
        """Documents before it are settled."""
        clock = float(self.stream.clock[0])
        if math.isinf(clock):
            return None
        limit = clock - self.stream.window
        if isinstance(self.stream, core.Windowed):
            limit = max(limit, self.stream.horizon[0])
        return moment_of(self.settings, limit)

    @property
    def window_documents(self) -> int:
        return len(self.stream.sequences())

    def take_step(self, *, words: bool = True) -> Step:
        """What changed since the last call. words: with words and strengths of threads, which take time."""
        step, self.step = self.step, Step()
        step.threads = describe(self.stream, self.records, words=words)
        step.happenings = self.records.take_happenings()
        step.cursor, step.clock, step.horizon = self.cursor, self.clock, self.horizon
        if isinstance(self.stream, core.Windowed):
            step.settled = [int(name) for name in self.stream.take_settled()]
        return step

    # Documents in.

    @property
    def sweep_due(self) -> bool:
        """Whether the next thing to do is a sweep: nothing is placed beyond a boundary before."""
        return self.cursor - self.cursor % BOUNDARY > self.swept

    @property
    def boundary(self) -> int:
        """The arrival sequence after which the next sweep is due."""
        return self.cursor - self.cursor % BOUNDARY + BOUNDARY

    def place(self, arrivals: Sequence[Arrival]) -> None:
        """Place documents in the order of their arrival, none beyond the boundary; this ends a rest."""
        self.rest_left = 0
        contents = [content_of(arrival, self.settings) for arrival in arrivals]
        limit = self.settings.vocabulary
        if self.settings.kind == "words" and not has_room(self.stream, contents, limit):
            for arrival, content in zip(arrivals, contents, strict=True):
                self._place_or_rank([arrival], [fitting(self.stream, content, limit)])
            return
        for run in runs([arrival.seq for arrival in arrivals], TIDYING):
            self._place_or_rank(arrivals[run], contents[run])

    def skip_to(self, seq: int) -> None:
        """Documents up to this arrival sequence are erased or quarantined; not beyond the boundary."""
        self.cursor = max(self.cursor, seq)

    def _place_or_rank(self, arrivals: Sequence[Arrival], contents: Sequence[Any]) -> None:
        """Place documents, but those that are late although they lie inside the window are only told their thread."""
        late = self._late(arrivals)
        bounds = [0, *(n for n in range(1, len(late)) if late[n] != late[n - 1]), len(late)]
        for begin, end in pairwise(bounds):
            if late[begin]:
                for arrival, content in zip(arrivals[begin:end], contents[begin:end], strict=True):
                    self._rank(arrival, content)
            else:
                self._place(arrivals[begin:end], contents[begin:end])

    def _late(self, arrivals: Sequence[Arrival]) -> list[bool]:
        """Which lie behind the clock, as it stands when they come, by more than the lateness but not the window."""
        late, clock = [], self.clock
        for arrival in arrivals:
            behind = 0 if clock is None else clock - arrival.time
            late.append(self.settings.lateness < behind <= self.settings.window)
            clock = arrival.time if clock is None else max(clock, arrival.time)
        return late

    def _rank(self, arrival: Arrival, content: Any) -> None:
        """Tell a late document its thread; the model does not change."""
        found = self.stream.predict([(str(arrival.seq), core_time(self.settings, arrival.time), content)])[0]
        chances: list[tuple[int | None, float]] = [*islice(found.threads.items(), RANKS), (None, found.new)]
        best = sorted(chances, key=lambda pair: -pair[1])[:RANKS]
        self._note_placement(arrival, content, [Part(thread, chance) for thread, chance in best], late=True)
        self.cursor = arrival.seq

    def _place(self, arrivals: Sequence[Arrival], contents: Sequence[Any]) -> None:
        """Place documents without gaps in their sequence; core numbers them by arrival too."""
        times = [core_time(self.settings, arrival.time) for arrival in arrivals]
        self.stream.sequence = arrivals[0].seq - 1
        items = [(str(a.seq), when, content) for a, when, content in zip(arrivals, times, contents, strict=True)]
        ranked = list(self.stream.place(items))
        turns = Turns(self.settings, self.stream.events())
        late = chain.from_iterable(some.late.tolist() for some in ranked)
        every = zip(arrivals, times, contents, late, chain.from_iterable(map(parts_of, ranked)), strict=True)
        for arrival, when, content, is_late, parts in every:
            self._note_placement(arrival, content, parts, late=is_late)
            thread = parts[0].thread
            if not is_late and thread is not None:
                self.records.placed(thread, arrival.seq, arrival.time, turns.at(thread, when))
                self.clock = max(self.clock or 0, arrival.time)
        self.records.died(turns.rest())
        self.cursor = arrivals[-1].seq

    def _note_placement(self, arrival: Arrival, content: Any, parts: list[Part], *, late: bool) -> None:
        self.step.placed[arrival.seq] = Placed(
            arrival.seq,
            arrival.time,
            "late" if late else "provisional",
            parts[0].thread,
            parts[0].probability,
            arrival.title,
            content if self.settings.kind == "words" else None,
            parts,
        )

    # Sweeps.

    def sweep(self, visits: int) -> None:
        """The sweep that is due."""
        self.resample(visits)
        self.swept = self.cursor - self.cursor % BOUNDARY

    def resample(self, visits: int) -> int:
        """Sweep so many documents, then note what became of the threads; returns how many were swept."""
        swept = 0
        if visits and self.window_documents:
            self.records.update(survey(self.stream))
            started = time.perf_counter()
            changes = self.stream.sweep(documents=visits)
            swept = changes.visited
            self.step.visits += swept
            self.step.sweep_seconds = time.perf_counter() - started
            self._note(changes)
        if self.clock is not None:
            self.stream.advance(float(self.stream.clock[0]))
        self.reconcile()
        return swept

    def begin_rest(self, passes: int) -> None:
        """The stream is quiet: there is time for so many passes over its window."""
        self.rest_left = passes * self.window_documents

    def rest(self) -> bool:
        """One slice of the passes; True when all are done and every thread is to be written anew."""
        swept = self.resample(min(SLICE, self.rest_left))
        self.rest_left = max(self.rest_left - max(swept, SLICE), 0)
        if self.rest_left == 0:
            self.records.change_all()
        return self.rest_left == 0

    def _note(self, changes: Changes) -> None:
        now = self.clock or 0
        for thread in changes.born:
            self.records.split(thread, changes.split.get(thread), now)
        self.note_moves(changes.moved)
        for thread in changes.gone:
            self.records.ended(thread, changes.merged.get(thread), now)

    def note_moves(self, changes: Sequence[Change]) -> None:
        """Documents are in another thread now."""
        explained = parts_of(self.stream.explain_all([change.document for change in changes]))
        for change, parts in zip(changes, explained, strict=True):
            self.records.moved(int(change.document), change.before, change.after, self.clock or 0)
            self.step.move(Moved(int(change.document), change.after, parts[0].probability, parts))

    def note_threads(self) -> None:
        """Threads that came or went by a removal."""
        now = self.clock or 0
        rows = survey(self.stream)
        split = {event.thread: event.other for event in self.stream.events() if event.kind == "split"}
        for thread in rows.keys() - self.records.by_thread.keys():
            self.records.split(thread, split.get(thread), now)
        for thread in self.records.by_thread.keys() - rows.keys():
            self.records.ended(thread, None, now)

    def window_threads(self) -> dict[str, int]:
        """The thread of each document in the window."""
        names = self.stream.ids
        ids = (names[sequence] for sequence in self.stream.sequences().tolist())
        return dict(zip(ids, self.stream.names().tolist(), strict=True))

    def reconcile(self) -> None:
        """Bring the records in line with the model."""
        turned = {event.thread: moment_of(self.settings, event.time) for event in self.stream.events()}
        self.records.reconcile(survey(self.stream), self.stream.dead, turned, self.clock or 0)
