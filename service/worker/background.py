"""A process beside the worker for jobs, so that they take no time from documents. It lives while there are jobs."""

import os
import subprocess
import sys
import time

import structlog

from service.settings import PREFIX, Settings, variable
from service.store import jobs
from service.store.database import Database

LOOK_EVERY = 1.0  # seconds
AFTER_A_CRASH = 5.0  # seconds before the next process is started
FAREWELL = 5.0  # seconds to give a job back
log = structlog.get_logger(__name__)


class Background:
    """Starts the process when a job waits; asked often, it looks now and then."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings, self._database = settings, database
        self._child: subprocess.Popen[bytes] | None = None
        self._next_look = 0.0  # monotonic seconds

    def look(self) -> None:
        """Start the process if a job waits and none runs."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + LOOK_EVERY
        if self._child is not None and not self._ended(self._child):
            return
        with self._database.read() as connection:
            wanted = jobs.waiting(connection, self._database.now(connection))
        if wanted:
            self._start()

    def stop(self) -> None:
        """End the process; what it was doing is done again later."""
        if self._child is None:
            return
        self._child.terminate()
        try:
            self._child.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._close()

    def _ended(self, child: subprocess.Popen[bytes]) -> bool:
        code = child.poll()
        if code is None:
            return False
        self._close()
        if code:
            log.warning("jobs ended", code=code)
            self._next_look = time.monotonic() + AFTER_A_CRASH
        return code == 0

    def _start(self) -> None:
        environ = {name: value for name, value in os.environ.items() if not name.upper().startswith(PREFIX)}
        given = {variable(name): str(getattr(self._settings, name)) for name in self._settings.model_fields_set}
        command = [sys.executable, "-m", "service", "jobs"]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, env=environ | given)  # noqa: S603

    def _close(self) -> None:
        if self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()
        self._child = None
