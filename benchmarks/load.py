"""Load on the real service, client and server on one machine: ./run python -m benchmarks.load [--seconds 60].

Bulk ingest is a ratio: documents a second through the API against plain SQL inserts of the same rows into the same
table of the same database in the same run. The sustained part posts batches of 100 on a fixed schedule (open loop)
while the worker places them and another client reads; it reports the worker's lag and the time of each read.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.load_bulk import measure_bulk
from benchmarks.load_sustained import measure_sustained
from tests.live import Live
from tests.postgres import server

LIMITS = {"ratio": 0.3, "lag_p99_s": 10.0, "read_p99_ms": 150.0}


def main() -> None:
    options = _options()
    results = {name: _measure(name, options) for name in options.databases.split(",")}
    for name, result in results.items():
        _print(name, result)
    report = {"machine": f"{os.cpu_count()} cores, {platform.platform()}", "limits": LIMITS, "databases": results}
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    sys.exit(0 if all(_passes(result) for result in results.values()) else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--databases", default="sqlite,postgres")
    parser.add_argument("--documents", type=int, default=20_000, help="in the bulk part")
    parser.add_argument("--rate", type=int, default=1_000, help="documents a second in the sustained part")
    parser.add_argument("--seconds", type=int, default=60, help="of the sustained part")
    parser.add_argument("--json", type=Path, help="where to write all figures")
    return parser.parse_args()


def _measure(name: str, options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        with _url(name, Path(folder)) as url, _live(Path(folder), url, "--no-worker") as live:
            result = measure_bulk(live, url, options.documents)
        with _url(name, Path(folder) / "sustained") as url, _live(Path(folder), url) as live:
            return result | measure_sustained(live, options.rate, options.seconds)


@contextmanager
def _url(name: str, folder: Path) -> Iterator[str]:
    """A fresh database that forces every commit to the disk, as in production."""
    if name == "sqlite":
        folder.mkdir(exist_ok=True)
        yield f"sqlite:///{folder / 'load.db'}"
        return
    with server(fsync="on", full_page_writes="on", shared_buffers="256MB") as postgres, postgres.database() as url:
        yield url


@contextmanager
def _live(folder: Path, url: str, *options: str) -> Iterator[Live]:
    live = Live(folder, url, *options, log_level="warning", pending_documents=1_000_000)
    try:
        yield live.start()
    finally:
        live.close()


def _passes(result: dict[str, Any]) -> bool:
    return bool(
        result["ratio"] >= LIMITS["ratio"]
        and result["lag_p99_s"] < LIMITS["lag_p99_s"]
        and result["read_p99_ms"] < LIMITS["read_p99_ms"]
        and result["errors"] == 0
    )


def _print(name: str, result: dict[str, Any]) -> None:
    print(f"\n{name}")
    for key, value in result.items():
        limit = f"   (limit {LIMITS[key]:g})" if key in LIMITS else ""
        print(f"  {key:24} {value:12,.2f}{limit}" if isinstance(value, float) else f"  {key:24} {value:12,}{limit}")


if __name__ == "__main__":
    main()
