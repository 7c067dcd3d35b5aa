"""A child process that is started again when it ends, and stopped when asked."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from service.worker import supervise
from service.worker.supervise import Supervisor
from tests.streams import until

ROOT = Path(__file__).parent.parent
SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_a_child_that_ends_is_started_again_later_and_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "FIRST", 0.05)
    log = tmp_path / "starts"
    code = f"open({str(log)!r}, 'a').write('x')"
    supervisor = Supervisor([sys.executable, "-c", code])
    supervisor.start()
    until(lambda: log.exists() and len(log.read_text()) >= 4)
    supervisor.stop()
    assert supervisor.restarts >= 3
    assert not supervisor.alive


def test_a_child_is_asked_to_stop_and_forced_if_it_does_not() -> None:
    for command, patience in ((SLEEPER, 10.0), ([*SLEEPER[:2], "import signal\n" + STUBBORN], 0.5)):
        supervisor = Supervisor(command)
        supervisor.start()
        until(lambda: supervisor.alive)  # noqa: B023
        time.sleep(0.5)
        started = time.monotonic()
        supervisor.stop(patience)
        assert not supervisor.alive
        assert time.monotonic() - started < 10


STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nimport time\ntime.sleep(60)"
PARENT = """
import sys, time
from service.worker.supervise import Supervisor
child = "import sys; sys.stdin.read(); open(sys.argv[1], 'w').write('end')"
supervisor = Supervisor([sys.executable, "-c", child, sys.argv[1]])
supervisor.start()
time.sleep(60)
"""


def test_the_childs_standard_input_ends_with_its_parent(tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(ended)], cwd=ROOT)
    time.sleep(2.0)
    parent.kill()
    parent.wait()
    until(ended.exists)
