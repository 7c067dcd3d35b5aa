"""Small work beside the streams: deleted streams are purged, old rows dropped, erased bytes made to leave the files."""

import time

from service.settings import Settings
from service.store import idempotency, purge, tasks, workers
from service.store.database import Database

HOUR = 3_600_000_000  # microseconds
PRUNE_EVERY = 60.0  # seconds
SCRUB_EVERY = 1.0  # seconds between two tries
FORGET_AFTER = 24 * HOUR  # a worker that was not seen


class Chores:
    """Done between steps, a little at a time."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self.settings, self.database = settings, database
        self.scrub_due = False
        self._pruned_at = -PRUNE_EVERY
        self._scrubbed_at = -SCRUB_EVERY
        self._purged_at = -SCRUB_EVERY

    def do_some(self) -> bool:
        """Whatever is due; whether more of it is left."""
        now = time.monotonic()
        if self.scrub_due and now - self._scrubbed_at >= SCRUB_EVERY:
            self._scrubbed_at = now
            self.scrub_due = not self.database.scrub()
        if now - self._pruned_at >= PRUNE_EVERY:
            self._pruned_at = now
            self._prune()
        if now - self._purged_at < SCRUB_EVERY:
            return False
        more = self._purge()
        self._purged_at = -SCRUB_EVERY if more else now
        return more

    def _prune(self) -> None:
        with self.database.write() as connection:
            now = self.database.now(connection)
            idempotency.prune(connection, now - int(self.settings.idempotency_hours * HOUR))
            workers.forget(connection, now - FORGET_AFTER)

    def _purge(self) -> bool:
        """Some rows of a stream that was deleted; whether any are left."""
        with self.database.read() as connection:
            task = tasks.next_deletion(connection)
        if task is None or task.stream_id is None:
            return False
        with self.database.write() as connection:
            tasks.start(connection, task.id)
            if purge.purge_some(connection, task.stream_id):
                tasks.finish(connection, task.id)
                self.scrub_due = True
        return True
