"""The engine under measurement, compiled before the clock starts."""

from collections.abc import Iterable

import core

from .report import Watch
from .sources import Document, Topics

WARM_UP = 3_000  # documents


def new_stream(window: float, *, topical: bool = False) -> core.Stream:
    """A stream whose times count documents. Knobs start where a document's influence fades with the window and are
    learned; a topical one keeps knobs that fit `Topics`, so that the number of threads is what the source says."""
    if topical:
        prior, words = core.TDPM(50.0, core.Exponential(0.1 / window)), core.DirichletMultinomial(30.0)
        return core.Stream(prior, words, window=window, seed=1, fixed=("alpha", "rate", "strength"))
    prior, words = core.TDPM(1.0, core.Exponential(1.0 / window)), core.DirichletMultinomial(100.0)
    return core.Stream(prior, words, window=window, seed=1)


def warm_up() -> None:
    """Compile everything that the measurements call."""
    stream = new_stream(500.0)
    source = Topics(50, 0.02, seed=0)
    for _ in range(WARM_UP // 500):
        stream.add(source.take(500))
        stream.sweep()
    stream.add([("late", 0.0, ["c1"])])
    stream.threads()
    stream.advance(1e9)  # long enough for all threads to die and be forgotten


class Run:
    """A stream fed in batches, with the time spent and the labels as they stand."""

    def __init__(self, window: float, *, topical: bool = False) -> None:
        self.stream = new_stream(window, topical=topical)
        self.watch = Watch()
        self.labels: dict[str, int] = {}
        self.placed = self.visited = 0

    def add(self, batch: Iterable[Document]) -> None:
        """Place documents."""
        with self.watch.on("add"):
            placements = self.stream.add(batch)
        self.placed += len(placements)
        self.labels.update({p.document: -1 if p.thread is None else p.thread for p in placements})

    def sweep(self, passes: int = 1) -> None:
        """Resample the whole window, so many times."""
        for _ in range(passes):
            with self.watch.on("sweep"):
                changes = self.stream.sweep()
            self.visited += changes.visited
            self.labels.update({moved.document: moved.after for moved in changes.moved})
        self.stream.events()

    @property
    def seconds(self) -> float:
        """Spent in all."""
        return sum(self.watch.spent.values())
