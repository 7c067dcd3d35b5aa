"""serve as an operator sees it: quick start, graceful stop under load, no orphans, a worker that comes back."""

import re
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.ledger import Ledger, document
from tests.live import COMMAND, ROOT, Live, until


def test_the_api_process_loads_no_kernels(tmp_path: Path) -> None:
    """What makes it ready within seconds: numba, scipy and numpy stay in the worker."""
    program = (
        "import sys; import service.cli; early = set(sys.modules);"
        "import service.commands.server, service.commands.opening;"
        "heavy = {'numba', 'scipy', 'numpy', 'core', 'service.engine'};"
        "web = {'fastapi', 'sqlalchemy', 'uvicorn', 'alembic'};"
        "print(sorted(heavy & set(sys.modules)), sorted(web & early))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[] []\n"


def test_the_greeting_can_be_pasted(tmp_path: Path) -> None:
    live = Live(tmp_path)
    process = subprocess.Popen(
        [*COMMAND, "serve"], env=live.environ, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(4)]
        assert lines[0].startswith("Threadline listens on http://127.0.0.1:")
        posted = subprocess.run(["sh", "-c", lines[2].strip()], capture_output=True, text=True, check=True)  # noqa: S607
        assert '"accepted":1' in posted.stdout.replace(" ", "")
    finally:
        process.terminate()
        process.communicate(timeout=40)


@pytest.mark.timeout(1_800)  # dozens of processes are started, and the machine may be crowded
def test_ten_graceful_stops_under_load_lose_nothing(tmp_path: Path) -> None:
    live, ledger = Live(tmp_path, log_level="warning"), Ledger(7)
    try:
        ledger.start(live.start().address)
        for _ in range(10):
            time.sleep(0.2)
            assert live.stop() == 0
            ledger.address = live.restart().address
        ledger.stop()
        live.wait_quiet()
        stored = {row["id"] for row in live.pages("/v1/streams/default/documents")}
        assert ledger.acked <= stored <= ledger.acked | ledger.unknown
        assert live.run("doctor").returncode == 0
    finally:
        ledger.stop()
        live.close()


def test_the_worker_comes_back_and_nobody_is_orphaned(tmp_path: Path) -> None:
    live = Live(tmp_path).start()
    try:
        first = until(live.workers, 10, "a worker")[0]
        first.kill()
        second = until(lambda: [w for w in live.workers() if w.pid != first.pid], 20, "another worker")[0]
        live.client.post("/v1/streams/default/documents", json=document(1))
        live.wait_quiet()
        live.kill()
        until(lambda: not _runs(second), 20, "the end of the worker without its server")
    finally:
        live.close()


def _runs(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def test_logs_are_one_json_object_a_line(tmp_path: Path) -> None:
    live = Live(tmp_path).start()
    live.stop()
    lines = live.errors.read_text().splitlines()
    assert all(re.fullmatch(r"\{.*\}", line) for line in lines), lines
