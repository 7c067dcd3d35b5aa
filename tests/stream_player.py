"""Streams of every kind doing everything that a stream can do, for the tests of events, chains and removal."""

import json
from typing import Any

import numpy as np

import core
from core.stream import Stream

KNOBS = ("alpha", "rate", "decay", "strength")
TOPICS = [["storm", "coast", "rain"], ["vote", "poll", "party"], ["goal", "match", "cup"], ["bank", "rate", "loan"]]
PRIORS = {
    "tdpm": core.TDPM(0.5, core.Exponential(0.6)),
    "logistic": core.TDPM(0.5, core.Logistic(4.0, 1.0)),
    "rcrp": core.RCRP(0.5, 2.0, 4),
    "crp": core.CRP(0.5),
}
KINDS = [*PRIORS, "vectors"]
Item = tuple[str, float, Any]


def open_stream(kind: str, seed: int = 1, fixed: tuple[str, ...] = KNOBS) -> Stream:
    """A stream with a short window, so that documents settle all the time."""
    if kind == "vectors":
        return Stream(PRIORS["tdpm"], core.Gaussian(1.0, 40.0), window=6.0, seed=seed, fixed=fixed, dimensions=2)
    return Stream(PRIORS[kind], core.DirichletMultinomial(8.0), window=6.0, seed=seed, fixed=fixed)


class Player:
    """Plays random documents, sweeps, advances and removals on a stream, and keeps the books that a caller keeps."""

    def __init__(self, kind: str, seed: int, fixed: tuple[str, ...] = KNOBS) -> None:
        self.kind, self.rng = kind, np.random.default_rng(seed)
        self.stream = open_stream(kind, seed, fixed)
        self.time = 0.0
        self.items: dict[str, Item] = {}
        self.labels: dict[str, tuple[int, int, float]] = {}  # thread, arrival and probability of all but late ones
        self.live: set[int] = set()

    def documents(self, count: int) -> list[Item]:
        made = []
        for _ in range(count):
            self.time += float(self.rng.exponential(0.4))
            when = self.time - (float(self.rng.exponential(3.0)) if self.rng.random() < 0.2 else 0.0)
            topic = int(self.rng.integers(len(TOPICS)))
            content: Any = [*self.rng.choice(TOPICS[topic], 4).tolist(), f"w{self.rng.integers(30)}"]
            if self.kind == "vectors":
                content = 9.0 * np.array([topic % 2, topic // 2]) + self.rng.normal(size=2)
            made.append((f"d{len(self.items)}", float(np.floor(when)) if self.kind == "rcrp" else when, content))
            self.items[made[-1][0]] = made[-1]
        return made

    def step(self) -> Any:
        """One random thing; returns what the stream answered."""
        chance = self.rng.random()
        if chance < 0.55:
            return self.add(self.documents(int(self.rng.integers(1, 9))))
        if chance < 0.8:
            return self.sweep(int(self.rng.integers(1, 40)))
        if chance < 0.9:
            self.time += float(self.rng.choice([0.5, 4.0, 12.0]))
            return self.stream.advance(self.time)
        return self.remove(int(self.rng.integers(1, 4)))

    def add(self, batch: list[Item]) -> Any:
        placed = self.stream.add(batch)
        for p in placed:
            if not p.late:
                assert p.thread is not None
                self.labels[p.document] = p.thread, p.sequence, p.probability
        return placed

    def sweep(self, documents: int) -> Any:
        changes = self.stream.sweep(documents=documents)
        for moved in changes.moved:
            self.labels[moved.document] = (moved.after, *self.labels[moved.document][1:])
        return changes

    def remove(self, count: int) -> list[str]:
        """Erase random documents, wherever they are."""
        chosen = self.rng.permutation(sorted(self.labels))[:count].tolist()
        inside = [name for name in chosen if name in self.stream.arrivals]
        given = [(*self.items[name], self.labels[name][0]) for name in chosen if name not in inside]
        self.stream.remove(inside)
        for name in chosen:
            del self.labels[name]
        self.stream.remove_settled(given, self.spans())
        for one in self.stream.assignments():  # a thread may have been torn in two
            self.labels[one.document] = (one.thread, *self.labels[one.document][1:])
        return chosen

    def spans(self) -> dict[int, tuple[float, float]]:
        """First and last time of the settled documents of each thread."""
        spans: dict[int, tuple[float, float]] = {}
        for name, (thread, _, _) in self.labels.items():
            if name not in self.stream.arrivals:
                time = self.items[name][1]
                low, high = spans.get(thread, (time, time))
                spans[thread] = min(low, time), max(high, time)
        return spans

    def fold(self) -> None:
        """Let the events happen."""
        for event in self.stream.events():
            if event.kind in ("born", "split", "revived"):
                assert event.thread not in self.live, event
                self.live.add(event.thread)
            else:
                assert event.kind in ("merged", "died"), event
                self.live.discard(event.thread)

    def rebuilt(self) -> Stream:
        """The stream from its chain, which has been JSON, and the labels."""
        chain = json.loads(json.dumps(self.stream.chain(), allow_nan=False))
        return Stream.from_labels(chain, [(*self.items[name], *label) for name, label in self.labels.items()])
