"""A windowed stream as a chain and labelled documents, or as bytes, and back."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ArgumentError
from .intake import read_content, read_time
from .lifecycle import Event
from .memory import Kept
from .rebuild import Labelled
from .snapshot import pack, unpack
from .specification import build_model, describe_model
from .window_time import Life

if TYPE_CHECKING:
    from .windowed import Windowed

VERSION = 1


def chain(stream: "Windowed") -> dict[str, Any]:
    """See `Windowed.chain`."""
    memory = stream.memory
    return {
        "version": VERSION,
        "settings": [_plain(stream.window), stream.seed, sorted(stream.fixed), stream.dimensions, stream.limit],
        "prior": describe_model(stream.prior),
        "likelihood": describe_model(stream.likelihood),
        "first_strength": stream.first_strength,
        "clock": _plain(float(stream.clock[0])),
        "horizon": [_plain(stream.horizon[0]), stream.horizon[1]],
        "counts": [stream.sequence, stream.passes, stream.next_thread],
        "dead": sorted(stream.dead),
        "pending": [list(event) for event in stream.pending],
        "life": [[thread, *life] for thread, life in sorted(stream.life.items())],
        "context": [kept.sequence for kept in memory.kept[: memory.context]],
        "newly_settled": stream.newly_settled,
    }


def known_threads(chain: Mapping[str, Any]) -> list[int]:
    """See `Windowed.known_threads`."""
    if chain.get("version") != VERSION or "context" not in chain:
        raise ArgumentError("chain", "is not of a windowed stream of this version", "make it again")
    return [int(row[0]) for row in chain["life"]]


def from_labels(cls: type["Windowed"], chain: Mapping[str, Any], documents: Iterable[Any]) -> "Windowed":
    """See `Windowed.from_labels`."""
    stream = _blank(cls, chain)
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


def _blank(cls: type["Windowed"], chain: Mapping[str, Any]) -> "Windowed":
    """Without documents, at the chain's point of time and chance."""
    known_threads(chain)
    window, seed, fixed, dimensions, limit = chain["settings"]
    models = build_model(chain["prior"]), build_model(chain["likelihood"])
    stream = cls(*models, window=float(window), seed=seed, fixed=fixed, dimensions=dimensions, limit=limit)
    stream.first_strength = chain["first_strength"]
    stream.clock[0] = float(chain["clock"])
    stream.horizon = float(chain["horizon"][0]), int(chain["horizon"][1])
    stream.sequence, stream.passes, stream.next_thread = chain["counts"]
    stream.dead, stream.pending = set(chain["dead"]), [Event(*event) for event in chain["pending"]]
    stream.life = {int(row[0]): Life(*row[1:]) for row in chain["life"]}
    stream.newly_settled = list(chain["newly_settled"])
    return stream


def to_bytes(stream: "Windowed") -> bytes:
    """See `Windowed.to_bytes`."""
    kept = stream.memory.kept
    rows = [[k.id, k.time, k.thread, k.sequence, k.content if stream.words else None] for k in kept]
    points = np.array([k.content for k in kept if not stream.words], np.float64).reshape(-1, max(stream.dimensions, 1))
    return pack({"chain": chain(stream), "documents": rows}, {"points": points})


def from_bytes(cls: type["Windowed"], data: bytes) -> "Windowed":
    """See `Windowed.from_bytes`."""
    header, arrays = unpack(data)
    rows = header["documents"]
    contents = arrays["points"] if len(arrays["points"]) else [row[4] for row in rows]
    labelled = [
        Labelled(name, time, content, thread, sequence)
        for (name, time, thread, sequence, _), content in zip(rows, contents, strict=True)
    ]
    return from_labels(cls, header["chain"], labelled)


def _plain(number: float) -> float | str:
    """Infinity is not JSON."""
    return number if math.isfinite(number) else str(number)
