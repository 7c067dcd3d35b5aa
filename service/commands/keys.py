"""threadline keys: make, list and revoke the keys of the API."""

from enum import StrEnum
from typing import Annotated

import typer

from service import environment

from .config import printable_table
from .output import CommandError, say

app = typer.Typer(no_args_is_help=True, help="Make, list and revoke keys of the API.")


class Scope(StrEnum):
    ingest = "ingest"
    read = "read"
    manage = "manage"


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Who or what the key is for.")],
    scope: Annotated[
        list[Scope] | None, typer.Option(help="What it may do; repeat it. (default: ingest and read)")
    ] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Time it lasts, e.g. 90d. (default: for ever)")
    ] = None,
) -> None:
    """Make a key and print its secret, which is shown this once and stored only as a hash."""
    from service import durations, times
    from service.store import keys

    from .opening import make_data_folder, opened

    settings = environment.load()
    make_data_folder(settings)
    try:
        ends = times.now() + durations.parse_duration(expires) if expires else None
    except ValueError as error:
        raise CommandError(f"--expires {expires!r} is not a duration: {error}") from error
    scopes = sorted({str(one) for one in scope or [Scope.ingest, Scope.read]})
    with opened(settings, upgrade=True) as database, database.write() as connection:
        row, secret = keys.create(connection, name, scopes, ends)
    say(f"{row.id}  {', '.join(scopes)}\n{secret}\nIt is not shown again. Send it as `Authorization: Bearer …`.")


@app.command("list")
def list_keys() -> None:
    """List the keys, without their secrets."""
    from service import times
    from service.store import keys

    from .opening import opened

    def moment(at: int | None) -> str:
        return times.format_moment(at)[:19] + "Z" if at is not None else "-"

    head = ("id", "name", "scopes", "created", "last used", "expires", "revoked")
    with opened(environment.load()) as database, database.read() as connection:
        rows = [
            (
                row.id,
                row.name,
                ",".join(row.scopes),
                *map(moment, (row.created_at, row.last_used_at, row.expires_at, row.revoked_at)),
            )
            for row in keys.list_all(connection)
        ]
    say(printable_table([head, *rows]))


@app.command()
def revoke(key_id: Annotated[str, typer.Argument(metavar="ID", help="As `threadline keys list` shows it.")]) -> None:
    """Revoke a key; requests with it are refused from now on."""
    from service import times
    from service.store import keys

    from .opening import opened

    with opened(environment.load()) as database, database.write() as connection:
        if not keys.revoke(connection, key_id, times.now()):
            raise CommandError(f"there is no active key {key_id}; `threadline keys list` shows them")
    say(f"{key_id} is revoked.")
