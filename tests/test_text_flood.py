"""A flood of words that nobody repeats: the vocabulary stays within its limit, and the stream comes through."""

import numpy as np

from service.engine.contents import Arrival
from service.engine.live import BOUNDARY, LiveStream
from service.engine.load import new_stream
from service.engine.models import DAY, StreamSettings

LIMIT = 2_000
FLOOD = 640  # documents of 40 words each, all new
LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


def send(live: LiveStream, texts: list[str], first_seq: int, first_day: float, spacing: float) -> None:
    for begin in range(0, len(texts), BOUNDARY):
        some = range(begin, min(begin + BOUNDARY, len(texts)))
        live.place([Arrival(first_seq + i, int((first_day + i * spacing) * DAY), None, texts[i], None) for i in some])
        live.sweep(BOUNDARY)


def test_a_flood_of_random_words_neither_grows_the_vocabulary_nor_stays_in_it() -> None:
    settings = StreamSettings.read({"limits": {"vocabulary": LIMIT}, "window": "2d", "half_life": "12h"})
    live = LiveStream(settings, new_stream(settings))
    rng = np.random.default_rng(5)
    flood = [" ".join("".join(rng.choice(LETTERS, 9)) for _ in range(40)) for _ in range(FLOOD)]
    send(live, flood, 1, 10.0, 0.001)
    words = live.stream.vocabulary
    assert LIMIT // 2 < len(words) <= LIMIT
    assert words.extent <= LIMIT
    stories = ["river bridge flood water", "shares market bank profit"]
    send(live, [stories[i % 2] for i in range(FLOOD)], FLOOD + 1, 40.0, 0.01)
    assert {"river", "bridg", "market", "profit"} <= words.number.keys()
    assert len(words) < LIMIT // 2
    assert words.extent <= LIMIT
    newest = live.stream.names()[-2:]
    assert newest[0] != newest[1]
