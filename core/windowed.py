"""A stream for models that core.Stream does not know: a bounded window, swept as a whole, and a bounded past.

It has the face of core.Stream. The window's documents and the newest settled ones, the context, are in memory. A new
document goes where `core.predictive` says; a sweep is `core.sample` over the window with the context's labels held. The
labels are the whole state: links and tables are drawn anew from them, and random numbers follow from seed and pass.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .answers import Prediction
from .errors import ArgumentError
from .housekeeping import DEATH, OBLIVION, Death
from .intake import Document, read_all, read_content, read_time, refuse_known_ids
from .items import NONE, positive, whole
from .lifecycle import Changes, Event, Moved, lineage
from .likelihoods.logistic_normal_chain import LogisticNormalChain
from .memory import Kept, Memory
from .naming import rename, without_gaps
from .overview import ThreadInfo
from .placement import Ranked
from .priors.rcrp import RCRP
from .rebuild import Labelled
from .samplers.gibbs import check_models, sample
from .snapshot import pack, unpack
from .specification import build_model, describe_model
from .window_answers import describe_threads, join_ranked, predict_one, rank, weigh, word_paths
from .window_knobs import fading_rate, learn_knobs, with_base

VERSION = 1


class Life(NamedTuple):
    """Of a thread: how many of its documents have settled, and the times of the first and last of these."""

    settled: int
    birth: float
    last: float


class Survey(NamedTuple):
    """A thread: all its documents, those in the window, event times of the first and the last."""

    size: int
    window_size: int
    birth: float
    last: float


class Windowed:
    """window: span of event time that is resampled; limit: most documents in it, older ones settle before their time,
    and of settled ones so many stay in memory. fixed: knobs ("alpha", "strength") that are kept as given.
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
        self._move_clock(document.time)
        return ranked

    def _move_clock(self, time: float) -> None:
        """Settle what leaves the window, in order, then forget what is more than the context holds."""
        self.clock[0] = max(self.clock[0], time)
        memory, oldest = self.memory, float(self.clock[0]) - self.window
        while len(memory.kept) > memory.context:
            kept = memory.kept[memory.context]
            if kept.time >= oldest and len(memory.kept) - memory.context <= self.limit:
                break
            life = self.life.get(kept.thread, Life(0, kept.time, kept.time))
            self.life[kept.thread] = Life(life.settled + 1, min(life.birth, kept.time), max(life.last, kept.time))
            self.horizon = kept.place
            self.newly_settled.append(kept.id)
            memory.context += 1
        if memory.context > self.limit:
            first = memory.kept[memory.context - self.limit].place
            memory.drop(lambda kept: kept.place < first)

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
        drawn = sample(
            self.prior, likelihood, view.data, view.times, draws=1, seed=seed, init=labels, held=memory.context
        )[0]
        named, self.next_thread = rename(view.threads, drawn, memory.context, self.next_thread)
        memory.rename(named.tolist())
        self.passes += 1
        learn_knobs(self, view, drawn, seed)
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
        if not math.isfinite(float(time)):
            raise ArgumentError("time", f"is {time!r:.40}", "pass a finite number")
        self._move_clock(float(time))
        deaths = []
        least = min(self.prior.alpha, 1.0)
        weights = weigh(self)
        for thread in self.slot_of():
            weight = weights.get(thread, 0.0)
            if weight < DEATH * least and thread not in self.dead:
                deaths.append(Death(thread, self._death_time(thread, weight, DEATH * least)))
                self.dead.add(thread)
        self.pending += [Event("died", death.thread, death.time, None) for death in deaths]
        self._forget({thread for thread in self.dead if weights.get(thread, 0.0) < OBLIVION * least})
        return deaths

    def _death_time(self, thread: int, weight: float, least: float) -> float:
        """When the weight got so low, if it fades at a steady rate; else now."""
        now, rate = float(self.clock[0]), fading_rate(self.prior)
        if weight <= 0.0 or rate <= 0.0:
            return now
        return min(now, max(now - math.log(least / weight) / rate, self.survey()[thread].last))

    def _forget(self, threads: set[int]) -> None:
        threads -= {kept.thread for kept in self.memory.window}
        self.memory.drop(lambda kept: kept.thread in threads)
        self.dead -= threads
        for thread in threads:
            self.life.pop(thread, None)

    # Documents out.

    def remove(self, ids: Iterable[str]) -> None:
        """Take documents of the window out as if they had never come. If that tears a thread in two, its later part
        becomes a thread of its own."""
        gone = set(ids)
        unknown = gone - self.arrivals.keys()
        if unknown:
            raise ArgumentError("ids", f"names {min(unknown)!r:.40}", "name documents of the window")
        dropped = self.memory.drop(lambda kept: kept.id in gone and kept.place > self.horizon)
        self._note_ends({kept.thread for kept in dropped})
        self._split_torn()

    def remove_settled(
        self, documents: Iterable[tuple[str, float, Any, int]], spans: Mapping[int, tuple[float, float]] | None = None
    ) -> None:
        """Take settled documents out as if they had never come; see `Stream.remove_settled`."""
        gone = {(str(name), int(thread)) for name, _, _, thread in documents}
        for _, thread in gone:
            if thread in self.life:
                self.life[thread] = self.life[thread]._replace(settled=self.life[thread].settled - 1)
        self.memory.drop(lambda kept: (kept.id, kept.thread) in gone and kept.place <= self.horizon)
        for thread, (birth, last) in (spans or {}).items():
            if thread in self.life:
                self.life[thread] = self.life[thread]._replace(birth=birth, last=last)
        self.life = {thread: life for thread, life in self.life.items() if life.settled > 0}
        self._note_ends({thread for _, thread in gone})
        self._split_torn()

    def _note_ends(self, threads: set[int]) -> None:
        for thread in sorted(threads - self.slot_of().keys()):
            if thread not in self.dead:
                self.pending.append(Event("died", thread, float(self.clock[0]), None))
            self.dead.discard(thread)

    def _split_torn(self) -> None:
        """What lies in the window behind a gap that the prior does not allow becomes a thread of its own."""
        if not isinstance(self.prior, RCRP) or not self.memory.kept:
            return
        view = self.memory.view(self.memory.kept)
        named, self.next_thread = rename(
            view.threads, self.possible(view.threads, view.times), self.memory.context, self.next_thread
        )
        for name in sorted(set(named.tolist()) - set(view.threads.tolist())):
            first = int(np.flatnonzero(named == name)[0])
            self.pending.append(Event("split", name, float(view.times[first]), int(view.threads[first])))
        self.memory.rename(named.tolist())

    # Answers.

    def predict(self, items: Iterable[Any]) -> list[Prediction]:
        """Probabilities over threads and a new one for documents that are not stored, by the labels as they are."""
        return [predict_one(self, document) for document in read_all(self, items)]

    def explain_all(self, documents: Sequence[str]) -> Ranked:
        """Why documents of the window are in their threads; see `Stream.explain_all`."""
        by_id = {kept.id: kept for kept in self.memory.window}
        found = []
        for name in documents:
            if name not in by_id:
                raise ArgumentError("documents", f"name {name!r:.40}", "name documents of the window")
            others = [kept for kept in self.memory.kept if kept is not by_id[name]]
            found.append(rank(self, others, by_id[name], late=False))
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
        return {
            "version": VERSION,
            "settings": [_plain(self.window), self.seed, sorted(self.fixed), self.dimensions, self.limit],
            "prior": describe_model(self.prior),
            "likelihood": describe_model(self.likelihood),
            "clock": _plain(float(self.clock[0])),
            "horizon": [_plain(self.horizon[0]), self.horizon[1]],
            "counts": [self.sequence, self.passes, self.next_thread],
            "dead": sorted(self.dead),
            "pending": [list(event) for event in self.pending],
            "life": [[thread, *life] for thread, life in sorted(self.life.items())],
            "context": [kept.sequence for kept in self.memory.kept[: self.memory.context]],
            "newly_settled": self.newly_settled,
        }

    @staticmethod
    def known_threads(chain: Mapping[str, Any]) -> list[int]:
        """Threads whose settled documents `from_labels` needs."""
        if chain.get("version") != VERSION or "context" not in chain:
            raise ArgumentError("chain", "is not of a windowed stream of this version", "make it again")
        return [int(row[0]) for row in chain["life"]]

    @classmethod
    def from_labels(cls, chain: Mapping[str, Any], documents: Iterable[Labelled | tuple[Any, ...]]) -> "Windowed":
        """The stream that `chain` was called on, from the documents with their labels."""
        cls.known_threads(chain)
        window, seed, fixed, dimensions, limit = chain["settings"]
        models = build_model(chain["prior"]), build_model(chain["likelihood"])
        stream = cls(*models, window=float(window), seed=seed, fixed=fixed, dimensions=dimensions, limit=limit)
        stream.clock[0] = float(chain["clock"])
        stream.horizon = float(chain["horizon"][0]), int(chain["horizon"][1])
        stream.sequence, stream.passes, stream.next_thread = chain["counts"]
        stream.dead, stream.pending = set(chain["dead"]), [Event(*event) for event in chain["pending"]]
        stream.life = {int(row[0]): Life(*row[1:]) for row in chain["life"]}
        stream.newly_settled = list(chain["newly_settled"])
        context = set(chain["context"])
        for given in documents:
            one = Labelled(*given)
            settled = one.sequence in context
            if settled or (one.time, one.sequence) > stream.horizon:
                content = read_content(stream, one.content)
                kept = Kept(read_time(stream, one.time), one.sequence, one.id, content, one.thread)
                stream.memory.add(stream.memory.number(kept), settled=settled)
        if stream.memory.context != len(context):
            raise ArgumentError("documents", "lack settled ones of the context", "pass all of the threads known")
        return stream

    def to_bytes(self) -> bytes:
        """All that is needed to go on as if nothing had happened; equal streams give equal bytes."""
        kept = self.memory.kept
        rows = [[k.id, k.time, k.thread, k.sequence, k.content if self.words else None] for k in kept]
        points = np.array([k.content for k in kept if not self.words], np.float64).reshape(-1, max(self.dimensions, 1))
        return pack({"chain": self.chain(), "documents": rows}, {"points": points})

    @classmethod
    def from_bytes(cls, data: bytes) -> "Windowed":
        """The stream that `to_bytes` was called on; refuses damaged data."""
        header, arrays = unpack(data)
        rows = header["documents"]
        contents = arrays["points"] if len(arrays["points"]) else [row[4] for row in rows]
        labelled = [
            Labelled(name, time, content, thread, sequence)
            for (name, time, thread, sequence, _), content in zip(rows, contents, strict=True)
        ]
        return cls.from_labels(header["chain"], labelled)


def _plain(number: float) -> float | str:
    """Infinity is not JSON."""
    return number if math.isfinite(number) else str(number)
