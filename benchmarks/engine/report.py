"""What the engine's benchmarks report: figures with their limits, as a table and as JSON; and how they take time."""

import json
import os
import platform
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

PACKAGES = ("numba", "numpy", "river", "tomotopy")


class Figure(NamedTuple):
    """Something measured, and what it may be at most or must be at least (None: no limit, only reported)."""

    part: str
    what: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def holds(self) -> bool | None:
        """Whether the limit is kept; None without one."""
        if self.most is None and self.least is None:
            return None
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)


class Watch:
    """Processor time spent under each name, in seconds: on a shared machine, waiting for others does not count."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    @contextmanager
    def on(self, name: str) -> Iterator[None]:
        """Count what happens inside under the name."""
        begin = time.process_time()
        try:
            yield
        finally:
            self.spent[name] = self.spent.get(name, 0.0) + time.process_time() - begin


def pin() -> None:
    """Stay on one core, where the system can be told so."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def table(figures: Sequence[Figure]) -> str:
    """A row a figure."""
    lines = ["| part | figure | measured | limit | |", "| --- | --- | --- | --- | --- |"]
    for figure in figures:
        limit = "" if figure.most is None else f"≤ {_short(figure.most)}"
        limit = limit if figure.least is None else f"≥ {_short(figure.least)}"
        verdict = {None: "", True: "holds", False: "missed"}[figure.holds]
        lines.append(f"| {figure.part} | {figure.what} | {_short(figure.value)} {figure.unit} | {limit} | {verdict} |")
    return "\n".join(lines)


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def write_json(path: Path, figures: Sequence[Figure]) -> None:
    """The figures with the machine and the versions they were measured with."""
    machine: dict[str, Any] = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }
    rows = [{**figure._asdict(), "holds": figure.holds} for figure in figures]
    path.write_text(json.dumps({"machine": machine, "figures": rows}, indent=1, ensure_ascii=False) + "\n")


def _processor() -> str:
    """The processor's name, as far as the system tells."""
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
