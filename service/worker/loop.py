"""The worker: leases streams that have work, steps through them in turn, and answers questions in between."""

import gc
import os
import queue
import socket
import threading
import time

import structlog

from service.engine.warm import warm_up
from service.settings import Settings
from service.store import leases, streams, workers
from service.store.database import Database
from service.store.owners import new_owner
from service.store.problems import Fenced, StoreError, Unavailable

from .answer import answer
from .ask import AskServer, Question
from .background import Background
from .chores import Chores
from .commit import snapshot
from .lease import Held, Keeper
from .step import CAREFUL, Stepper

POLL = 0.1  # seconds between two looks for work
RETRY = 1.0  # seconds before the database is tried again
FAREWELL = 5.0  # seconds for snapshots when stopping
WILDCARDS = ("0.0.0.0", "::")  # noqa: S104
log = structlog.get_logger(__name__)


class Worker:
    """One process's share of the streams."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self.settings, self.database = settings, database
        self.owner = new_owner()
        self.held: dict[str, Held] = {}
        self.stopping = threading.Event()
        self.ready = False
        self.questions: queue.SimpleQueue[Question | None] = queue.SimpleQueue()
        self.server = AskServer(settings.worker_host, self.questions.put)
        host, name = settings.worker_host, socket.gethostname()
        self.address = self.server.address.replace(host, name) if host in WILDCARDS else self.server.address
        row = workers.WorkerRow(self.owner, self.address, self.server.token, name, os.getpid(), 0, False)
        self.stepper = Stepper(settings, database, self.owner)
        self.keeper = Keeper(database, row, self.stepper.lease, self.held)
        self.chores = Chores(settings, database)
        self.background = Background(settings, database)

    def stop(self) -> None:
        """Finish the step under way, save, release, and return from `run`."""
        self.stopping.set()
        self.questions.put(None)

    def run(self) -> None:
        """Work until stopped."""
        self.server.start()
        self.keeper.start()
        try:
            warm_up()
            gc.freeze()  # modules and kernels stay: looking through them again and again takes time from documents
            self.ready = True
            log.info("worker ready", owner=self.owner, address=self.address)
            while not self.stopping.is_set():
                self._answer_all(0.0 if self._turn_or_wait() else POLL)
        finally:
            self.server.stop()
            self.keeper.stop()
            self.leave()

    def turn(self) -> bool:
        """One step for each stream that has work; whether there was any."""
        with self.database.read() as connection:
            waiting = leases.work(connection, self.database.now(connection), self.owner)
        busy = False
        for stream_id in waiting:
            if self.stopping.is_set():
                return busy
            busy = self._step(stream_id) or busy
            self._answer_all(0.0)
        self._put_away()
        self.chores.scrub_due |= self.stepper.take_erased()
        self.background.look()
        return self.chores.do_some() or busy

    def _turn_or_wait(self) -> bool:
        try:
            return self.turn()
        except Unavailable as error:
            log.warning("database unavailable", reason=error.reason)
            self.stopping.wait(RETRY)
            return False

    def _step(self, stream_id: str) -> bool:
        held = self.hold(stream_id)
        if held is None or time.monotonic() < held.not_before:
            return False
        try:
            busy = self.stepper.step(held)
        except Fenced:
            log.warning("fenced", stream=stream_id, epoch=held.epoch)
            return False
        if busy:
            held.worked_at = time.monotonic()
        if held.worked_at - held.snapshot_at >= self.settings.snapshot_interval_s:
            self._save(held)
        return busy

    def hold(self, stream_id: str, *, wanted: bool = False) -> Held | None:
        """The stream under this worker's lease; None if another has it, or, unless it is wanted, the share is full."""
        held = self.held.get(stream_id)
        if held is not None and not held.lost:
            return held
        if not wanted and len(self.held) >= self.keeper.share:
            return None
        with self.database.write() as connection:
            now = self.database.now(connection)
            lease = leases.acquire(connection, stream_id, self.owner, self.address, self.stepper.lease, now)
            row = streams.find(connection, stream_id)
            if lease is None or row is None:
                self.held.pop(stream_id, None)
                return None
            if lease.took_over_from is not None:
                until = row.cursor + CAREFUL
                leases.guard(connection, stream_id, self.owner, lease.epoch, careful_until=until)
        fenced = held.fenced if held is not None else 0
        self.held[stream_id] = Held(stream_id, lease.epoch, worked_at=time.monotonic(), fenced=fenced)
        return self.held[stream_id]

    def _put_away(self) -> None:
        """Drop lost streams; release idle ones, and one of more than a fair share."""
        idle = time.monotonic() - self.settings.unload_after_s
        many = len(self.held) > self.keeper.share
        for held in sorted(self.held.values(), key=lambda held: held.worked_at):
            if held.lost:
                held.live = None
            elif held.worked_at < idle or many:
                self._release(held, save=True)
                many = False

    def _save(self, held: Held) -> None:
        try:
            snapshot(self.stepper, held)
        except StoreError as error:
            log.warning("snapshot not saved", stream=held.stream_id, reason=str(error))

    def _release(self, held: Held, *, save: bool) -> None:
        if save:
            self._save(held)
        del self.held[held.stream_id]
        with self.database.write() as connection:
            leases.release(connection, held.stream_id, self.owner, held.epoch)

    def leave(self) -> None:
        """Save and release everything."""
        self.background.stop()
        deadline = time.monotonic() + FAREWELL
        try:
            for held in list(self.held.values()):
                self._release(held, save=not held.lost and time.monotonic() < deadline)
            with self.database.write() as connection:
                workers.leave(connection, self.owner)
        except StoreError as error:
            log.warning("leases not released", reason=str(error))

    def _answer_all(self, wait: float) -> None:
        """Answer the questions that wait; wait for one so long."""
        try:
            question = self.questions.get(timeout=wait) if wait else self.questions.get_nowait()
            while question is not None:
                answer(self, question)
                question = self.questions.get_nowait()
        except queue.Empty:
            return
