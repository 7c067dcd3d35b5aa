"""The incremental engine: documents are placed as they arrive, a window of them is resampled, the rest is settled."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .answers import Prediction, predict
from .chain import chain, known_threads
from .documents import Documents
from .errors import ArgumentError
from .housekeeping import Death, advance
from .intake import add, place, read_all
from .items import positive, whole
from .knobs import rebase
from .lifecycle import Changes, Event
from .likelihoods.dirichlet_multinomial import DirichletMultinomial
from .likelihoods.gaussian import Gaussian
from .overview import Assignment, ThreadInfo, assignments, threads
from .placement import Placement, Ranked, explain, placements
from .rebuild import Labelled, from_labels
from .removal import remove, remove_settled
from .resume import from_bytes, to_bytes
from .samplers.gibbs import check_models, generator
from .samplers.labelling import Labelling
from .samplers.settle import Life
from .sweeping import Scan, sweep
from .vocabulary import Vocabulary

CAPACITY = 64  # slots at the start
WORDS = 1024  # words at the start


def check_streamable(prior: Any, likelihood: Any) -> None:
    """That a stream can settle documents of these models."""
    if not hasattr(prior, "moved"):
        raise ArgumentError("prior", f"is {prior!r:.40}", "use CRP, TDPM, RCRP or DDCRP here, others in core.sample")
    if not isinstance(likelihood, DirichletMultinomial | Gaussian):
        raise ArgumentError(
            "likelihood", f"is {likelihood!r:.40}", "use DirichletMultinomial or Gaussian here, others in core.sample"
        )


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
        check_streamable(prior, likelihood)
        self.prior, self.likelihood = prior, likelihood
        self.window = positive("window", window, infinite=True)
        self.seed = seed
        self.fixed = frozenset(fixed)
        self.rng = generator(seed)
        self.words = isinstance(likelihood, DirichletMultinomial)
        self.dimensions = 0 if self.words else whole("dimensions", dimensions, 1)
        self.documents = Documents(self.dimensions)
        self.vocabulary = Vocabulary()
        self.first_strength = likelihood.strength if self.words else 0.0  # where learning began
        self.unit_mass = 1.0  # of a word never seen
        self.labelling = self._start()
        self.life = Life(np.zeros(CAPACITY, np.int64), np.zeros(CAPACITY), np.zeros(CAPACITY))
        self.clock = np.array([-math.inf])
        self.cursor = np.zeros(1, np.int64)  # number of the first document that is not settled
        self.sequence = 0  # documents accepted so far
        self.scan: Scan | None = None  # the pass under way
        self.order = np.zeros(0, np.int64)  # what is left of it
        self.ids: dict[int, str] = {}  # arrival -> id of window documents
        self.arrivals: dict[str, int] = {}  # and back
        self.kept: list[int] = []  # for each labelling kept, oldest first: how many documents had arrived
        self.dead: set[int] = set()
        self.pending: list[Event] = []
        self.passes = 0

    def _start(self) -> Labelling:
        """Empty states."""
        words = WORDS
        if self.words and self.likelihood.base is not None:
            words = len(self.likelihood.base)
            self.vocabulary.encode(dict.fromkeys(range(words), 1))
        items = self.documents.items()._replace(times=np.zeros(0))
        self.labelling = Labelling(self.prior, self.likelihood, items, words if self.words else 0, CAPACITY)
        self.attach_arrays()
        if self.words and self.likelihood.base is None:
            rebase(self, np.zeros(0, np.int64), 0, self.likelihood.strength)
        return self.labelling

    def attach_arrays(self) -> None:
        """Let the labelling see the documents, whose arrays may have been replaced by longer ones."""
        self.labelling.items = self.documents.items()
        self.labelling.labels = self.documents["labels"]

    def add(self, items: Iterable[Any]) -> list[Placement]:
        """Place documents in the order given, each at once and in its most probable thread.

        An item is (id, time, content) or a mapping with these keys; content lists words, maps words to counts, or is a
        vector. Ids are the caller's; two documents of the window cannot share one. A document older than the window is
        ranked against the threads as they stood then and changes nothing. If an item is refused, none is stored.
        """
        return add(self, items)

    def place(self, items: Iterable[Any]) -> Iterator[Ranked]:
        """Like `add`, for callers in a hurry: some documents at a time as arrays, placed as they are asked for."""
        return place(self, items)

    def sweep(self, *, documents: int | None = None, seconds: float | None = None) -> Changes:
        """Resample the window in random order: one whole pass, or as far as the budget reaches, going on where the last
        call stopped. At the end of each pass come split-merge moves, and the knobs learn."""
        return sweep(self, documents, seconds)

    def advance(self, time: float) -> list[Death]:
        """Move the event clock forward: settle what leaves the window, declare deaths."""
        return advance(self, time)

    def remove(self, ids: Iterable[str]) -> None:
        """Take documents of the window out as if they had never come. If that tears a thread in two, its later part
        becomes a thread of its own."""
        remove(self, list(ids))

    def remove_settled(
        self, documents: Iterable[tuple[str, float, Any, int]], spans: Mapping[int, tuple[float, float]] | None = None
    ) -> None:
        """Take documents that have left the window out as if they had never come: (id, time, content, thread) each, as
        they were added. spans: event times of the first and last settled document that stay, by thread; without it, a
        thread's birth and last time stay. Threads that are long dead and forgotten have nothing left to take out."""
        remove_settled(self, documents, spans or {})

    def predict(self, items: Iterable[Any]) -> list[Prediction]:
        """Probabilities over threads and a new one for documents that are not stored, averaged over the last labellings
        (ddCRP paper eq. 15). Times before the clock count as now. Nothing changes."""
        return predict(self, read_all(self, items))

    def threads(self) -> list[ThreadInfo]:
        """Every live thread, heaviest first."""
        return threads(self)

    def explain(self, document: str) -> Placement:
        """Why a document of the window is in its thread: that thread and the best others if it came now, given all
        other documents."""
        return placements(self, explain(self, [document]))[0]

    def explain_all(self, documents: Sequence[str]) -> Ranked:
        """Like `explain`, for many documents as arrays."""
        return explain(self, documents)

    def assignments(self) -> list[Assignment]:
        """The thread of every window document, with its probability and the alternatives in the last labellings."""
        return assignments(self)

    def events(self) -> list[Event]:
        """What happened to threads since the last call. Born, split and revived threads live, merged and died ones do
        not; what lives after all events is what `threads` tells."""
        happened, self.pending = self.pending, []
        return happened

    def chain(self) -> dict[str, Any]:
        """All that is neither documents nor labels, ready for JSON; see `from_labels`."""
        return chain(self)

    @staticmethod
    def known_threads(chain: Mapping[str, Any]) -> list[int]:
        """Threads whose settled documents `from_labels` needs."""
        return known_threads(chain)

    @classmethod
    def from_labels(cls, chain: Mapping[str, Any], documents: Iterable[Labelled | tuple[Any, ...]]) -> "Stream":
        """The stream that `chain` was called on, from the documents with their labels: all of the window, and all
        settled ones of its threads (others are ignored). Late ones never were part of it."""
        return from_labels(cls, chain, documents)

    def to_bytes(self) -> bytes:
        """All that is needed to go on as if nothing had happened; equal streams give equal bytes."""
        return to_bytes(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Stream":
        """The stream that `to_bytes` was called on; refuses damaged data."""
        return from_bytes(cls, data)

    # For the parts of the engine.

    def window_range(self) -> slice:
        """Numbers of the window documents."""
        return slice(int(self.cursor[0]), self.documents.count)

    def names(self) -> NDArray[np.int64]:
        """Thread of each window document."""
        return self.labelling.slots.names[self.documents["labels"][self.window_range()]]

    def sequences(self) -> NDArray[np.int64]:
        """Arrival of each window document."""
        return self.documents["sequence"][self.window_range()]

    def life_table(self) -> Life:
        """The life table, as long as there are slots."""
        more = len(self.labelling.slots.size) - len(self.life.settled)
        if more:
            columns: list[Any] = [np.pad(column, (0, more)) for column in self.life]
            self.life = Life(*columns)
        return self.life

    def slot_of(self) -> dict[int, int]:
        """thread -> slot, of threads with documents."""
        used = np.flatnonzero(self.labelling.slots.size)
        return dict(zip(self.labelling.slots.names[used].tolist(), used.tolist(), strict=True))
