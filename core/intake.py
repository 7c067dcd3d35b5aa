"""Documents in: read, checked, numbered, and each placed at once."""

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .documents import Rows
from .errors import ArgumentError
from .housekeeping import log_death, next_housekeeping, note_settled, renumber, tidy
from .items import LARGEST, LATEST, float_array
from .lifecycle import Event
from .likelihoods.dirichlet_multinomial import with_vocabulary
from .placement import Placement, Ranked, new_ranking, placements
from .priors.rcrp import EXACT, RCRP
from .samplers.place import RANKS, Ranking, late_kernel, place_kernel
from .vocabulary import Counts, count_words

if TYPE_CHECKING:
    from .stream import Stream
    from .windowed import Windowed


class Document(NamedTuple):
    """A document as it was read: words with their counts, or a vector."""

    id: str
    time: float
    content: Any


def add(stream: "Stream", items: Iterable[Any]) -> list[Placement]:
    """See `Stream.add`."""
    return [placed for ranked in place(stream, items) for placed in placements(stream, ranked)]


def place(stream: "Stream", items: Iterable[Any]) -> Iterator[Ranked]:
    """See `Stream.place`. Housekeeping comes at fixed counts of documents, so that batches do not matter."""
    batch = read_all(stream, items)
    refuse_known_ids(stream, batch)
    while batch:
        due = next_housekeeping(stream.sequence)
        some, batch = batch[: due - stream.sequence], batch[due - stream.sequence :]
        yield _add(stream, some)
        if stream.sequence == due:
            tidy(stream)


def read_all(stream: "Stream | Windowed", items: Iterable[Any]) -> list[Document]:
    """Items with their contents checked."""
    batch = []
    for item in items:
        fields = [item[name] for name in ("id", "time", "content")] if isinstance(item, Mapping) else list(item)
        if len(fields) != 3:
            raise ArgumentError("items", f"has {item!r:.40}", "pass (id, time, content)")
        batch.append(Document(str(fields[0]), read_time(stream, fields[1]), read_content(stream, fields[2])))
    return batch


def read_time(stream: "Stream | Windowed", time: Any) -> float:
    """A time that the prior can use."""
    if type(time) is float and abs(time) <= LATEST and not isinstance(stream.prior, RCRP):
        return time
    when = float_array("time", time)
    if when.shape != () or not np.isfinite(when) or abs(when) > LATEST:
        raise ArgumentError("time", f"is {time!r:.40}", "pass a finite number")
    if isinstance(stream.prior, RCRP) and (when != np.floor(when) or abs(when) > EXACT):
        raise ArgumentError("time", f"is {time!r:.40}", "pass a whole epoch number")
    return float(when)


def read_content(stream: "Stream | Windowed", content: Any) -> Any:
    """Counts of words that the base measure can have, or a vector of the right length."""
    if stream.words:
        counts = count_words("content", content)
        if (
            getattr(stream.likelihood, "base", None) is not None
            and not counts.keys() <= stream.vocabulary.number.keys()
        ):
            raise ArgumentError(
                "content", "has a word outside the base", "number words from 0 to the base's length - 1"
            )
        return counts
    point = float_array("content", content)
    if point.shape != (stream.dimensions,) or not (np.abs(point) <= LARGEST).all():
        raise ArgumentError("content", f"has shape {point.shape}", f"pass {stream.dimensions} finite numbers")
    return point


def refuse_known_ids(stream: "Stream | Windowed", batch: list[Document]) -> None:
    """An id names one document of the window."""
    seen: set[str] = set()
    known = stream.arrivals
    for document in batch:
        if document.id in known or document.id in seen:
            raise ArgumentError(
                "items", f"has the id {document.id!r:.40} of a document in the window", "give every document its own id"
            )
        seen.add(document.id)


def to_rows(stream: "Stream", times: Iterable[float], sequence: NDArray[np.int64], contents: list[Any]) -> Rows:
    """Documents as the arrays that are stored; new words get numbers."""
    when = np.array([*times], np.float64)
    none = np.zeros(0, np.int64)
    if not stream.words:
        points = np.array(contents, np.float64).reshape(len(contents), stream.dimensions)
        return Rows(when, sequence, [none] * len(contents), [none] * len(contents), points)
    pairs = [stream.vocabulary.encode(counts) for counts in contents]
    make_room_for_words(stream)
    return Rows(when, sequence, [p[0] for p in pairs], [p[1] for p in pairs], np.zeros((len(contents), 0)))


def make_room_for_words(stream: "Stream") -> None:
    """Let the likelihood have all words of the vocabulary."""
    state = stream.labelling.likelihood
    if stream.vocabulary.extent > len(state.mass):
        stream.labelling.likelihood = with_vocabulary(state, 2 * stream.vocabulary.extent, stream.unit_mass)


def known_rows(stream: "Stream", times: NDArray[np.float64], contents: list[Counts]) -> tuple[Rows, list[list[int]]]:
    """Like `to_rows` for documents that are not stored: words without a number are left out, and their counts told."""
    parts = [stream.vocabulary.look_up(counts) for counts in contents]
    sequence = np.full(len(times), -1, np.int64)
    words, counts = [p[0] for p in parts], [p[1] for p in parts]
    return Rows(times, sequence, words, counts, np.zeros((len(times), 0))), [p[2] for p in parts]


def _add(stream: "Stream", batch: list[Document]) -> Ranked:
    """Place some documents between two rounds of housekeeping."""
    sequence = np.arange(stream.sequence, stream.sequence + len(batch))
    rows = to_rows(stream, (d.time for d in batch), sequence, [d.content for d in batch])
    stream.sequence += len(batch)
    late = rows.times < np.maximum.accumulate(np.maximum(rows.times, stream.clock[0])) - stream.window
    starts = np.cumsum([0, *map(len, rows.words)])
    ranking = new_ranking(len(batch), int(starts[-1]))
    bounds = np.flatnonzero(np.diff(late, prepend=not late[0], append=not late[-1]))
    for begin, end in pairwise(bounds.tolist()):
        if late[begin]:
            _rank_late(stream, rows.part(begin, end), begin, starts, ranking)
        else:
            for document, arrival in zip(batch[begin:end], sequence[begin:end].tolist(), strict=True):
                stream.ids[arrival], stream.arrivals[document.id] = document.id, arrival
            _place(stream, rows.part(begin, end), begin, starts, ranking)
    _note_births(stream, rows.times, late, ranking)
    words = np.concatenate(rows.words)
    return Ranked([d.id for d in batch], ranking, words, starts, late, sequence)


def _place(stream: "Stream", rows: Rows, begin: int, starts: NDArray[np.int64], ranking: Ranking) -> None:
    newest = stream.documents["times"][stream.documents.count - 1] if stream.documents.count else -math.inf
    numbers = stream.documents.append(rows)
    if (np.diff(rows.times, prepend=newest) < 0).any():
        first = int(np.searchsorted(stream.documents["times"][: numbers[0]], rows.times.min(), side="right"))
        numbers = renumber(stream, np.ones(stream.documents.count - first, bool), first)[numbers - first]
    stream.attach_arrays()
    before = int(stream.cursor[0])
    best = np.zeros(RANKS, np.int64)
    order = np.arange(begin, begin + len(numbers))
    stream.labelling.run(
        lambda step: place_kernel(
            stream.labelling.state,
            stream.life_table(),
            numbers,
            stream.documents.count,
            stream.window,
            log_death(stream),
            stream.clock,
            stream.cursor,
            best,
            ranking,
            order,
            starts[order],
            step,
        )
    )
    stream.documents["confidence"][numbers] = ranking.probability[order, 0]
    note_settled(stream, before)


def _rank_late(stream: "Stream", rows: Rows, begin: int, starts: NDArray[np.int64], ranking: Ranking) -> None:
    """Documents older than the window get a label and leave no trace."""
    held = stream.documents.count, stream.documents.used_words
    numbers = stream.documents.append(rows)
    stream.attach_arrays()
    best = np.zeros(RANKS, np.int64)
    for row, number in enumerate(numbers.tolist(), begin):
        late_kernel(stream.labelling.state, number, stream.life_table(), best, ranking, row, int(starts[row]))
    stream.documents.drop_last(*held)


def _note_births(stream: "Stream", times: NDArray[np.float64], late: NDArray[np.bool], ranking: Ranking) -> None:
    """Events of the threads that the documents opened, or found dead."""
    notable = ranking.is_new | np.isfinite(ranking.faded)
    if stream.dead:
        notable |= np.isin(ranking.names[:, 0], list(stream.dead))
    for row in np.flatnonzero(notable & ~late):
        name, time = int(ranking.names[row, 0]), float(times[row])
        if ranking.is_new[row]:
            stream.pending.append(Event("born", name, time, None))
            continue
        if name not in stream.dead and np.isfinite(ranking.faded[row]):
            stream.pending.append(Event("died", name, float(ranking.faded[row]), None))
        elif name not in stream.dead:
            continue  # revived by a document before this one
        stream.dead.discard(name)
        stream.pending.append(Event("revived", name, time, None))
