"""What a model did since it was last written down: everything that one transaction must hold."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from service.store.parts import Part

if TYPE_CHECKING:
    from .records import Record


class Placed(NamedTuple):
    """A document and what the model says of it. state: provisional or late."""

    seq: int
    time: int
    state: str
    thread: int | None
    probability: float
    title: str | None
    words: dict[str, int] | None
    parts: list[Part]


class Moved(NamedTuple):
    """A document in another thread than before."""

    seq: int
    thread: int
    probability: float
    parts: list[Part]


class Happening(NamedTuple):
    """A lifecycle event. type: thread.born and so on. other: merged into, split from, moved from."""

    type: str
    occurred_at: int
    thread: int | None
    other: int | None
    document: int | None


@dataclass
class Step:
    """Changes since the last step. moved: documents written down before that changed their thread."""

    placed: dict[int, Placed] = field(default_factory=dict)
    moved: dict[int, Moved] = field(default_factory=dict)
    happenings: list[Happening] = field(default_factory=list)
    threads: list["Record"] = field(default_factory=list)
    cursor: int = 0
    clock: int | None = None
    horizon: int | None = None
    settled: list[int] = field(default_factory=list)  # that the horizon does not tell
    visits: int = 0
    sweep_seconds: float = 0.0  # of the last sweep

    def forget(self, seq: int) -> None:
        """Say nothing more of a document."""
        self.moved.pop(seq, None)

    def move(self, moved: Moved) -> None:
        """Note a move; of a document that is new in this step only the place counts."""
        new = self.placed.get(moved.seq)
        if new is None:
            self.moved[moved.seq] = moved
        else:
            self.placed[moved.seq] = new._replace(thread=moved.thread, probability=moved.probability, parts=moved.parts)
