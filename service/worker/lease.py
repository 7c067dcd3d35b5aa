"""The streams that this worker holds, and a thread that keeps their leases alive while a step runs."""

import sys
import threading
from dataclasses import dataclass

import structlog

from service.engine.live import LiveStream
from service.store import leases, streams, workers
from service.store.database import Database
from service.store.problems import StoreError

log = structlog.get_logger(__name__)
BEATS = 3  # renewals in the life of a lease


@dataclass
class Held:
    """A stream that this worker leases; `live` is None while its model is not in memory."""

    stream_id: str
    epoch: int
    live: LiveStream | None = None
    version: int = 0  # of the settings that the model was loaded with
    model_version: int = 0  # of the last commit or load
    worked_at: float = 0.0  # monotonic seconds
    snapshot_at: float = 0.0  # monotonic seconds
    snapshot_version: int = 0
    appetite: int = 1024  # documents to read for the next step
    describe_at: float = 0.0  # monotonic seconds; when threads are to be written with their words again
    fenced: int = 0  # writes refused since the last commit
    loads: int = 0  # since the last commit
    trying: int | None = None  # the document, or minus the boundary of the sweep, that is being tried
    failures: int = 0  # steps that failed in a row
    not_before: float = 0.0  # monotonic seconds; when to try again after a failure
    lost: bool = False


class Keeper:
    """Renews all leases a few times in their life, whatever the loop is busy with."""

    def __init__(self, database: Database, worker: workers.WorkerRow, lease: int, held: dict[str, Held]) -> None:
        self._database, self._worker, self._lease, self._held = database, worker, lease, held
        self.share = sys.maxsize  # how many streams it may hold, so that other workers have some too
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="leases", daemon=True)

    def start(self) -> None:
        """Announce the worker, then renew in the background."""
        self._renew()
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(self._lease / 1e6 / BEATS):
            try:
                self._renew()
            except StoreError as error:
                log.warning("leases not renewed", reason=str(error))

    def _renew(self) -> None:
        with self._database.write() as connection:
            now = self._database.now(connection)
            if not workers.beat(connection, self._worker.id, now):
                workers.announce(connection, self._worker._replace(seen_at=now))
            for held in list(self._held.values()):
                if not leases.renew(connection, held.stream_id, self._worker.id, held.epoch, self._lease, now):
                    held.lost = True
            alive = len(workers.alive(connection, now - self._lease))
            self.share = streams.count(connection) // alive + 2 if alive > 1 else sys.maxsize
