"""Keeping a child process alive: started again when it ends, later and later while it keeps ending soon."""

import subprocess
import threading
import time
from collections.abc import Sequence

import structlog

FIRST, LONGEST = 0.5, 30.0  # seconds before the first restart and before the last of a long row
HEALTHY = 60.0  # seconds a child must live for the row to begin anew
log = structlog.get_logger(__name__)


class Supervisor:
    """Runs the command until stopped. The child's standard input is a pipe that ends when this process does."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = list(command)
        self.restarts = 0
        self._child: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)

    @property
    def alive(self) -> bool:
        """Whether the child runs now."""
        return self._child is not None and self._child.poll() is None

    @property
    def process(self) -> int | None:
        """The child's process id, while it runs."""
        return self._child.pid if self._child is not None and self._child.poll() is None else None

    def start(self) -> None:
        """Start the child and watch it in the background."""
        self._thread.start()

    def stop(self, timeout: float = 30.0) -> None:
        """Ask the child to end, wait for it, and end it by force when the time is up."""
        with self._lock:
            self._stopping.set()
            if self.alive and self._child is not None:
                self._child.terminate()
        self._thread.join(timeout)
        if self.alive and self._child is not None:
            log.warning("worker killed", reason=f"it did not stop within {timeout:g} s")
            self._child.kill()
            self._thread.join()

    def _run(self) -> None:
        delay = FIRST
        while self._spawn():
            started = time.monotonic()
            code = self._wait()
            if self._stopping.is_set():
                return
            delay = FIRST if time.monotonic() - started >= HEALTHY else delay
            log.warning("worker ended", code=code, restart_in_seconds=delay)
            self._stopping.wait(delay)
            delay = min(2 * delay, LONGEST)
            self.restarts += 1

    def _spawn(self) -> bool:
        with self._lock:
            if self._stopping.is_set():
                return False
            self._child = subprocess.Popen(self.command, stdin=subprocess.PIPE)  # noqa: S603
            return True

    def _wait(self) -> int:
        if self._child is None:
            raise RuntimeError("no child to wait for")
        code = self._child.wait()
        if self._child.stdin is not None:
            self._child.stdin.close()
        return code
