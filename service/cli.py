"""The command line: threadline serve, import, export, demo, evaluate, worker, migrate, doctor, keys, config, sample."""

import sys

import typer

from .commands import (
    config,
    demo,
    doctor,
    evaluate,
    export,
    importing,
    jobs,
    keys,
    migrate,
    openapi,
    sample,
    serve,
    worker,
)
from .commands.output import CommandError, printable, warn
from .environment import SettingsError

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
app.command()(serve.serve)
app.command()(demo.demo)
app.add_typer(importing.app, name="import")
app.command()(worker.worker)
app.command()(migrate.migrate)
app.command()(doctor.doctor)
app.add_typer(keys.app, name="keys")
app.command()(export.export)
app.command()(config.config)
app.command()(sample.sample)
app.command()(evaluate.evaluate)
app.command(hidden=True)(openapi.openapi)
app.command(hidden=True)(jobs.jobs)


@app.callback()
def threadline() -> None:
    """Group timestamped documents into threads, with models that know time."""


def main() -> None:
    """Run the command line; errors that a user can mend are one sentence on standard error."""
    try:
        app()
    except (CommandError, SettingsError) as error:
        warn(f"error: {printable(str(error))}")
        sys.exit(error.code if isinstance(error, CommandError) else 2)
