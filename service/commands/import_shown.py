"""What a person sees of an import: bars while it runs, a summary when it is done."""

import sys
import time
from pathlib import Path
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

from service.importers.run import Counts
from service.store.spool import Skipped
from service.times import format_moment

from .config import printable_table
from .output import printable, warn

MOST_SKIPPED = 20  # shown; the others are in a file
PAUSE = 30.0  # seconds before a source that failed is tried again


class Shown:
    """Progress bars on a terminal; elsewhere only trouble is told, once."""

    def __init__(self) -> None:
        self._bars = Progress(
            TextColumn("{task.description:<8}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=Console(file=sys.stderr),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._tasks: dict[str, TaskID] = {}
        self._told = ""

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def reading(self, done: int, total: int | None) -> None:
        """How much of the source is read."""
        self._show("reading", done, total)

    def sending(self, done: int, total: int) -> None:
        """How many documents are sent."""
        self._show("sending", done, total)

    def placing(self, done: int, total: int) -> None:
        """How many documents the worker has placed."""
        self._show("placing", done, total)

    def trouble(self, message: str) -> None:
        """Why it does not go on for the moment."""
        if message != self._told:
            self._told = message
            warn(printable(f"{message}; trying again"))

    def _show(self, phase: str, done: int, total: int | None) -> None:
        if phase not in self._tasks:
            self._tasks[phase] = self._bars.add_task(phase, total=total)
        self._bars.update(self._tasks[phase], completed=done, total=total)


def summary(title: str, stream: str, counts: Counts, skipped: list[Skipped], spool: Path, stats: dict[str, Any]) -> str:
    """What was read, what became of it, and what was left out."""
    span = ""
    if counts.first is not None and counts.last is not None:
        span = f", from {format_moment(counts.first)[:10]} to {format_moment(counts.last)[:10]}"
    lines = [
        f"{title} is in stream {stream}:",
        f"  read        {counts.read}{span}",
        f"  new         {counts.new}",
        f"  duplicates  {counts.duplicates}",
        f"  skipped     {len(skipped)}",
        *(f"    {place}: {reason}" for place, reason in skipped[:MOST_SKIPPED]),
    ]
    if len(skipped) > MOST_SKIPPED:
        file = spool.with_suffix(".skipped.txt")
        file.write_text("".join(f"{place}: {reason}\n" for place, reason in skipped), encoding="utf-8")
        lines.append(f"    and {len(skipped) - MOST_SKIPPED} more, all listed in {file}")
    if not counts.read:
        lines.append("  nothing is new since it was read last; --fresh reads it from its beginning")
    if counts.cut:
        lines.append(f"  {counts.cut} texts were longer than the service takes, and were cut")
    if stats["late"]:
        lines.append(f"  {stats['late']} documents of the stream came too late to count")
    return "\n".join(printable(line) for line in lines)


def look_at(threads: list[dict[str, Any]], stream: str, url: str | None) -> str:
    """The largest threads, and the command that shows all."""
    rows: list[tuple[str, ...]] = [("documents", "from", "to", "thread")]
    rows += [
        (
            str(thread["size"]),
            thread["born_at"][:10],
            thread["last_at"][:10],
            f"{thread['id']}  {thread['label'] or ''}",
        )
        for thread in threads
    ]
    table = f"The largest threads:\n\n{printable_table(rows)}\n\n" if threads else ""
    if url:
        return f"{table}Look at them with\n  curl -s '{url}/v1/streams/{stream}/threads?sort=-size'"
    return f"{table}Look at them with\n  threadline export threads --stream {stream}"


def rest() -> None:
    """Leave a source that failed alone for a while."""
    time.sleep(PAUSE)
