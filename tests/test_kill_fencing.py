"""A worker frozen past its lease writes nothing once it wakes: another one owns the stream by then."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.ledger import document
from tests.live import COMMAND, QUIET, ROOT, Live, until

LEASE = 2.0  # seconds
BATCH = 50


def _worker(live: Live, name: str) -> subprocess.Popen[bytes]:
    with (live.folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen([*COMMAND, "worker"], env=live.environ, cwd=ROOT, stderr=log)


def _lease(live: Live) -> tuple[int, int]:
    """The epoch of the lease, and how many documents are handled."""
    stats = live.client.get("/v1/streams/default/stats").json()
    return stats["lease"]["epoch"], stats["accepted"] - stats["pending"]


def _post(live: Live, first: int) -> None:
    body = {"documents": [document(first + i) for i in range(BATCH)]}
    until(
        lambda: live.client.post("/v1/streams/default/documents", json=body).status_code == 202, 60, "an accepted batch"
    )


@pytest.mark.timeout(1_800)  # dozens of processes are started, and the machine may be crowded
def test_a_frozen_worker_is_fenced(tmp_path: Path, database_url: str | None) -> None:
    live = Live(tmp_path, database_url, "--no-worker", lease_seconds=LEASE, log_level="warning").start()
    first = _worker(live, "first")
    second: subprocess.Popen[bytes] | None = None
    try:
        _post(live, 0)
        until(lambda: _lease(live)[1] > 0, QUIET, "a step of the first worker")
        epoch = _freeze_between_writes(live, first)
        second = _worker(live, "second")
        _post(live, 10_000)
        until(lambda: _lease(live)[0] > epoch, QUIET, "the second worker's lease")
        live.wait_quiet()
        first.send_signal(signal.SIGCONT)
        _post(live, 20_000)
        live.wait_quiet()
        time.sleep(LEASE)
        assert _lease(live)[0] == epoch + 1, "the woken worker took the stream back"
        assert live.run("doctor").returncode == 0
    finally:
        for process in (first, second):
            if process is not None:
                process.kill()
                process.wait()
        live.close()


def _freeze_between_writes(live: Live, worker: subprocess.Popen[bytes]) -> int:
    """SIGSTOP the worker; on SQLite try again if it holds the file's write lock just then. Returns the epoch."""
    for number in range(20):
        worker.send_signal(signal.SIGSTOP)
        answer = live.client.post("/v1/streams/default/documents", json=document(5_000 + number))
        if answer.status_code == 202:
            return _lease(live)[0]
        worker.send_signal(signal.SIGCONT)
        time.sleep(0.2 + 0.03 * number)  # time to finish the write
    raise AssertionError("the worker always held the write lock")
