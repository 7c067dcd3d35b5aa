"""The threads of a stream as users see them: states, lineage, and the lifecycle events that lead from one to the next.

A thread is live while it has documents in the window, dormant when all are settled, dead when the model says so.
Births and revivals are noted at the document that brings them; all else at fixed arrival sequences, so that the size of
batches does not matter.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .models import StreamSettings, core_time, moment_of
from .step import Happening
from .survey import Row
from .turns import Turn

LIVE, DORMANT, DEAD, MERGED = "live", "dormant", "dead", "merged"
EVENT_OF = {LIVE: "thread.revived", DORMANT: "thread.dormant", DEAD: "thread.died"}


@dataclass
class Record:
    """A thread. Moments in microseconds; `recent`: documents placed in it since it was last written down."""

    thread: int
    state: str
    born_at: int
    last_at: int
    size: int = 0
    window_size: int = 0
    died_at: int | None = None
    merged_into: int | None = None
    split_from: int | None = None
    strength: float | None = None  # None: as it was
    top_words: list[str] | None = None  # None: as they were
    representative: int | None = None  # None: as it was
    path: list[tuple[int, list[str]]] = field(default_factory=list)  # words by epoch, as far as they may have changed
    recent: list[int] = field(default_factory=list)


class Records:
    """Every thread that the model knows, those that changed, and what happened."""

    def __init__(self, settings: StreamSettings, known: Iterable[Record] = ()) -> None:
        self.settings = settings
        self.by_thread = {record.thread: record for record in known}
        self.changed: dict[int, Record] = {}
        self.undescribed: set[int] = set()
        self.happenings: list[Happening] = []

    def placed(self, thread: int, seq: int, moment: int, before: Sequence[Turn]) -> None:
        """A document came. before: what the model says became of its thread just then."""
        for turn in before:
            if turn.kind == "born":
                self._begin(Record(thread, LIVE, moment, moment), "thread.born", moment)
            elif turn.kind == "died":
                self._turn(self.by_thread[thread], DEAD, turn.moment)
        record = self.by_thread[thread]
        record.size += 1
        record.born_at, record.last_at = min(record.born_at, moment), max(record.last_at, moment)
        record.recent.append(seq)
        self.changed[thread] = record
        self._turn(record, LIVE, moment)

    def died(self, turns: Iterable[Turn]) -> None:
        """Threads died."""
        for turn in turns:
            if turn.kind == "died":
                self._turn(self.by_thread[turn.thread], DEAD, turn.moment)

    def moved(self, seq: int, before: int, after: int, moment: int) -> None:
        """A document changed its thread."""
        self.happenings.append(Happening("document.moved", moment, after, before, seq))
        for thread in (before, after):
            self.changed[thread] = self.by_thread[thread]

    def split(self, thread: int, other: int | None, moment: int) -> None:
        """A thread came out of another one."""
        kind = "thread.born" if other is None else "thread.split"
        self._begin(Record(thread, LIVE, moment, moment, split_from=other), kind, moment, other)

    def ended(self, thread: int, into: int | None, moment: int) -> None:
        """A thread has no documents left: they are all in another one, or erased."""
        record = self.by_thread.pop(thread)
        record.state = DEAD if into is None else MERGED
        record.merged_into, record.died_at = into, moment
        record.size, record.window_size, record.strength = 0, 0, 0.0
        kind = "thread.died" if into is None else "thread.merged"
        self.happenings.append(Happening(kind, moment, thread, into, None))
        self.changed[thread] = record

    def update(self, rows: Mapping[int, Row]) -> None:
        """Take sizes and times over from the model."""
        for thread, row in rows.items():
            record = self.by_thread[thread]
            if (record.size, record.window_size) != (row.size, row.window_size):
                record.size, record.window_size = row.size, row.window_size
                self.changed[thread] = record
            if core_time(self.settings, record.born_at) != row.birth:
                record.born_at = moment_of(self.settings, row.birth)
            if core_time(self.settings, record.last_at) != row.last:
                record.last_at = moment_of(self.settings, row.last)

    def reconcile(self, rows: Mapping[int, Row], dead: set[int], turned: Mapping[int, int], moment: int) -> None:
        """Bring the states in line with the model; what it has forgotten is dead. turned: when threads died or revived,
        where the model knows."""
        self.update(rows)
        for thread in sorted(self.by_thread):
            record = self.by_thread[thread]
            row = rows.get(thread)
            state = DEAD if row is None or thread in dead else LIVE if row.window_size else DORMANT
            self._turn(record, state, moment if state == DORMANT else turned.get(thread, moment))
            if row is None:
                record.window_size, record.strength = 0, 0.0
                self.changed[thread] = self.by_thread.pop(thread)

    def change_all(self) -> None:
        """Every thread is to be written anew."""
        self.changed |= self.by_thread

    def change_undescribed(self) -> None:
        """Those written without words are to be written anew."""
        self.changed |= {thread: self.by_thread[thread] for thread in self.undescribed & self.by_thread.keys()}
        self.undescribed.clear()

    def take_changed(self, *, described: bool) -> list[Record]:
        """Copies of the records that changed since the last call, by thread."""
        changed = [replace(self.changed[thread]) for thread in sorted(self.changed)]
        for record in self.changed.values():
            record.recent = []
        if not described:
            self.undescribed |= self.changed.keys()
        self.changed = {}
        return changed

    def take_happenings(self) -> list[Happening]:
        """What happened since the last call, in its order."""
        happenings, self.happenings = self.happenings, []
        return happenings

    def _begin(self, record: Record, kind: str, moment: int, other: int | None = None) -> None:
        self.by_thread[record.thread] = self.changed[record.thread] = record
        self.happenings.append(Happening(kind, moment, record.thread, other, None))

    def _turn(self, record: Record, state: str, moment: int) -> None:
        """Note a change of state, if it is one."""
        if state == record.state:
            return
        record.state = state
        record.died_at = moment if state == DEAD else None
        self.changed[record.thread] = record
        self.happenings.append(Happening(EVENT_OF[state], moment, record.thread, None, None))
