"""threadline worker: place documents of the streams nobody else works on."""

import sys
from typing import Annotated

import typer

from service import environment


def worker(
    watch_parent: Annotated[
        bool, typer.Option("--watch-parent", help="Stop when standard input ends.", hidden=True)
    ] = False,
) -> None:
    """Lease streams, place their documents and sweep, until stopped. Run as many as you have cores."""
    from service.logs import configure

    from .opening import opened

    settings = environment.load()
    configure(settings.log_level, settings.log_format)
    with opened(settings):
        pass  # says what is wrong with the database before the kernels are loaded
    from service.worker.main import run_worker

    sys.exit(run_worker(settings, watch_parent=watch_parent))
