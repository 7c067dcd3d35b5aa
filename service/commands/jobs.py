"""threadline jobs: the process that a worker starts for topics and comparisons."""

import sys

from service import environment


def jobs() -> None:
    """Work on topics and comparisons until none is left or standard input ends."""
    from service.logs import configure
    from service.worker.jobs import run_jobs

    settings = environment.load()
    configure(settings.log_level, settings.log_format)
    sys.exit(run_jobs(settings))
