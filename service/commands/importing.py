"""threadline import: mailboxes, files, feeds and servers into a stream."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from service.importers.columns import Columns
    from service.importers.dates import Dates
    from service.importers.items import Source

app = typer.Typer(no_args_is_help=True, help="Bring mailboxes, files and feeds into a stream; safe to stop and repeat.")

File = Annotated[Path, typer.Argument(metavar="SOURCE", show_default=False)]
Stream = Annotated[
    str | None, typer.Option("--stream", help="Stream, made if missing. (default: named after the source)")
]
Url = Annotated[
    str | None,
    typer.Option(envvar="THREADLINE_URL", help="The service. (default: the one on this machine, else its database)"),
]
Key = Annotated[str | None, typer.Option(envvar="THREADLINE_KEY", help="Key of the service, if it needs one.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Read the source from its beginning, not from where it was left.")]
Follow = Annotated[bool, typer.Option("--follow", help="Go on with what comes later, until stopped with Ctrl-C.")]
IdField = Annotated[str | None, typer.Option("--id", help="Field of the id. (default: told by its name, else a hash)")]
TimeField = Annotated[str | None, typer.Option("--time", help="Field of the time. (default: told by its name)")]
TextField = Annotated[str | None, typer.Option("--text", help="Field of the text. (default: told by its name)")]
TitleField = Annotated[str | None, typer.Option("--title", help="Field of the title. (default: told by its name)")]
AuthorField = Annotated[str | None, typer.Option("--author", help="Field of the author. (default: told by its name)")]
TimeFormat = Annotated[str | None, typer.Option("--time-format", help="How times are written, e.g. '%d/%m/%Y %H:%M'.")]
TimeZone = Annotated[str | None, typer.Option("--timezone", help="Of times that say no offset, e.g. Europe/Berlin.")]


@app.command()
def mbox(
    source: File, stream: Stream = None, url: Url = None, key: Key = None, fresh: Fresh = False, follow: Follow = False
) -> None:
    """A mailbox in one file, of any size; also compressed (.gz)."""
    from service.importers.mbox import Mbox
    from service.times import now

    _run(lambda: Mbox(source, now, follow=follow), stream, url, key, fresh=fresh, follow=follow)


@app.command()
def maildir(
    source: File, stream: Stream = None, url: Url = None, key: Key = None, fresh: Fresh = False, follow: Follow = False
) -> None:
    """A Maildir with its subfolders."""
    from service.importers.folders import Maildir
    from service.times import now

    _run(lambda: Maildir(source, now), stream, url, key, fresh=fresh, follow=follow)


@app.command()
def eml(source: File, stream: Stream = None, url: Url = None, key: Key = None, fresh: Fresh = False) -> None:
    """A tree of folders with .eml files."""
    from service.importers.folders import Eml
    from service.times import now

    _run(lambda: Eml(source, now), stream, url, key, fresh=fresh)


@app.command()
def jsonl(
    source: File,
    stream: Stream = None,
    id_field: IdField = None,
    time_field: TimeField = None,
    text_field: TextField = None,
    title_field: TitleField = None,
    author_field: AuthorField = None,
    time_format: TimeFormat = None,
    timezone: TimeZone = None,
    url: Url = None,
    key: Key = None,
    fresh: Fresh = False,
    follow: Follow = False,
) -> None:
    """JSON lines, one object a document; also compressed (.gz). a.b is field b of field a."""
    from service.importers.jsonl import JsonLines
    from service.times import now

    columns = _columns(id_field, time_field, text_field, title_field, author_field)
    _run(
        lambda: JsonLines(source, columns, _dates(time_format, timezone), now, follow=follow),
        *(stream, url, key),
        fresh=fresh,
        follow=follow,
    )


@app.command()
def csv(
    source: File,
    stream: Stream = None,
    id_field: IdField = None,
    time_field: TimeField = None,
    text_field: TextField = None,
    title_field: TitleField = None,
    author_field: AuthorField = None,
    time_format: TimeFormat = None,
    timezone: TimeZone = None,
    url: Url = None,
    key: Key = None,
    fresh: Fresh = False,
) -> None:
    """A CSV file whose first row names the columns."""
    from service.importers.table import Table
    from service.times import now

    columns = _columns(id_field, time_field, text_field, title_field, author_field)
    _run(lambda: Table(source, columns, _dates(time_format, timezone), now), stream, url, key, fresh=fresh)


@app.command()
def feed(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="File or URL.", show_default=False)],
    stream: Stream = None,
    every: Annotated[
        float | None, typer.Option(min=0.1, help="Least seconds between two requests. (default: as the feed says)")
    ] = None,
    url: Url = None,
    key: Key = None,
    fresh: Fresh = False,
    follow: Follow = False,
) -> None:
    """An RSS or Atom feed, from a file or a URL."""
    from service.importers.feed import Feed
    from service.times import now

    _run(lambda: Feed(source, now, every=every), stream, url, key, fresh=fresh, follow=follow)


@app.command()
def imap(
    source: Annotated[str, typer.Argument(metavar="URL", help="imaps://USER@HOST/FOLDER", show_default=False)],
    stream: Stream = None,
    password: Annotated[
        str,
        typer.Option(envvar="THREADLINE_IMAP_PASSWORD", prompt=True, hide_input=True, help="Better in the variable."),
    ] = "",
    url: Url = None,
    key: Key = None,
    fresh: Fresh = False,
    follow: Follow = False,
) -> None:
    """A folder of an IMAP server, which is left as it is."""
    from service.importers.imap import Imap
    from service.times import now

    _run(lambda: Imap(source, password, now, follow=follow), stream, url, key, fresh=fresh, follow=follow)


def _run(
    make: "Callable[[], Source]",
    stream: str | None,
    url: str | None,
    key: str | None,
    *,
    fresh: bool,
    follow: bool = False,
) -> None:
    """Make the source, which may say what is wrong with it, and import it."""
    from service import environment

    from .import_run import run

    run(environment.load(), make, stream, url, key, fresh=fresh, follow=follow)


def _columns(*names: str | None) -> "Columns":
    from service.importers.columns import Columns

    return Columns(*names)


def _dates(form: str | None, zone: str | None) -> "Dates":
    from service.importers.dates import Dates

    return Dates(form, zone)
