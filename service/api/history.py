"""A thread over time: what came in each bucket, and how strong it was at its end."""

import json
import math
from collections import Counter
from collections.abc import Callable

from sqlalchemy import Connection

from service.durations import parse_duration
from service.ids import thread_id
from service.spellings import spellings
from service.store import histories, paths
from service.store.streams import StreamRow
from service.text import is_shown

from .schemas.threads import Bucket, History

MOST_BUCKETS = 500
TOP_WORDS = 10
SECOND = 1_000_000


def history(connection: Connection, stream: StreamRow, thread: int, start: int, end: int, width: int) -> History:
    """Buckets from start to before end, empty ones too."""
    counts = dict(histories.documents_per_bucket(connection, stream.id, thread, start, end, width))
    strength = strength_of(stream, histories.times_of(connection, stream.id, thread))
    path = paths.load(connection, stream.id, thread)
    ends = {opening: min(opening + width, end) for opening in range(start, end, width)}
    tops = {at: _top_words(connection, stream.id, thread, at, ends[at]) for at in ends if counts.get(at)}
    spelling = spellings(connection, stream, {word: seq for top in tops.values() for word, seq in top.items()})
    buckets = []
    for opening, closing in ends.items():
        buckets.append(
            Bucket(
                from_=opening,
                to=closing,
                documents=counts.get(opening, 0),
                strength=strength(closing),
                top_words=[spelling[word] for word in tops.get(opening, ())],
                evolved_words=next((moved for moment, moved in reversed(path) if moment < closing), None),
            )
        )
    return History(thread_id=thread_id(thread), bucket_seconds=width / SECOND, data=buckets)


def strength_of(stream: StreamRow, times: list[int]) -> Callable[[int], float]:
    """The weight of documents with these times at moments that never go back.

    rcrp: those of the last `width` epochs. crp: all. Others: each counts less by the half-life.
    """
    half_life = stream.statistics.get("half_life")
    model = stream.settings.get("model", "tdpm")
    if model not in ("rcrp", "crp") and half_life:
        return _Fading(times, math.log(2) / (half_life * SECOND)).at
    if model == "rcrp":
        span = stream.settings.get("width", 7) * parse_duration(stream.settings.get("epoch", "P1D"))
        return lambda moment: float(sum(moment - span <= time < moment for time in times))
    return lambda moment: float(sum(time < moment for time in times))


class _Fading:
    """A sum of exponentials, carried forward from moment to moment."""

    def __init__(self, times: list[int], rate: float) -> None:
        self._times, self._rate = times, rate
        self._next, self._weight = 0, 0.0
        self._moment = times[0] if times else 0

    def at(self, moment: int) -> float:
        while self._next < len(self._times) and self._times[self._next] < moment:
            self._fade(self._times[self._next])
            self._weight += 1.0
            self._next += 1
        self._fade(moment)
        return self._weight

    def _fade(self, moment: int) -> None:
        if moment > self._moment:
            self._weight *= math.exp(-self._rate * (moment - self._moment))
            self._moment = moment


def _top_words(connection: Connection, stream_id: str, thread: int, start: int, end: int) -> dict[str, int]:
    """The most frequent words first, each with the sequence number of a document that has it."""
    counts: Counter[str] = Counter()
    examples: dict[str, int] = {}
    for seq, stored in histories.words_between(connection, stream_id, thread, start, end):
        words = json.loads(stored)
        counts.update(words)
        examples |= dict.fromkeys(words, seq)
    ranked = sorted((pair for pair in counts.items() if is_shown(pair[0])), key=lambda pair: (-pair[1], pair[0]))
    return {word: examples[word] for word, _ in ranked[:TOP_WORDS]}
