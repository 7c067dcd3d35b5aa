"""Documents to measure with: endless ones whose topics are born and die, and the collections of the data folder."""

import gzip
import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

Document = tuple[str, float, list[str]]

WORDS = 8  # a document
COMMON_SHARE = 0.25  # of a document's words that belong to no topic
COMMON = 2_000  # words of no topic, the r-th of them with weight 1/r
OWN, SHARED = 4, 8  # words of a topic: nobody else's, and drawn from those that topics share
POOL = 20_000  # words that topics share, unless told otherwise
LEAST = 3  # letters of a word in the long texts


class Text(NamedTuple):
    """A document of a collection: its words, joined by spaces, and its true group."""

    id: str
    words: str
    label: str


class Topics:
    """Documents one after the other, one per unit of time. A topic is born with probability `births` before each; of
    the `live` topics it then has, each is as likely to be written about. When there are more, the oldest dies.

    Every topic brings words that were never seen before, so that the vocabulary turns over for ever.
    """

    def __init__(self, live: int, births: float, seed: int, pool: int = POOL) -> None:
        self.rng = np.random.default_rng(seed)
        self.births, self.live, self.pool = births, live, pool
        self.born = 0
        self.topics = [self._topic() for _ in range(live)]
        self.written = 0
        weights = 1.0 / np.arange(1, COMMON + 1)
        self.common = np.cumsum(weights / weights.sum())

    def _topic(self) -> list[str]:
        self.born += 1
        shared = [f"s{w}" for w in self.rng.integers(self.pool, size=SHARED)]
        return [f"t{self.born}x{w}" for w in range(OWN)] + shared

    def take(self, n: int) -> list[Document]:
        """The next n documents."""
        return list(islice(self._documents(), n))

    def _documents(self) -> Iterator[Document]:
        while True:
            if self.rng.random() < self.births:
                self.topics[self.born % self.live] = self._topic()
            topic = self.topics[self.rng.integers(self.live)]
            ranks = np.searchsorted(self.common, self.rng.random(WORDS))
            own = self.rng.integers(len(topic), size=WORDS)
            kinds = self.rng.random(WORDS) < COMMON_SHARE
            words = [f"c{r}" if c else topic[t] for r, t, c in zip(ranks, own, kinds, strict=True)]
            self.written += 1
            yield str(self.written), float(self.written), words


def read(folder: Path, name: str) -> list[Text]:
    """A collection in its order; long texts are cut into lower-case words without English stop words."""
    path = folder / f"{name}.jsonl.gz"
    if not path.exists():
        raise FileNotFoundError(f"{path.name} is missing in the data folder: left out")
    texts = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            words = row["text"] if name.startswith("googlenews") else _words(f"{row['title'] or ''} {row['text']}")
            texts.append(Text(row["id"], words, str(row["label"])))
    return texts


def _words(text: str) -> str:
    found = re.findall(r"[^\W\d_]+", text.lower())
    return " ".join(w for w in found if len(w) >= LEAST and w not in ENGLISH_STOP_WORDS)
