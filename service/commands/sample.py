"""threadline sample FILE: cluster a file once, without a service."""

import json
import re
import sys
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .output import CommandError, printable

if TYPE_CHECKING:
    from service.documents import Document
    from service.sample import Result, Settings

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 7 * 86_400.0}  # seconds


class Model(StrEnum):
    tdpm = "tdpm"
    rcrp = "rcrp"
    crp = "crp"


def duration(text: str) -> float:
    """Seconds from 12h, 3d, 2w; a bare number is taken as it is."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw]?)", text.strip())
    if match is None or float(match[1]) == 0:
        raise typer.BadParameter(f"{text!r} is not a duration; write e.g. 12h, 3d or 2w")
    return float(match[1]) * UNITS.get(match[2], 1.0)


def sample(
    file: Annotated[
        Path, typer.Argument(help="JSON lines of {id, time, text}; times ISO 8601 with offset, or numbers.")
    ],
    model: Annotated[Model, typer.Option(help="Prior over threads.")] = Model.tdpm,
    alpha: Annotated[
        float | None, typer.Option(min=1e-6, help="Weight of a new thread, documents. (default: learned)")
    ] = None,
    half_life: Annotated[
        Any,
        typer.Option(
            parser=duration, metavar="DURATION", help="Time in which a document's pull halves. (default: learned)"
        ),
    ] = None,
    epoch: Annotated[Any, typer.Option(parser=duration, metavar="DURATION", help="rcrp: length of an epoch.")] = "1d",
    width: Annotated[int, typer.Option(min=0, help="rcrp: epochs after which an unused thread is dead.")] = 7,
    strength: Annotated[
        float | None, typer.Option(min=1e-2, help="Strength of the words' base measure, words. (default: learned)")
    ] = None,
    sweeps: Annotated[int, typer.Option(min=1, max=100_000, help="Gibbs passes over all documents.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Same file, options and seed: same threads.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Cluster a file of documents and print its threads."""
    import core  # loads the compiled kernels, which no other command needs
    from service.documents import FileError, read_documents
    from service.sample import Settings

    settings = Settings(model.value, alpha, half_life, epoch, width, strength, sweeps, seed)
    try:
        documents = read_documents(file)
        result = _run(documents, settings)
    except (FileError, core.ArgumentError) as error:
        raise CommandError(str(error)) from error
    if as_json:
        sys.stdout.write(json.dumps(_as_json(result, documents[0].dated), ensure_ascii=False, indent=2) + "\n")
    else:
        _print_table(result, documents)


def _run(documents: list["Document"], settings: "Settings") -> "Result":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from service.sample import sample_threads

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    screen = Console(stderr=True)
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("compiling (first use only), then sweeping", total=settings.sweeps)

        def show(done: int) -> None:
            bar.update(task, completed=min(done, settings.sweeps), description="sweeping")

        return sample_threads(documents, settings, show)


def _as_json(result: "Result", dated: bool) -> dict[str, Any]:
    threads = [
        {
            "thread": thread.number,
            "size": thread.size,
            "born_at": _moment(thread.birth, dated),
            "last_at": _moment(thread.last, dated),
            "top_words": thread.words,
            "documents": thread.documents,
        }
        for thread in result.threads
    ]
    return {"learned": result.knobs, "threads": threads}


def _print_table(result: "Result", documents: list["Document"]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    dated = documents[0].dated
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    table = Table("thread", "size", "from", "to", "top words", box=None, pad_edge=False)
    for column in (0, 1):
        table.columns[column].justify = "right"
    for thread in result.threads:
        first, last = (
            str(_moment(t, dated)).removesuffix(":00Z").replace("T", " ") for t in (thread.birth, thread.last)
        )
        table.add_row(str(thread.number), str(thread.size), first, last, Text(printable(" ".join(thread.words))))
    console.print(table)
    half_life = result.knobs.get("half_life")
    faded = f", half-life {_span(half_life) if dated else f'{half_life:.3g}'}" if half_life else ""
    console.print(
        f"\n{len(documents)} documents in {len(result.threads)} threads "
        f"(alpha {result.knobs['alpha']:.2g}{faded}, strength {result.knobs['strength']:.3g})"
    )


def _moment(time: float, dated: bool) -> str | float:
    """ISO 8601 UTC to the second for dates, the number itself otherwise."""
    return (
        (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=time)).strftime("%Y-%m-%dT%H:%M:%SZ") if dated else time
    )


def _span(seconds: float) -> str:
    """A duration in the largest unit that leaves a number of at least 1."""
    unit = next((u for u in "wdhm" if seconds >= UNITS[u]), "s")
    return f"{seconds / UNITS[unit]:.3g}{unit}"
