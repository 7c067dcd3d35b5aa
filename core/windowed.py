"""A stream for models that core.Stream does not know: a bounded window, swept as a whole, and a bounded past.

It has the face of core.Stream. The window's documents and the newest settled ones, the context, are in memory. A new
document goes where `core.predictive` says; a sweep is `core.sample`'s over the window with the context's labels held.
The labels are the whole state: links and tables are drawn anew from them, random numbers follow from seed and pass.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .answers import Prediction
from .errors import ArgumentError
from .housekeeping import Death
from .intake import Document, read_all, refuse_known_ids
from .items import NONE, positive, whole
from .lifecycle import Changes, Event, Moved, lineage
from .likelihoods.logistic_normal_chain import LogisticNormalChain
from .memory import Kept, Memory
from .naming import rename, without_gaps
from .overview import ThreadInfo
from .placement import Ranked
from .priors.rcrp import RCRP
from .rebuild import Labelled
from .samplers.gibbs import check_models, start
from .window_answers import describe_threads, join_ranked, mirrored, predict_one, rank, word_paths
from .window_knobs import learn_knobs, with_base
from .window_removal import remove, remove_settled
from .window_store import chain, from_bytes, from_labels, known_threads, to_bytes
from .window_time import Life, advance, move_clock


class Survey(NamedTuple):
    """A thread: all its documents, those in the window, event times of the first and the last."""

    size: int
    window_size: int
    birth: float
    last: float


class Windowed:
    """window: span of event time that is resampled; limit: most documents in it, older ones settle before their time,
    and of settled ones so many stay in memory. fixed: knobs ("alpha", "rate", "strength", …) that are kept as given.
    dimensions: of vectors; 0 for words."""

    def __init__(
        self,
        prior: Any,
        likelihood: Any,
        *,
        window: float,
        seed: int,
        fixed: Collection[str] = (),
        dimensions: int = 0,
        limit: int = 1000,
    ) -> None:
        check_models(prior, likelihood)
        self.prior, self.likelihood = prior, likelihood
        self.window = positive("window", window, infinite=True)
        self.seed, self.fixed = whole("seed", seed, 0), frozenset(fixed)
        self.limit = whole("limit", limit, 1)
        self.dimensions = whole("dimensions", dimensions, 0)
        self.words = self.dimensions == 0
        self.first_strength = getattr(likelihood, "strength", 0.0)  # where learning began
        self.memory = Memory(words=self.words)
        self.clock = np.array([-math.inf])
        self.horizon = (-math.inf, NONE)  # place of the last settled document
        self.sequence = 0  # documents accepted so far
        self.passes = 0
        self.next_thread = 0
        self.life: dict[int, Life] = {}
        self.dead: set[int] = set()
        self.pending: list[Event] = []
        self.newly_settled: list[str] = []

    @property
    def vocabulary(self) -> Any:
        """The words in memory."""
        return self.memory.vocabulary

    @property
    def arrivals(self) -> dict[str, int]:
        """Arrival of each window document."""
        return {kept.id: kept.sequence for kept in self.memory.window}

    @property
    def ids(self) -> dict[int, str]:
        """And back."""
        return {kept.sequence: kept.id for kept in self.memory.window}

    def names(self) -> NDArray[np.int64]:
        """Thread of each window document."""
        return np.array([kept.thread for kept in self.memory.window], np.int64)

    def sequences(self) -> NDArray[np.int64]:
        """Arrival of each window document."""
        return np.array([kept.sequence for kept in self.memory.window], np.int64)

    def slot_of(self) -> dict[int, int]:
        """Threads that are known; slots there are none."""
        return dict.fromkeys(sorted({*self.life, *(kept.thread for kept in self.memory.kept)}), NONE)

    # Documents in.

    def place(self, items: Iterable[Any]) -> Iterator[Ranked]:
        """Place documents in the order given, each at once and in its most probable thread; see `Stream.place`."""
        batch = read_all(self, items)
        refuse_known_ids(self, batch)
        for document in batch:
            yield self._place(document)

    def _place(self, document: Document) -> Ranked:
        new = self.memory.number(Kept(document.time, self.sequence, document.id, document.content, NONE))
        self.sequence += 1
        late = document.time < max(self.horizon[0], float(self.clock[0]) - self.window)
        before = [kept for kept in self.memory.kept if kept.place < new.place]
        ranked = rank(self, before, new, late=late)
        if late:
            self.memory.forget_words()
            return ranked
        if ranked.ranking.is_new[0]:
            ranked.ranking.names[0, 0] = self.next_thread
            self.next_thread += 1
        thread = int(ranked.ranking.names[0, 0])
        if ranked.ranking.is_new[0]:
            self.pending.append(Event("born", thread, document.time, None))
        elif thread in self.dead:
            self.dead.discard(thread)
            self.pending.append(Event("revived", thread, document.time, None))
        self.memory.add(new._replace(thread=thread))
        move_clock(self, document.time)
        return ranked

    # Sweeps.

    def sweep(self, *, documents: int | None = None, seconds: float | None = None) -> Changes:
        """Resample the whole window once, whatever the budget, then let the knobs learn."""
        memory = self.memory
        if not memory.window:
            return Changes(0, True, [], [], [], {}, {})
        before, alive = self.names(), set(self.slot_of())
        view = memory.view(memory.kept)
        labels = self.possible(view.threads, view.times)
        likelihood = with_base(self.likelihood, view.base)
        seed = int(np.random.SeedSequence([self.seed, self.passes]).generate_state(1, np.uint64)[0])
        run = start(self.prior, likelihood, view.data, view.times, seed=seed, init=labels, held=memory.context)
        run.sweep()
        drawn = run.labels()
        named, self.next_thread = rename(view.threads, drawn, memory.context, self.next_thread)
        memory.rename(named.tolist())
        self.passes += 1
        learn_knobs(self, run, view, drawn)
        return self._changes(before, alive)

    def possible(self, threads: NDArray[np.int64], times: NDArray[np.float64]) -> NDArray[np.int64]:
        """Labels that the prior allows: erasures may have torn threads."""
        return without_gaps(threads, times, self.prior.width) if isinstance(self.prior, RCRP) else threads

    def _changes(self, before: NDArray[np.int64], alive: set[int]) -> Changes:
        window, after = self.memory.window, self.names()
        differ = np.flatnonzero(before != after)
        moved = [Moved(window[d].id, int(before[d]), int(after[d])) for d in differ]
        born, gone, merged, split = lineage(before[differ], after[differ], alive, set(self.slot_of()))
        times = np.array([kept.time for kept in window])
        self.pending += [Event("split", name, float(times[after == name].min()), split[name]) for name in born]
        self.pending += [Event("merged", name, float(self.clock[0]), merged[name]) for name in gone]
        self.dead -= set(gone)
        for name in sorted(self.dead & set(after[differ].tolist())):
            self.dead.discard(name)
            self.pending.append(Event("revived", name, float(times[after == name].max()), None))
        return Changes(len(window), True, moved, born, gone, merged, split)

    # Time.

    def advance(self, time: float) -> list[Death]:
        """Move the event clock forward: settle what leaves the window, declare deaths, forget what is long dead."""
        return advance(self, time)

    # Documents out.

    def remove(self, ids: Iterable[str]) -> None:
        """Take documents of the window out as if they had never come. If that tears a thread in two, its later part
        becomes a thread of its own."""
        remove(self, set(ids))

    def remove_settled(
        self, documents: Iterable[tuple[str, float, Any, int]], spans: Mapping[int, tuple[float, float]] | None = None
    ) -> None:
        """Take settled documents out as if they had never come; see `Stream.remove_settled`."""
        remove_settled(self, documents, spans or {})

    # Answers.

    def predict(self, items: Iterable[Any]) -> list[Prediction]:
        """Probabilities over threads and a new one for documents that are not stored, by the labels as they are."""
        return [predict_one(self, document) for document in read_all(self, items)]

    def explain_all(self, documents: Sequence[str]) -> Ranked:
        """Why documents of the window are in their threads; see `Stream.explain_all`. Others count by how far away in
        time they are, whether earlier or later, as if all had come before."""
        by_id = {kept.id: kept for kept in self.memory.window}
        found = []
        for name in documents:
            if name not in by_id:
                raise ArgumentError("documents", f"name {name!r:.40}", "name documents of the window")
            found.append(rank(self, mirrored(self.memory.kept, by_id[name]), by_id[name], late=False))
        return join_ranked(found)

    def threads(self) -> list[ThreadInfo]:
        """Every live thread, heaviest first."""
        return describe_threads(self)

    def paths(self) -> dict[int, list[tuple[float, list[Any]]]]:
        """How the words of each thread in memory moved, if they do: its top words in each epoch."""
        return word_paths(self) if isinstance(self.likelihood, LogisticNormalChain) else {}

    def survey(self) -> dict[int, Survey]:
        """Sizes and times of all threads that are known, by ascending name."""
        found = {t: Survey(life.settled, 0, life.birth, life.last) for t, life in self.life.items()}
        for kept in self.memory.window:
            old = found.get(kept.thread, Survey(0, 0, kept.time, kept.time))
            times = min(old.birth, kept.time), max(old.last, kept.time)
            found[kept.thread] = Survey(old.size + 1, old.window_size + 1, *times)
        return dict(sorted(found.items()))

    def events(self) -> list[Event]:
        """What happened to threads since the last call; see `Stream.events`."""
        happened, self.pending = self.pending, []
        return happened

    def take_settled(self) -> list[str]:
        """Documents that settled since the last call."""
        settled, self.newly_settled = self.newly_settled, []
        return settled

    # Stored and back.

    def chain(self) -> dict[str, Any]:
        """All that is neither documents nor labels, ready for JSON; see `from_labels`."""
        return chain(self)

    @staticmethod
    def known_threads(chain: Mapping[str, Any]) -> list[int]:
        """Threads whose settled documents `from_labels` needs."""
        return known_threads(chain)

    @classmethod
    def from_labels(cls, chain: Mapping[str, Any], documents: Iterable[Labelled | tuple[Any, ...]]) -> "Windowed":
        """The stream that `chain` was called on, from the documents with their labels."""
        return from_labels(cls, chain, documents)

    def to_bytes(self) -> bytes:
        """All that is needed to go on as if nothing had happened; equal streams give equal bytes."""
        return to_bytes(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Windowed":
        """The stream that `to_bytes` was called on; refuses damaged data."""
        return from_bytes(cls, data)
