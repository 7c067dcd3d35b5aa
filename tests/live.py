"""A real `threadline serve` in processes of its own, which tests may kill, freeze and start again."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil

ROOT = Path(__file__).parent.parent
COMMAND = [sys.executable, "-m", "service"]
READY = 120.0  # seconds that a start may take on a crowded machine
QUIET = 300.0  # seconds, enough to compile the kernels first


def until(condition: Callable[[], Any], seconds: float, what: str, pause: float = 0.05) -> Any:
    """The first true value of the condition; fails when it does not come in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(pause)
    raise AssertionError(f"{what} did not happen within {seconds:g} s")


class Live:
    """One service with a data folder of its own; on PostgreSQL when it is given a URL."""

    def __init__(self, folder: Path, url: str | None = None, *options: str, **settings: Any) -> None:
        self.folder = folder
        self.options = options
        self.errors = folder / "serve.log"
        self.environ = {key: value for key, value in os.environ.items() if not key.startswith("THREADLINE_")}
        self.environ |= {"THREADLINE_DATA_DIR": str(folder / "data"), "THREADLINE_PORT": "0"}
        self.environ |= {"THREADLINE_DATABASE_URL": url} if url else {}
        self.environ |= {f"THREADLINE_{name.upper()}": str(value) for name, value in settings.items()}
        self.process: subprocess.Popen[str] | None = None
        self.address = ""
        self.client = httpx.Client(timeout=30.0)

    def start(self) -> "Live":
        """Start it and wait until it is ready."""
        with self.errors.open("a") as errors:
            self.process = subprocess.Popen(
                [*COMMAND, "serve", *self.options],
                env=self.environ,
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.fullmatch(r"Threadline listens on (http://\S+)\n", line)
        assert found, f"{line}{self.errors.read_text()[-3000:]}"
        self.address = found[1]
        self.client.close()
        self.client = httpx.Client(base_url=self.address, timeout=30.0)
        return self.wait_ready()

    def wait_ready(self) -> "Live":
        """Wait until it says that it is ready."""
        until(lambda: self.client.get("/readyz").status_code == 200, READY, "readiness")
        return self

    def wait_quiet(self, stream: str = "default") -> dict[str, Any]:
        """Wait until every accepted document and erasure is handled; the stream's statistics."""

        def quiet() -> dict[str, Any] | None:
            answer = self.client.get(f"/v1/streams/{stream}/stats")
            found: dict[str, Any] = answer.json()
            return found if answer.status_code == 200 and not found["pending"] + found["pending_erasures"] else None

        try:
            result: dict[str, Any] = until(quiet, QUIET, f"quiet in {stream}", 0.1)
        except AssertionError as error:
            error.add_note(self.errors.read_text()[-3_000:])
            raise
        return result

    @property
    def pid(self) -> int:
        """The process of the API."""
        assert self.process is not None
        return self.process.pid

    def workers(self) -> list[psutil.Process]:
        """The worker processes it looks after."""
        try:
            return psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def kill(self) -> None:
        """SIGKILL the API and wait for the process to be gone; its worker notices by itself."""
        assert self.process is not None
        self.process.kill()
        self._gone()

    def kill_worker(self) -> None:
        """SIGKILL the worker; the API starts another."""
        for worker in self.workers():
            try:
                worker.kill()
            except psutil.NoSuchProcess:
                continue

    def stop(self, signal_number: int = signal.SIGTERM) -> int:
        """Stop it gracefully; its exit code."""
        assert self.process is not None
        family = self.workers()
        self.process.send_signal(signal_number)
        self._gone()
        assert not [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE], "orphans"
        return self.process.returncode

    def restart(self) -> "Live":
        """Start it again on the same data."""
        return self.start()

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Another threadline command on the same data."""
        return subprocess.run(
            [*COMMAND, *words], env=self.environ, cwd=ROOT, capture_output=True, text=True, timeout=QUIET
        )

    def close(self) -> None:
        """Stop what still runs."""
        if self.process is not None and self.process.poll() is None:
            try:
                self.stop()
            except subprocess.TimeoutExpired:
                self.kill()
        self.client.close()

    def pages(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """All rows of a list, page by page."""
        rows: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            answer = self.client.get(path, params={"limit": 500, **query, **cursor})
            assert answer.status_code == 200, answer.text
            page = answer.json()
            rows += page["data"]
            if not page["has_more"]:
                return rows
            cursor = {"cursor": page["next_cursor"]}

    def _gone(self) -> None:
        assert self.process is not None
        self.process.wait(timeout=40)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.client.close()
