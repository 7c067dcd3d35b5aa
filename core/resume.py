"""A stream as bytes and back, bit for bit."""

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from .lifecycle import Event
from .slots import new_scratch
from .snapshot import flatten, pack, restore
from .specification import describe_model

if TYPE_CHECKING:
    from .stream import Stream


def to_bytes(stream: "Stream") -> bytes:
    """All that is needed to go on as if nothing had happened."""
    lab = stream.labelling
    arrays = {f"documents.{name}": column for name, column in stream.documents.columns.items()}
    arrays |= {"words": stream.documents.words, "counts": stream.documents.counts, "recent": stream.vocabulary.recent}
    arrays |= flatten("prior", lab.prior) | flatten("likelihood", lab.likelihood) | flatten("slots", lab.slots)
    arrays |= flatten("life", stream.life_table()) | {
        "clock": stream.clock,
        "cursor": stream.cursor,
        "order": stream.order,
    }
    for r, (sequence, names) in enumerate(stream.ring):
        arrays |= {f"ring.{r}.sequence": sequence, f"ring.{r}.names": names}
    header = {
        "prior": describe_model(stream.prior),
        "likelihood": describe_model(stream.likelihood),
        "settings": [stream.window, stream.seed, sorted(stream.fixed), stream.dimensions],
        "numbers": [
            stream.documents.count,
            stream.documents.used_words,
            stream.sequence,
            stream.passes,
        ],
        "unit_mass": stream.unit_mass,
        "words": stream.vocabulary.word,
        "free_words": stream.vocabulary.free,
        "ids": list(stream.ids.items()),
        "dead": sorted(stream.dead),
        "pending": stream.pending,
        "ring": len(stream.ring),
        "random": stream.rng.bit_generator.state,
    }
    return pack(header, arrays)


def fill_from(stream: "Stream", header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Make a new stream of the same settings the one that `to_bytes` was called on."""
    documents, vocabulary, lab = stream.documents, stream.vocabulary, stream.labelling
    documents.count, documents.used_words, stream.sequence, stream.passes = header["numbers"]
    documents.columns = {name: arrays[f"documents.{name}"] for name in documents.columns}
    documents.words, documents.counts, vocabulary.recent = arrays["words"], arrays["counts"], arrays["recent"]
    vocabulary.word, vocabulary.free = header["words"], header["free_words"]
    vocabulary.number = {word: n for n, word in enumerate(vocabulary.word) if word is not None}
    lab.prior = restore("prior", lab.prior, arrays)
    lab.likelihood = restore("likelihood", lab.likelihood, arrays)
    lab.slots = restore("slots", lab.slots, arrays)
    lab.scratch = new_scratch(len(lab.slots.size))
    stream.life = restore("life", stream.life, arrays)
    stream.clock, stream.cursor, stream.order = arrays["clock"], arrays["cursor"], arrays["order"]
    stream.unit_mass = header["unit_mass"]
    stream.ids = {int(sequence): name for sequence, name in header["ids"]}
    stream.dead = set(header["dead"])
    stream.pending = [Event(*event) for event in header["pending"]]
    stream.ring.extend((arrays[f"ring.{r}.sequence"], arrays[f"ring.{r}.names"]) for r in range(header["ring"]))
    stream.rng.bit_generator.state = header["random"]
    stream.attach_arrays(lab)
