"""What core sees of documents: counts of words or vectors."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from service.text import Fields, count_words

from .models import Model, StreamSettings


class Arrival(NamedTuple):
    """A document to place. vector: little-endian doubles; metadata: JSON."""

    seq: int
    time: int
    title: str | None
    text: str | None
    vector: bytes | None
    author: str | None = None
    metadata: str | None = None


def content_of(arrival: Arrival, settings: StreamSettings) -> Any:
    """Words of all fields together, or the vector."""
    if settings.kind == "words":
        metadata = json.loads(arrival.metadata) if arrival.metadata and settings.text.reply_weight else None
        return count_words(Fields(arrival.title, arrival.text, arrival.author, metadata), settings.text)
    return np.frombuffer(arrival.vector or b"", "<f8")


def stored_content(words: str | None, vector: bytes | None) -> Any:
    """What core saw of a document that is stored."""
    return np.frombuffer(vector or b"", "<f8") if words is None else json.loads(words)


def has_room(stream: Model, contents: Sequence[dict[str, int]], limit: int) -> bool:
    """Whether all their words fit into the vocabulary."""
    known = stream.vocabulary.number
    new = {word for content in contents for word in content if word not in known}
    return len(known) + len(new) <= limit


def fitting(stream: Model, content: dict[str, int], limit: int) -> dict[str, int]:
    """The words that are known or for which the vocabulary has room; the others are dropped."""
    known = stream.vocabulary.number
    new = [word for word in content if word not in known][: max(limit - len(known), 0)]
    return {word: count for word, count in content.items() if word in known or word in new}


def runs(seqs: Sequence[int], breaks: Sequence[int]) -> Iterator[slice]:
    """Parts without gaps in the sequence, and that end after each of the breaks."""
    begin = 0
    for i in range(1, len(seqs) + 1):
        if i == len(seqs) or seqs[i] != seqs[i - 1] + 1 or seqs[i - 1] in breaks:
            yield slice(begin, i)
            begin = i
