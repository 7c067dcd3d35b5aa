"""threadline demo: ten weeks of a small town's mail and news, replayed within a minute."""

import os
import signal
import socket
import sys
import tempfile
import threading
from pathlib import Path
from typing import Annotated

import typer

from service import environment

from .output import CommandError, say


def demo(
    seconds: Annotated[float, typer.Option(min=1.0, max=3_600.0, help="How long the replay takes.")] = 45.0,
    url: Annotated[
        str | None,
        typer.Option(envvar="THREADLINE_URL", help="The service. (default: the one on this machine, else its own)"),
    ] = None,
    key: Annotated[
        str | None, typer.Option(envvar="THREADLINE_KEY", help="Key of the service, if it needs one.")
    ] = None,
    leave: Annotated[bool, typer.Option("--exit", help="End with the replay; its own service ends with it.")] = False,
) -> None:
    """Replay a sample of mail and news, faster than life, and tell how threads are born, die and come back."""
    from .demo_replay import replay
    from .import_run import running

    settings = environment.load()
    here = url or running(settings)
    if here:
        replay(here, key, seconds)
        return
    with tempfile.TemporaryDirectory(prefix="threadline-demo-", ignore_cleanup_errors=True) as folder:
        say("No service runs here, so the demo starts one on a folder that goes away with it.")
        _serve_and_replay(Path(folder), seconds, leave=leave)


def _serve_and_replay(folder: Path, seconds: float, *, leave: bool) -> None:
    """A service in this process, and the replay beside it in a thread."""
    from service.logs import configure

    from .opening import opened
    from .server import run

    os.environ.pop("THREADLINE_DATABASE_URL", None)
    os.environ |= {"THREADLINE_DATA_DIR": str(folder), "THREADLINE_LOG_LEVEL": "error"}  # the worker reads them there
    settings = environment.load(host="127.0.0.1", port=_free_port(environment.load().port))
    configure(settings.log_level, settings.log_format)
    replaying: list[_Replaying] = []

    def begin(address: str) -> None:
        replaying.append(_Replaying(address, seconds, leave=leave))
        replaying[0].start()

    child = [sys.executable, "-m", "service", "worker", "--watch-parent"]
    with opened(settings, upgrade=True) as database:
        run(settings, database, keys_required=False, child=child, listening=begin)
    if replaying and replaying[0].failed:
        raise CommandError(replaying[0].failed)


class _Replaying(threading.Thread):
    """The replay, after which the service goes on until Ctrl-C, or ends too."""

    def __init__(self, address: str, seconds: float, *, leave: bool) -> None:
        super().__init__(name="replay", daemon=True)
        self._address, self._seconds, self._leave = address, seconds, leave
        self.failed = ""

    def run(self) -> None:
        from .demo_replay import replay

        try:
            replay(self._address, None, self._seconds)
        except CommandError as error:
            self.failed = str(error)
        if self._leave or self.failed:
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            say("\nThe service goes on until you press Ctrl-C.")


def _free_port(wanted: int) -> int:
    """The port if nobody has it, else any."""
    try:
        socket.create_server(("127.0.0.1", wanted)).close()
    except OSError:
        return 0
    return wanted
