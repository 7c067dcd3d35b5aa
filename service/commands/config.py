"""threadline config: every setting, its value, and where the value comes from."""

import json
import re
from typing import Annotated, Any

import typer

from service import environment
from service.settings import Settings, span, unit, variable

from .output import CommandError, printable, say, table

PASSWORD = re.compile(r"(?<=:)[^:@/]+(?=@)")


def config(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table of docs/settings.md.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Print every setting, its value, and where the value comes from; secrets are masked."""
    if markdown and as_json:
        raise CommandError("choose --markdown or --json")
    if markdown:
        say(_page())
        return
    settings = environment.load()
    rows = [(variable(name), _shown(settings, name), environment.origin(name)) for name in Settings.model_fields]
    if as_json:
        say(json.dumps([dict(zip(("name", "value", "from"), row, strict=True)) for row in rows], indent=2))
    else:
        say(printable_table([("setting", "value", "from"), *rows]))


def printable_table(rows: list[tuple[str, ...]]) -> str:
    """A table whose cells a terminal does not obey."""
    return table([tuple(printable(cell) for cell in row) for row in rows])


def masked(url: str) -> str:
    """A database URL without its password."""
    return PASSWORD.sub("***", url)


def _shown(settings: Settings, name: str) -> str:
    return _plain(masked(settings.database_url) if name == "database_url" else getattr(settings, name))


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _page() -> str:
    head = ["| Variable | Default | Unit | Range | What it is |", "|---|---|---|---|---|"]
    rows = [
        f"| `{variable(name)}` | {_default(field.default)} | {unit(name)} | {span(name)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join([*head, *rows])


def _default(value: Any) -> str:
    return f"`{_plain(value)}`" if str(value) else ""
