"""One step of one stream: erase, place, sweep or rest for a while, then write all of it in one transaction."""

import time
from itertools import takewhile

import structlog

from service.engine.contents import Arrival
from service.engine.erase import erase, settled_threads
from service.engine.live import BOUNDARY, LiveStream
from service.engine.load import load
from service.settings import Settings
from service.store import attempts, documents, erasures, streams
from service.store.database import Database
from service.store.documents import PendingRow
from service.store.problems import StoreError
from service.store.spans import spans

from .commit import Extra, Found, commit, guard
from .failpoints import fail_point
from .lease import Held

BATCH = 64, 1024  # documents read at once: twice as many as the last step handled, between these
ERASURES = 256  # documents erased in one step
STRIKES = 3  # failed attempts after which a document is quarantined
CAREFUL = 64  # documents handled one at a time after a failure
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 30.0  # seconds before a stream is tried again after failures in a row
log = structlog.get_logger(__name__)


class Stepper:
    """Steps of the streams that a worker holds."""

    def __init__(self, settings: Settings, database: Database, owner: str) -> None:
        self.settings, self.database, self.owner = settings, database, owner
        self.lease = int(settings.lease_seconds * 1e6)
        self.visits = round(settings.visits_per_document * BOUNDARY)
        self.deadline = 0.0  # of the step under way, monotonic seconds
        self._erased = False

    def step(self, held: Held) -> bool:
        """Do the next work of the stream; False if there is none now. A failure of the store is raised."""
        self.deadline = time.monotonic() + self.settings.sweep_budget_ms / 1e3
        started = time.monotonic()
        found = self._read(held)
        if found is None:
            held.lost = True
            return False
        held.trying = None
        try:
            extra = self._work(held, found)
            if extra is not None:
                commit(self, held, found.row, extra, started)
        except StoreError:
            held.live = None
            raise
        except Exception as error:
            self._failed(held, found, error)
            return True
        held.failures = 0
        self._erased |= extra is not None and bool(extra.erased)
        return extra is not None

    def take_erased(self) -> bool:
        """Whether documents were erased since the last call."""
        erased, self._erased = self._erased, False
        return erased

    def live(self, held: Held) -> LiveStream | None:
        """The stream's model, loaded if it is not in memory with today's settings; None if the stream is gone."""
        if held.live is None:
            with self.database.read() as connection:
                row = streams.find(connection, held.stream_id)
                if row is None:
                    return None
                held.live = load(connection, row)
            held.version, held.model_version = row.version, row.model_version
            held.snapshot_at, held.snapshot_version = time.monotonic(), row.model_version
            held.loads += 1
        return held.live

    def _read(self, held: Held) -> Found | None:
        with self.database.read() as connection:
            row = streams.find(connection, held.stream_id)
            if row is None:
                return None
            gone = erasures.pending(connection, row.id, ERASURES) if row.pending_erasures else []
            waiting = documents.pending_after(connection, row.id, row.cursor, held.appetite) if row.pending else []
            return Found(row, held.appetite, waiting, gone, self.database.now(connection))

    def _work(self, held: Held, found: Found) -> Extra | None:
        """Change the model; None if there is nothing to do."""
        row = found.row
        if held.version != row.version:
            held.live = None
        if not (found.erasures or row.pending or found.sweep_due or self._may_rest(found)):
            return None
        live = self.live(held)
        if live is None:
            return None
        if found.erasures:
            return self._erase(live, found)
        if row.careful_until > row.cursor and (row.pending or live.sweep_due):
            return self._try_one(held, live, found)
        if row.pending or live.sweep_due:
            self._go_on(live, found)
            held.appetite = min(max(2 * (live.cursor - row.cursor), BATCH[0]), BATCH[1])
            return Extra()
        return self._rest(live, row.last_arrival_at)

    def _erase(self, live: LiveStream, found: Found) -> Extra:
        gone = [row.seq for row in found.erasures]
        with self.database.read() as connection:
            touched = settled_threads(found.erasures)
            left = spans(connection, found.row.id, touched, states=["settled"], without=gone)
        erase(live, found.erasures, left)
        return Extra(erased=found.erasures)

    def _may_rest(self, found: Found) -> bool:
        arrived = found.row.last_arrival_at
        if arrived is None or (found.row.swept_at or 0) >= arrived:
            return False
        return found.now >= arrived + int(self.settings.rest_after_s * 1e6)

    def _rest(self, live: LiveStream, arrived: int | None) -> Extra:
        if not live.rest_left:
            live.begin_rest(self.settings.rest_passes)
        while not live.rest():
            if time.monotonic() > self.deadline:
                return Extra()
        return Extra(rested_until=arrived)

    def _go_on(self, live: LiveStream, found: Found) -> None:
        """Place and sweep in the order of arrival until the time is up."""
        waiting, last = found.documents, found.last_seq
        while live.cursor < last or live.sweep_due:
            if live.sweep_due:
                live.sweep(self.visits)
            else:
                limit = min(live.boundary, last)
                here = list(takewhile(lambda document: document.seq <= limit, waiting))  # noqa: B023
                waiting = waiting[len(here) :]
                self._place(live, here)
                live.skip_to(limit)
            if time.monotonic() > self.deadline:
                return

    def _place(self, live: LiveStream, here: list[PendingRow]) -> None:
        for document in here:
            fail_point("before_place", document.seq)
        if here:
            live.place([Arrival(d.seq, d.time, d.title, d.text, d.vector, d.author, d.metadata) for d in here])
            fail_point("after_place", here[-1].seq)

    # After a failure.

    def _try_one(self, held: Held, live: LiveStream, found: Found) -> Extra:
        """One document or one sweep, counted before it is tried, so that a crash counts too."""
        document = next((d for d in found.documents if d.seq <= live.boundary), None)
        if not live.sweep_due and document is None:
            live.skip_to(min(live.boundary, found.last_seq))
            return Extra()
        key = -live.cursor if live.sweep_due or document is None else document.seq
        reason = self._strike(held, key)
        if reason is None:
            held.trying = key
            if live.sweep_due or document is None:
                live.sweep(self.visits)
            else:
                self._place(live, [document])
            return Extra(cleared=[key])
        if live.sweep_due or document is None:
            live.sweep(0)
            return Extra(cleared=[key])
        live.skip_to(document.seq)
        return Extra(quarantined=(document, reason))

    def _strike(self, held: Held, key: int) -> str | None:
        """Count an attempt; the reason of the last failure if there were too many already."""
        with self.database.write() as connection:
            guard(self, held, connection)
            before = attempts.counts(connection, held.stream_id).get(key, 0)
            if before < STRIKES:
                attempts.record(connection, held.stream_id, key)
                return None
            return attempts.reason(connection, held.stream_id, key) or "the worker crashed on it"

    def _failed(self, held: Held, found: Found, error: Exception) -> None:
        held.live = None
        held.failures += 1
        held.not_before = time.monotonic() + min(FIRST_PAUSE * 2**held.failures, LONGEST_PAUSE)
        row = found.row
        log.error("step failed", stream=row.id, cursor=row.cursor, trying=held.trying, exc_info=error)
        with self.database.write() as connection:
            until = max(row.careful_until, row.cursor + CAREFUL)
            guard(self, held, connection, careful_until=until)
            if held.trying is not None:
                attempts.note(connection, row.id, held.trying, f"{type(error).__name__}: {error}"[:500])
