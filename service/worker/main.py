"""A worker process: signals, the watch over its parent, the loop."""

import os
import signal
import threading
from types import FrameType

from service.settings import Settings
from service.store.database import Database

from .loop import Worker

STDIN = 0


def run_worker(settings: Settings, *, watch_parent: bool = False) -> int:
    """Run a worker until SIGTERM or SIGINT, or until standard input ends; returns the exit code."""
    database = Database(settings.database_url, pool=settings.database_pool)
    worker = Worker(settings, database)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        worker.stop()
        if not worker.ready:
            raise SystemExit(0)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    if watch_parent:
        threading.Thread(target=_watch, args=(worker,), name="parent", daemon=True).start()
    try:
        worker.run()
    finally:
        database.dispose()
    return 0


def _watch(worker: Worker) -> None:
    """Standard input is a pipe from the parent, which writes nothing: it ends when the parent does."""
    while os.read(STDIN, 1024):
        pass
    if not worker.ready:
        os._exit(0)  # it holds nothing yet, and a compiler that is at work does not listen
    worker.stop()
