"""What core tells of births, deaths and revivals while documents are placed, document by document."""

from collections.abc import Iterable
from typing import NamedTuple

from core.lifecycle import Event

from .models import StreamSettings, moment_of


class Turn(NamedTuple):
    """kind: born, died or revived."""

    kind: str
    thread: int
    moment: int
    time: float  # in core's unit


class Turns:
    """The events of one batch, in the order in which core told them."""

    def __init__(self, settings: StreamSettings, events: Iterable[Event]) -> None:
        self._left = [Turn(event.kind, event.thread, moment_of(settings, event.time), event.time) for event in events]

    def at(self, thread: int, time: float) -> list[Turn]:
        """What became of the thread up to its birth or revival by a document of this time; none if it was alive."""
        own = [turn for turn in self._left if turn.thread == thread]
        last = next((i for i, turn in enumerate(own) if turn.kind != "died" and turn.time == time), -1)
        told = own[: last + 1]
        self._left = [turn for turn in self._left if turn not in told]
        return told

    def rest(self) -> list[Turn]:
        """What no document brought."""
        return self._left
