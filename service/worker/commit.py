"""The one transaction of a step, and snapshots."""

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from service.engine.live import BOUNDARY, LiveStream
from service.engine.load import pack_chain, pack_snapshot
from service.engine.statistics import add_counts, describe_model
from service.engine.step import Step
from service.store import attempts, chains, erasures, learned, leases, paths
from service.store.documents import PendingRow
from service.store.erasures import ErasureRow
from service.store.problems import Fenced
from service.store.streams import StreamRow

from .failpoints import fail_point
from .lease import Held
from .write import quarantine, rewrite_threads, write_assignments, write_events, write_threads

if TYPE_CHECKING:
    from .step import Stepper

DESCRIBE_EVERY = 2.0  # seconds, at least, between two descriptions of threads while documents wait
DESCRIBE_SHARE = 30.0  # times as long as a description took, at least, until the next


@dataclass
class Found:
    """What a step found in the database. documents: so many at most, in the order of arrival."""

    row: StreamRow
    limit: int
    documents: list[PendingRow]
    erasures: list[ErasureRow]
    now: int

    @property
    def sweep_due(self) -> bool:
        return self.row.cursor - self.row.cursor % BOUNDARY > int(self.row.statistics.get("swept_seq", 0))

    @property
    def last_seq(self) -> int:
        """The last arrival sequence that the documents cover: all that has arrived, unless there were too many."""
        return self.row.next_seq - 1 if len(self.documents) < self.limit else self.documents[-1].seq


@dataclass
class Extra:
    """What a commit holds beside the changes of the model. rested_until: arrival of the newest document then."""

    quarantined: tuple[PendingRow, str] | None = None
    cleared: list[int] = field(default_factory=list)  # attempts that succeeded
    erased: list[ErasureRow] = field(default_factory=list)
    rested_until: int | None = None


def commit(stepper: "Stepper", held: Held, row: StreamRow, extra: Extra, started: float) -> None:
    """Write the step if the lease is still held; raises Fenced otherwise."""
    live = held.live
    if live is None:
        raise RuntimeError("no model to write")
    step = _take_step(held, live, row, started)
    chain = pack_chain(live.stream)
    fail_point("before_commit", step.cursor)
    version = row.model_version + 1
    columns: dict[str, Any] = {
        "cursor": step.cursor,
        "next_event": row.next_event + len(step.happenings),
        "model_version": version,
        "clock": step.clock,
        "horizon": step.horizon,
        "statistics": _statistics(held, live, row, step, extra, time.monotonic() - started),
    }
    if extra.rested_until is not None:
        columns["swept_at"] = extra.rested_until
    with stepper.database.write() as connection:
        now = stepper.database.now(connection)
        guard(stepper, held, connection, stepped_at=now, lease_expires_at=now + stepper.lease, **columns)
        write_assignments(connection, row.id, step, version)
        paths.forget(connection, row.id, {gone.thread for gone in extra.erased if gone.thread is not None})
        write_threads(connection, row.id, step, version)
        write_events(connection, row.id, step, row.next_event, version, now)
        chains.save_chain(connection, row.id, chain)
        if step.clock is not None:
            learned.record(connection, row.id, _learned(step.clock, columns["statistics"]))
        _write_extra(connection, row.id, extra, version)
    held.model_version, held.fenced, held.loads = version, 0, 0
    fail_point("after_commit", step.cursor)


def _take_step(held: Held, live: LiveStream, row: StreamRow, started: float) -> Step:
    """What changed. While documents wait, words of threads follow only now and then: they take time."""
    if live.cursor < row.next_seq - 1 and started < held.describe_at:
        return live.take_step(words=False)
    began = time.monotonic()
    step = live.take_step(words=True)
    took = time.monotonic() - began
    held.describe_at = began + max(DESCRIBE_EVERY, DESCRIBE_SHARE * took)
    return step


def guard(stepper: "Stepper", held: Held, connection: Connection, **columns: Any) -> None:
    """Write columns of the stream if the lease is still held."""
    try:
        leases.guard(connection, held.stream_id, stepper.owner, held.epoch, **columns)
    except Fenced:
        held.fenced += 1
        held.lost = True
        raise


def snapshot(stepper: "Stepper", held: Held) -> None:
    """Save the whole model, so that loading it takes no replay."""
    live = held.live
    if live is None or held.snapshot_version == held.model_version:
        return
    data = pack_snapshot(live.stream)
    fail_point("snapshot")
    with stepper.database.write() as connection:
        guard(stepper, held, connection)
        now = stepper.database.now(connection)
        chains.save_snapshot(connection, held.stream_id, data, live.cursor, held.model_version, now)
    held.snapshot_at, held.snapshot_version = time.monotonic(), held.model_version


def _write_extra(connection: Connection, stream_id: str, extra: Extra, version: int) -> None:
    if extra.quarantined is not None:
        quarantine(connection, stream_id, *extra.quarantined, version)
    if extra.cleared:
        attempts.clear(connection, stream_id, extra.cleared)
    if extra.erased:
        erasures.finish(connection, stream_id, [gone.seq for gone in extra.erased])
        rewrite_threads(connection, stream_id, {gone.thread for gone in extra.erased if gone.thread is not None})


def _statistics(
    held: Held, live: LiveStream, row: StreamRow, step: Step, extra: Extra, seconds: float
) -> dict[str, Any]:
    more = {
        "fenced": held.fenced,
        "loads": held.loads,
        "quarantined": int(extra.quarantined is not None),
        "step_seconds": seconds,
    }
    swept = {"sweep_seconds": step.sweep_seconds} if step.visits else {}
    return row.statistics | describe_model(live) | swept | add_counts(row.statistics, step, more)


def _learned(clock: int, told: dict[str, Any]) -> learned.LearnedRow:
    knobs = (told["alpha"], told["half_life"], told["strength"])
    return learned.LearnedRow(clock, *knobs, told["threads_live"], told["window"]["documents"])
