"""Why a document is where it is, as it is stored: the threads compared and the parts of their scores."""

from collections.abc import Iterable
from typing import NamedTuple

import orjson


class Part(NamedTuple):
    """One of the threads compared; None stands for a new one. All but the probability in nats against a new thread.

    places: of the words that spoke loudest, among the document's words; nats: what each said; rest: what others said.
    """

    thread: int | None
    probability: float
    prior: float = 0.0
    length: float = 0.0
    rest: float = 0.0
    places: list[int] = []  # noqa: RUF012
    nats: list[float] = []  # noqa: RUF012


def dump(parts: Iterable[Part]) -> str:
    """As JSON, without names: a stream has millions of them."""
    return orjson.dumps([tuple(part) for part in parts]).decode()


def load(stored: str | None) -> list[Part]:
    """Back from what `dump` made; none of a document that was never ranked."""
    return [Part(*fields) for fields in orjson.loads(stored or "[]")]
