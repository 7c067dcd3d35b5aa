"""threadline serve: the API, and a worker beside it."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from service import environment
from service.settings import Settings

from .output import CommandError, say

if TYPE_CHECKING:
    from service.store.database import Database


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on. (default: THREADLINE_HOST, 127.0.0.1)")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes a free one. (default: THREADLINE_PORT, 8470)")] = None,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="The API alone; run `threadline worker` elsewhere.")
    ] = False,
) -> None:
    """Serve the API and place documents, until stopped with Ctrl-C or SIGTERM."""
    from service.api.context import keys_needed
    from service.logs import configure

    from .opening import make_data_folder, only_server, opened
    from .server import run

    settings = environment.load(host=host, port=port)
    configure(settings.log_level, settings.log_format)
    make_data_folder(settings)
    with only_server(settings), opened(settings, upgrade=True) as database:
        guarded = keys_needed(settings)
        if guarded:
            _require_a_key(settings, database)
        child = None if no_worker else [sys.executable, "-m", "service", "worker", "--watch-parent"]
        run(settings, database, keys_required=guarded, child=child, listening=_greet)


def _require_a_key(settings: Settings, database: "Database") -> None:
    from service import times
    from service.store import keys

    with database.read() as connection:
        if not keys.any_active(connection, times.now()):
            raise CommandError(
                f"{settings.host} can be reached from other machines, and there is no key yet; make one with "
                "`threadline keys create NAME`, or set THREADLINE_INSECURE=true if the network is closed"
            )


def _greet(address: str) -> None:
    say(f"Threadline listens on {address}")
    say("Open it in a browser, or post a first document and look at its thread:")
    document = '{"id": "hello", "time": "2026-03-02T08:14:00Z", "text": "The bridge is closed: the river is rising."}'
    say(f"  curl -s {address}/v1/streams/default/documents -H 'Content-Type: application/json' -d '{document}'")
    say(f"  curl -s {address}/v1/streams/default/threads")
