"""The process for jobs: takes one after the other, tells how far it is, and ends when none is left."""

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import structlog
from sqlalchemy import Connection

import core
from service.engine.comparison import compare
from service.engine.contents import stored_content
from service.engine.evaluation import FEWEST, corpus_of
from service.engine.models import StreamSettings
from service.engine.topics import examples, find_topics, spell
from service.settings import Settings
from service.spellings import spellings
from service.store import assignments, jobs, streams
from service.store.assignments import Content
from service.store.database import Database
from service.store.jobs import Job, Lost
from service.store.owners import new_owner
from service.store.problems import StoreError
from service.store.streams import StreamRow
from service.text import is_shown
from service.times import parse_moment

BEAT = 1.0  # seconds between two words to the database
NICENESS = 10
STDIN = 0
log = structlog.get_logger(__name__)


class Stopped(Exception):
    """The process is to end, or the job is no longer its own."""


class TooFew(Exception):
    """There are not enough documents."""


def run_jobs(settings: Settings) -> int:
    """Work until no job is left, a signal comes or standard input ends; returns the exit code."""
    os.nice(NICENESS)
    database = Database(settings.database_url, pool=2)
    runner = Runner(settings, database)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        runner.stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    threading.Thread(target=_watch, args=(runner.stopping,), name="parent", daemon=True).start()
    try:
        while not runner.stopping.is_set() and runner.run_one():
            pass
    finally:
        database.dispose()
    return 0


def _watch(stopping: threading.Event) -> None:
    """Standard input is a pipe from the parent, which writes nothing: it ends when the parent does."""
    while os.read(STDIN, 1024):
        pass
    stopping.set()


class Runner:
    """One job at a time."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self.settings, self.database = settings, database
        self.owner = new_owner()
        self.lease = int(settings.lease_seconds * 1e6)
        self.stopping = threading.Event()

    def run_one(self) -> bool:
        """Take a job and bring it to an end; False if there is none."""
        with self.database.write() as connection:
            job = jobs.take(connection, self.owner, self.lease, self.database.now(connection))
        if job is None:
            return False
        log.info("job begins", task=job.task.id, type=job.task.type)
        pulse = Pulse(self, job)
        try:
            result = self._compute(job, pulse.progress)
            pulse.stop()
            self._write(lambda connection: jobs.succeed(connection, job, self.owner, result))
        except Stopped:
            pulse.stop()
            self._write(lambda connection: jobs.give_back(connection, job, self.owner))
        except (core.ArgumentError, TooFew) as error:
            pulse.stop()
            self._fail(job, str(error))
        finally:
            pulse.stop()
        return True

    def _compute(self, job: Job, progress: Callable[[float], None]) -> dict[str, Any]:
        details = job.task.details
        if job.task.type == "topics":
            return self._topics(job, details, progress)
        with self.database.read() as connection:
            row = _stream_of(connection, job)
            found = assignments.contents(connection, row.id, self.settings.task_documents, states=["provisional"])
        _require(len(found))
        corpus = corpus_of([one.time for one in found], [stored_content(one.words, one.vector) for one in found])
        models = StreamSettings.read(row.settings), StreamSettings.read(details["settings"])
        threads = np.array([one.thread for one in found], np.int64)
        held_out, sweeps = float(details["held_out"]), int(details["sweeps"])
        return compare(models, corpus, threads, held_out=held_out, sweeps=sweeps, progress=progress)

    def _topics(self, job: Job, details: dict[str, Any], progress: Callable[[float], None]) -> dict[str, Any]:
        span = {f"time_{name}": parse_moment(details[name]) for name in ("from", "to") if details[name]}
        with self.database.read() as connection:
            row = _stream_of(connection, job)
            found = assignments.contents(
                connection,
                row.id,
                self.settings.task_documents,
                states=["provisional", "settled", "late"],
                **span,
            )
        _require(len(found))
        corpus = corpus_of([one.time for one in found], [_shown(one) for one in found])
        ids = [one.id for one in found]
        wanted = {name: int(details[name]) for name in ("topics", "sweeps", "chains", "seed")}
        result = find_topics(corpus, ids, **wanted, progress=progress)
        seqs = {word: found[place].seq for word, place in examples(corpus, result).items()}
        with self.database.read() as connection:
            spell(result, spellings(connection, row, seqs))
        return result

    def _fail(self, job: Job, reason: str) -> None:
        self._write(lambda connection: jobs.fail(connection, job, self.owner, reason))

    def _write(self, change: Callable[[Any], None]) -> None:
        """A last word on the job, unless it is no longer this process's."""
        try:
            with self.database.write() as connection:
                change(connection)
        except Lost:
            log.info("job left", owner=self.owner)


class Pulse:
    """Keeps a job's lease alive and its progress told, whatever the job is busy with."""

    def __init__(self, runner: Runner, job: Job) -> None:
        self._runner, self._job = runner, job
        self._share = 0.0
        self._lost, self._done = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)
        self._thread.start()

    def progress(self, share: float) -> None:
        """Say how far the job is. Raises Stopped when it is to end."""
        self._share = min(max(share, self._share), 1.0)
        if self._runner.stopping.is_set() or self._lost.is_set():
            raise Stopped

    def stop(self) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        runner = self._runner
        while not self._done.wait(BEAT):
            try:
                with runner.database.write() as connection:
                    now = runner.database.now(connection)
                    jobs.beat(connection, self._job, runner.owner, round(self._share, 4), runner.lease, now)
            except Lost:
                self._lost.set()
                return
            except StoreError as error:
                log.warning("progress not told", reason=str(error))


def _require(documents: int) -> None:
    if documents < FEWEST:
        raise TooFew(f"there are {documents} documents and {FEWEST} are needed; send more or ask for a longer span")


def _stream_of(connection: Connection, job: Job) -> StreamRow:
    row = streams.find(connection, job.task.stream_id or "")
    if row is None:
        raise TooFew("the stream was deleted")
    return row


def _shown(content: Content) -> dict[str, int]:
    """The words of a document that mean something to a reader."""
    return {word: count for word, count in stored_content(content.words, None).items() if is_shown(word)}
