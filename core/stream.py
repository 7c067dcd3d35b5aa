"""The incremental engine: documents are placed as they arrive, a window of them is resampled, the rest is settled."""

import math
import time as clock_time
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .answers import Prediction, ThreadInfo, predict, threads
from .documents import Documents
from .errors import ArgumentError
from .items import float_array, positive, whole
from .knobs import UNSEEN, learn_knobs, named_documents, refresh
from .lifecycle import Changes, Event, Moved, lineage
from .likelihoods.dirichlet_multinomial import DirichletMultinomial, with_masses, with_vocabulary
from .placement import Placement, new_ranking, placement
from .priors.rcrp import RCRP
from .priors.tdpm import TDPMState
from .resume import fill_from, to_bytes
from .samplers.gibbs import check_models, generator
from .samplers.labelling import Labelling
from .samplers.moves import LARGEST, moves_kernel
from .samplers.place import (
    RANKS,
    Life,
    Ranking,
    forget_kernel,
    late_kernel,
    place_kernel,
    removable_kernel,
    renumber_kernel,
    settle_kernel,
    weigh_kernel,
)
from .snapshot import unpack
from .specification import build_model
from .vocabulary import Vocabulary

HOUSEKEEPING = 1024  # documents between two rounds of forgetting; by sequence, so that batches do not matter
DEATH = 0.01  # a thread is dead when its weight falls below this share of alpha
OBLIVION = 1e-6  # and is forgotten, never to be revived, below this share
MOVES_PER_DOCUMENT = 0.02  # split-merge proposals in a sweep, at least one
RING = 8  # labellings kept for predictions
TOP_WORDS = 8
CHUNK = 256  # documents swept between two looks at the clock


class Death(NamedTuple):
    """A thread whose weight fell below the death share of alpha, and when."""

    thread: int
    time: float


class Stream:
    """A stream of documents in threads.

    window: span of event time in which documents are still resampled, unit of the times (epochs for RCRP).
    fixed: names of knobs ("alpha", "rate", "decay", "strength") that are kept as given instead of learned.
    Words: the base measure follows the frequencies in the window unless the likelihood has a base of its own, given for
    words numbered from 0.
    """

    def __init__(
        self, prior: Any, likelihood: Any, *, window: float, seed: int, fixed: Collection[str] = (), dimensions: int = 0
    ) -> None:
        check_models(prior, likelihood)
        self.prior, self.likelihood = prior, likelihood
        self.window = positive("window", window, infinite=True)
        self.seed = seed
        self.fixed = frozenset(fixed)
        self.rng = generator(seed)
        self.words = isinstance(likelihood, DirichletMultinomial)
        self.dimensions = 0 if self.words else whole("dimensions", dimensions, 1)
        self.documents = Documents(self.dimensions)
        self.vocabulary = Vocabulary()
        self.unit_mass = 1.0
        capacity = 64
        self.labelling = self._start(capacity)
        self.life = Life(np.zeros(capacity, np.int64), np.zeros(capacity), np.zeros(capacity))
        self.clock = np.array([-math.inf])
        self.cursor = np.zeros(1, np.int64)  # number of the first document that is not settled
        self.sequence = 0  # documents accepted so far
        self.order = np.zeros(0, np.int64)  # what is left of the current pass
        self.ids: dict[int, str] = {}  # sequence -> id, of documents held
        self.ring: deque[tuple[NDArray[np.int64], NDArray[np.int64]]] = deque(maxlen=RING)
        self.dead: set[int] = set()
        self.pending: list[Event] = []
        self.passes = 0

    def _start(self, capacity: int) -> Labelling:
        """Empty states."""
        words = 0
        if self.words:
            words = 1024
            if self.likelihood.base is not None:
                words = len(self.likelihood.base)
                for word in range(words):
                    self.vocabulary.encode("base", [word])
        labelling = Labelling(
            self.prior, self.likelihood, self.documents.items()._replace(times=np.zeros(0)), words, capacity
        )
        self.attach_arrays(labelling)
        if self.words and self.likelihood.base is None:
            self.unit_mass = self.likelihood.strength / UNSEEN
            mass = np.full(words, self.unit_mass)
            labelling.likelihood = with_masses(labelling.likelihood, mass, self.likelihood.strength)
        return labelling

    def attach_arrays(self, labelling: Labelling) -> None:
        labelling.items = self.documents.items()
        labelling.labels = self.documents["labels"]
        labelling.confidence = self.documents["confidence"]

    # Documents in.

    def add(self, items: Iterable[Any]) -> list[Placement]:
        """Place documents in the order given, each at once and in its most probable thread.

        An item is (id, time, content) or a mapping with these keys; content lists words, maps words to counts, or is a
        vector. A document older than the window is ranked against the threads as they stood then and changes nothing.
        """
        batch = [self.read(item) for item in items]
        placed: list[Placement] = []
        while len(placed) < len(batch):
            due = next_housekeeping(self.sequence)
            placed += self._add(batch[len(placed) : len(placed) + due - self.sequence])
            if self.sequence == due:
                self._tidy()
        return placed

    def read(self, item: Any) -> tuple[str, float, Any]:
        fields = [item[name] for name in ("id", "time", "content")] if isinstance(item, Mapping) else list(item)
        if len(fields) != 3:
            raise ArgumentError("items", f"has {item!r:.40}", "pass (id, time, content)")
        when = float_array("time", fields[1])
        if when.shape != () or not np.isfinite(when):
            raise ArgumentError("time", f"is {fields[1]!r:.40}", "pass a finite number")
        if isinstance(self.prior, RCRP) and when != np.floor(when):
            raise ArgumentError("time", f"is {fields[1]!r:.40}", "pass a whole epoch number")
        return str(fields[0]), float(when), fields[2]

    def encode(
        self, contents: Sequence[Any]
    ) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]], NDArray[np.float64]]:
        none = np.zeros(0, np.int64)
        if not self.words:
            points = np.array([float_array("content", content) for content in contents]).reshape(len(contents), -1)
            if points.shape[1] != self.dimensions or not np.isfinite(points).all():
                raise ArgumentError(
                    "content", f"has shape {points.shape[1:]}", f"pass {self.dimensions} finite numbers"
                )
            return [none] * len(contents), [none] * len(contents), points
        pairs = [self.vocabulary.encode("content", content) for content in contents]
        self._make_room_for_words()
        return [p[0] for p in pairs], [p[1] for p in pairs], np.zeros((len(contents), 0))

    def _make_room_for_words(self) -> None:
        state = self.labelling.likelihood
        if len(self.vocabulary) > len(state.mass):
            if self.likelihood.base is not None:
                raise ArgumentError(
                    "content", "has a word outside the base", "number words from 0 to the base's length - 1"
                )
            self.labelling.likelihood = with_vocabulary(state, 2 * len(self.vocabulary), self.unit_mass)

    def _add(self, batch: list[tuple[str, float, Any]]) -> list[Placement]:
        """Place some documents between two rounds of housekeeping."""
        words, counts, points = self.encode([content for _, _, content in batch])
        times = np.array([when for _, when, _ in batch])
        horizon = np.maximum.accumulate(np.maximum(times, self.clock[0])) - self.window
        late = times < horizon
        sequence = np.arange(self.sequence, self.sequence + len(batch))
        self.sequence += len(batch)
        ranking = new_ranking(len(batch), sum(map(len, words)))
        starts = np.cumsum([0, *map(len, words)])
        bounds = np.flatnonzero(np.diff(late, prepend=not late[0], append=not late[-1]))
        for begin, end in pairwise(bounds):
            rows = np.arange(begin, end)
            part = times[rows], sequence[rows], words[begin:end], counts[begin:end], points[rows]
            if late[begin]:
                self._rank_late(part, rows, starts, ranking)
            else:
                self.ids.update((int(s), batch[r][0]) for s, r in zip(sequence[rows], rows, strict=True))
                self._place(part, rows, starts, ranking)
        return [
            placement(self.vocabulary, batch[r][0], ranking, r, words[r], starts, bool(late[r]))
            for r in range(len(batch))
        ]

    def _place(self, part: Any, rows: NDArray[np.int64], starts: NDArray[np.int64], ranking: Ranking) -> None:
        held = self.documents.count
        newest = self.documents["times"][held - 1] if held else -math.inf
        numbers = self.documents.append(*part)
        if (np.diff(part[0], prepend=newest) < 0).any():
            numbers = self._renumber(np.ones(self.documents.count, bool))[numbers]
        self.attach_arrays(self.labelling)
        if self.words:
            for w, c in zip(part[2], part[3], strict=True):
                self.vocabulary.recent[w] += c
        before = int(self.cursor[0])
        best = np.zeros(RANKS, np.int64)
        lab = self.labelling
        lab.run(
            lambda begin: place_kernel(
                lab.prior,
                lab.likelihood,
                lab.items,
                lab.slots,
                lab.scratch,
                lab.labels,
                lab.confidence,
                self.life_table(),
                numbers,
                self.documents.count,
                self.window,
                self.clock,
                self.cursor,
                best,
                ranking,
                rows,
                starts[rows],
                begin,
            )
        )
        self._settled(before)

    def life_table(self) -> Life:
        """The life table, as long as there are slots."""
        more = len(self.labelling.slots.size) - len(self.life.settled)
        if more:
            columns: list[Any] = [np.pad(column, (0, more)) for column in self.life]
            self.life = Life(*columns)
        return self.life

    def _settled(self, before: int) -> None:
        """Words of documents that left the window no longer count as recent; their ids are dropped."""
        numbers = np.arange(before, int(self.cursor[0]))
        for sequence in self.documents["sequence"][numbers]:
            self.ids.pop(int(sequence), None)
        if self.words and len(numbers):
            where = self.documents.word_places(numbers)
            np.subtract.at(self.vocabulary.recent, self.documents.words[where], self.documents.counts[where])

    def _rank_late(self, part: Any, rows: NDArray[np.int64], starts: NDArray[np.int64], ranking: Ranking) -> None:
        numbers = self.documents.append(*part)
        self.attach_arrays(self.labelling)
        lab = self.labelling
        best = np.zeros(RANKS, np.int64)
        for number, row in zip(numbers, rows, strict=True):
            late_kernel(
                lab.prior,
                lab.likelihood,
                lab.items,
                int(number),
                lab.slots,
                lab.scratch,
                self.life_table(),
                best,
                ranking,
                int(row),
                int(starts[row]),
            )
        self.documents.count -= len(numbers)

    # Sweeps.

    def sweep(self, *, documents: int | None = None, seconds: float | None = None) -> Changes:
        """Resample the window in random order: one whole pass, or as far as the budget reaches, going on where the last
        call stopped. At the end of each pass come split-merge moves, and the knobs learn."""
        deadline = math.inf if seconds is None else clock_time.perf_counter() + positive("seconds", seconds)
        left = math.inf if documents is None else whole("documents", documents, 1)
        whole_pass = documents is None and seconds is None
        before, alive = self.names(), self._alive()
        visited = 0
        finished = False
        while visited < left and clock_time.perf_counter() < deadline and not (whole_pass and finished):
            if len(self.order) == 0:
                if self.documents.count == self.cursor[0]:
                    break
                self._begin_pass()
            chunk = self.order[: int(min(CHUNK, left - visited))]
            self.order = self.order[len(chunk) :]
            chunk = chunk[chunk >= self.cursor[0]]
            self.labelling.sweep(chunk, self.rng.random(len(chunk)))
            visited += len(chunk)
            if len(self.order) == 0:
                self._end_pass()
                finished = True
        return self._changes(before, alive, visited, finished)

    def _begin_pass(self) -> None:
        refresh(self)
        self.order = self.rng.permutation(np.arange(self.cursor[0], self.documents.count))

    def _end_pass(self) -> None:
        self._moves()
        held = slice(int(self.cursor[0]), self.documents.count)
        self.ring.append((self.documents["sequence"][held].copy(), self.names()))
        learn_knobs(self)

    def names(self) -> NDArray[np.int64]:
        """Thread of each window document."""
        return self.labelling.slots.names[self.documents["labels"][int(self.cursor[0]) : self.documents.count]]

    def _alive(self) -> set[int]:
        slots = self.labelling.slots
        return set(slots.names[slots.size > 0].tolist())

    def _changes(self, before: NDArray[np.int64], alive: set[int], visited: int, finished: bool) -> Changes:
        after = self.names()
        sequence = self.documents["sequence"][int(self.cursor[0]) : self.documents.count]
        moved = [
            Moved(self.ids[int(sequence[d])], int(before[d]), int(after[d])) for d in np.flatnonzero(before != after)
        ]
        born, gone, merged, split = lineage(before, after, alive, self._alive())
        now = float(self.clock[0])
        self.pending += [Event("merged", name, now, merged.get(name)) for name in gone]
        self.pending += [Event("split", name, now, split.get(name)) for name in born]
        self.dead -= set(gone)
        return Changes(visited, finished, moved, born, gone, merged, split)

    def _moves(self) -> None:
        """Split-merge moves on pairs of documents that share a word (vectors: any two)."""
        first, count = int(self.cursor[0]), self.documents.count
        wanted = max(int((count - first) * MOVES_PER_DOCUMENT), 1)
        if count - first < 2:
            return
        pairs = self.documents.pairs(first, wanted, self.rng)
        uniforms = self.rng.random((len(pairs), LARGEST + 1))
        lab = self.labelling
        lab.run(
            lambda begin: moves_kernel(
                lab.prior,
                lab.likelihood,
                lab.items,
                lab.slots,
                lab.scratch,
                lab.labels,
                self.life_table(),
                first,
                count,
                pairs,
                uniforms,
                begin,
            )
        )

    # Time.

    def advance(self, time: float) -> list[Death]:
        """Move the event clock forward: settle what leaves the window, declare deaths."""
        moment = positive("time", time, zero=True) if time >= 0 else float(time)
        self.clock[0] = max(self.clock[0], moment)
        before = int(self.cursor[0])
        lab = self.labelling
        self.cursor[0] = settle_kernel(
            lab.prior,
            lab.items,
            lab.labels,
            self.life_table(),
            before,
            self.documents.count,
            self.clock[0] - self.window,
        )
        self._settled(before)
        known = len(self.pending)
        self._tidy()
        return [Death(e.thread, e.time) for e in self.pending[known:] if e.kind == "died"]

    def events(self) -> list["Event"]:
        """What happened to threads since the last call."""
        happened, self.pending = self.pending, []
        return happened

    def weigh(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Slots in use, their log weights now, and when they die."""
        lab = self.labelling
        weights, deaths = np.zeros(len(lab.slots.size)), np.zeros(len(lab.slots.size))
        log_death = math.log(DEATH * self.prior.alpha)
        weigh_kernel(lab.prior, lab.items, lab.slots, float(self.clock[0]), log_death, weights, deaths)
        used = np.flatnonzero(lab.slots.size)
        return used, weights[used], deaths[used]

    def _tidy(self) -> None:
        """Declare deaths and revivals, forget what is long dead, drop what nothing needs."""
        used, weights, deaths = self.weigh()
        names = self.labelling.slots.names[used]
        for name, death in zip(names.tolist(), deaths.tolist(), strict=True):
            if death <= self.clock[0] and name not in self.dead:
                self.dead.add(name)
                self.pending.append(Event("died", name, death, None))
            elif death > self.clock[0] and name in self.dead:
                self.dead.discard(name)
                self.pending.append(Event("revived", name, float(self.clock[0]), None))
        settled = self.life_table().settled[used] == self.labelling.slots.size[used]
        gone = (weights < math.log(OBLIVION * self.prior.alpha)) & settled & (deaths <= self.clock[0])
        self._forget(used[gone])
        refresh(self)
        self._compact()

    def _forget(self, slots: NDArray[np.int64]) -> None:
        if len(slots) == 0:
            return
        lab = self.labelling
        forgotten = np.zeros(len(lab.slots.size), bool)
        forgotten[slots] = True
        self.dead -= set(lab.slots.names[slots].tolist())
        forget_kernel(lab.prior, lab.likelihood, lab.slots, self.life_table(), forgotten)

    def _compact(self) -> None:
        """Keep the window and the settled documents that still stand for a weight."""
        cursor = int(self.cursor[0])
        if cursor > HOUSEKEEPING // 4 and cursor > self.documents.count // 2:
            keep = np.ones(self.documents.count, bool)
            keep[:cursor] = False
            if isinstance(self.labelling.prior, TDPMState):
                keep[named_documents(self.labelling.prior)] = True
            self._renumber(keep)
            self.documents.pack_words()
            self.attach_arrays(self.labelling)
        if self.words and self.likelihood.base is None and len(self.vocabulary) > HOUSEKEEPING:
            postings = self.labelling.likelihood.postings
            size = len(self.vocabulary)
            self.vocabulary.release((postings.length[:size] == 0) & (self.vocabulary.recent[:size] == 0))

    def _renumber(self, keep: NDArray[np.bool]) -> NDArray[np.int64]:
        """Drop and sort documents, and tell everyone their new numbers."""
        settled_kept = int(keep[: int(self.cursor[0])].sum())
        numbers = self.documents.arrange(keep)
        renumber_kernel(self.labelling.prior, numbers)
        self.order = numbers[self.order]
        self.cursor[0] = settled_kept
        return numbers

    # Documents out.

    def remove(self, ids: Iterable[str]) -> None:
        """Take documents of the window out as if they had never come. If that tears a thread in two, its later part
        becomes a thread of its own."""
        by_id = {self.ids[s]: s for s in self.sequences().tolist()}
        for name in ids:
            if name not in by_id:
                raise ArgumentError("ids", f"names {name!r:.40}", "name documents of the window")
            number = int(np.flatnonzero(self.documents["sequence"][: self.documents.count] == by_id.pop(name))[0])
            self._take_out(number)
        self.attach_arrays(self.labelling)

    def sequences(self) -> NDArray[np.int64]:
        """Arrival of each window document."""
        return self.documents["sequence"][int(self.cursor[0]) : self.documents.count]

    def _take_out(self, number: int) -> None:
        lab = self.labelling
        slot = int(lab.labels[number])
        torn = not removable_kernel(lab.prior, lab.items, number, slot)
        lab.unload(np.array([number]))
        if torn:
            later = number + 1 + np.flatnonzero(lab.labels[number + 1 : self.documents.count] == slot)
            lab.unload(later)
            lab.widen_to(int(lab.slots.marks[2]) + 2)
            fresh = int(np.flatnonzero(lab.slots.size == 0)[0])
            lab.slots.names[fresh] = lab.slots.marks[3]
            lab.slots.marks[3] += 1
            lab.load(later, np.full(len(later), fresh))
        if self.words:
            where = slice(self.documents["starts"][number], self.documents["ends"][number])
            self.vocabulary.recent[self.documents.words[where]] -= self.documents.counts[where]
        self.ids.pop(int(self.documents["sequence"][number]))
        keep = np.ones(self.documents.count, bool)
        keep[number] = False
        self.order = self.order[self.order != number]
        self._renumber(keep)

    # Answers.

    def predict(self, items: Iterable[Any]) -> list[Prediction]:
        """Probabilities over threads and a new one for documents that are not stored, averaged over the last labellings
        (ddCRP paper eq. 15). Times before the clock count as now. Nothing changes."""
        return predict(self, [self.read(item) for item in items])

    def threads(self) -> list[ThreadInfo]:
        """Every live thread, heaviest first."""
        return threads(self)

    def to_bytes(self) -> bytes:
        """All that is needed to go on as if nothing had happened."""
        return to_bytes(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Stream":
        """The stream that `to_bytes` was called on; refuses damaged data."""
        header, arrays = unpack(data)
        window, seed, fixed, dimensions = header["settings"]
        prior, likelihood = build_model(header["prior"]), build_model(header["likelihood"])
        stream = cls(prior, likelihood, window=window, seed=seed, fixed=fixed, dimensions=dimensions)
        fill_from(stream, header, arrays)
        return stream


def next_housekeeping(sequence: int) -> int:
    """When it is due next: at 16, 32, 64, …, HOUSEKEEPING documents and every HOUSEKEEPING after that."""
    if sequence < HOUSEKEEPING:
        return max(1 << sequence.bit_length(), 16)
    return (sequence // HOUSEKEEPING + 1) * HOUSEKEEPING
