"""The chain: all of a stream that is neither documents nor labels. It is small, and its size follows what lives."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .documents import RING
from .errors import ArgumentError
from .growth import folded
from .housekeeping import words_in_use
from .items import NONE
from .knobs import frequencies
from .specification import describe_model
from .vocabulary import in_order

if TYPE_CHECKING:
    from .stream import Stream

VERSION = 1


def chain(stream: "Stream") -> dict[str, Any]:
    """See `Stream.chain`."""
    return {
        "version": VERSION,
        "settings": [_plain(stream.window), stream.seed, sorted(stream.fixed), stream.dimensions],
        "prior": describe_model(stream.prior),
        "likelihood": describe_model(stream.likelihood),
        "first_strength": stream.first_strength,
        "clock": _plain(float(stream.clock[0])),
        "sequence": stream.sequence,
        "passes": stream.passes,
        "next_thread": int(stream.labelling.slots.marks[3]),
        "random": stream.rng.bit_generator.state,
        "scan": None if stream.scan is None else list(stream.scan),
        "dead": sorted(stream.dead),
        "pending": [list(event) for event in stream.pending],
        "threads": _threads(stream),
        "folded": _folded(stream),
        "ring": _ring(stream),
        "base": _base(stream),
    }


def known_threads(chain: Mapping[str, Any]) -> list[int]:
    """See `Stream.known_threads`."""
    if chain.get("version") != VERSION:
        raise ArgumentError("chain", f"is of version {chain.get('version')!r:.40}", f"make it with version {VERSION}")
    return list(chain["threads"]["thread"])


def _plain(number: float) -> float | str:
    """Infinity is not JSON."""
    return number if math.isfinite(number) else str(number)


def _threads(stream: "Stream") -> dict[str, list[Any]]:
    slots, life = stream.labelling.slots, stream.life_table()
    used = np.flatnonzero(slots.size)
    old = life.settled[used] > 0
    return {
        "thread": slots.names[used].tolist(),
        "slot": used.tolist(),
        "settled": life.settled[used].tolist(),
        "birth": np.where(old, life.birth[used], 0.0).tolist(),
        "last": np.where(old, life.last[used], 0.0).tolist(),
    }


def _folded(stream: "Stream") -> dict[str, list[Any]]:
    """What the prior keeps of settled documents."""
    cursor = int(stream.cursor[0])
    life, times = stream.life_table(), stream.documents["times"]
    kept = folded(
        stream.labelling.prior, times, cursor, float(stream.clock[0] - stream.window), life.settled, life.last
    )
    sequence = np.where(kept.document == NONE, NONE, stream.documents["sequence"][np.maximum(kept.document, 0)])
    order = np.lexsort((sequence, kept.time, kept.slot))
    columns = {
        "slot": kept.slot, "sequence": sequence, "time": kept.time, "count": kept.documents, "value": kept.value
    }  # fmt: skip
    return {name: column[order].tolist() for name, column in columns.items()}


def _ring(stream: "Stream") -> list[list[Any]]:
    """For each labelling kept: how many documents had arrived, and which of the window were elsewhere, and where."""
    now, sequence = stream.names(), stream.sequences()
    past = stream.documents["past"][stream.window_range()]
    ring = []
    for before, column in zip(stream.kept, range(RING - len(stream.kept), RING), strict=True):
        differ = np.flatnonzero((past[:, column] != now) & (sequence < before))
        ring.append([before, sequence[differ].tolist(), past[differ, column].tolist()])
    return ring


def _base(stream: "Stream") -> dict[str, Any] | None:
    """The base measure was made from other frequencies than those of now; words that are known but not in use decide
    with the others how it will be made next."""
    if not stream.words or stream.likelihood.base is not None:
        return None
    vocabulary = stream.vocabulary
    return {
        "strength": stream.labelling.likelihood.strength,
        "size": vocabulary.size_then,
        "since": sorted(vocabulary.since(frequencies(stream)), key=lambda pair: (isinstance(pair[0], str), pair[0])),
        "idle": in_order(vocabulary.idle(words_in_use(stream))),
    }
