"""Named points where tests make a worker fail: THREADLINE_FAILPOINT=point:action or point:action:seq.

Actions: exception, kill (at once, as kill -9 would) and sleep. Without the variable a point does nothing.
"""

import os
import signal
import time

SLEEP = 3.0  # seconds


class FailPointError(Exception):
    """Raised on purpose."""


def fail_point(name: str, seq: int | None = None) -> None:
    """Fail here if the environment says so; with a seq, only at that document."""
    wanted = os.environ.get("THREADLINE_FAILPOINT", "").split(":")
    if wanted[0] != name or (len(wanted) > 2 and wanted[2] != str(seq)):
        return
    if wanted[1] == "exception":
        raise FailPointError(f"fail point {name}")
    if wanted[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if wanted[1] == "sleep":
        time.sleep(SLEEP)
