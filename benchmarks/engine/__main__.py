"""The speed, memory and growth of the stream engine, as figures with their limits.

    ./run --group bench python -m benchmarks.engine DATA [--parts threads peers million memory] [--json FILE]

DATA is a folder of collections, gzipped JSON lines with `id`, `title`, `text` and `label`; only `peers` reads it, and
says what is missing. Each part runs in a process of its own on one core, and linear algebra keeps to one thread. Times
are processor time; compiling is done before and does not count. Figures of different runs do not compare, ratios
within one do.
"""

import argparse
import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from . import memory, million, peers, threads
from .engine import warm_up
from .report import Figure, table, write_json

T = TypeVar("T")
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def main() -> int:
    """Run the chosen parts and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of the collections")
    parser.add_argument("--parts", nargs="+", choices=("threads", "peers", "million", "memory"))
    parser.add_argument("--documents", type=int, default=1_000_000, help="of the million, a multiple of 50,000")
    parser.add_argument("--first", type=int, help="use no more than so many documents of a collection")
    parser.add_argument("--json", type=Path, help="write the figures here as well")
    chosen = parser.parse_args()
    if chosen.documents < 2 * million.STRETCH or chosen.documents % million.STRETCH:
        parser.error(f"--documents must be a multiple of {million.STRETCH:,}, two of them or more")
    parts: dict[str, Callable[[], list[Figure]]] = {
        "threads": threads.measure,
        "peers": partial(peers.measure, chosen.data, chosen.first),
        "million": partial(million.measure, chosen.documents),
        "memory": memory.measure,
    }
    for setting in ONE_THREAD:  # read by the processes started below
        os.environ[setting] = "1"
    figures: list[Figure] = []
    _alone(warm_up)  # fills the cache on disk: room that the compiler freed would hide what a part's memory grows by
    for name in chosen.parts or parts:
        found = _alone(parts[name])
        figures += found
        print(table(found), end="\n\n", flush=True)
    if chosen.json:
        write_json(chosen.json, figures)
    return 1 if any(figure.holds is False for figure in figures) else 0


def _alone(work: Callable[[], T]) -> T:
    """Run in a new process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(work).result()


if __name__ == "__main__":
    sys.exit(main())
