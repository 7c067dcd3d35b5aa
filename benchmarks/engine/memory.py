"""A large window: how much memory 100,000 documents in 10,000 live threads take."""

import resource
import sys

from .engine import Run
from .report import Figure, pin
from .sources import Topics

DOCUMENTS, THREADS, TOPICS = 100_000, 10_000, 20_000
POOL = 400_000  # words that topics share: with fewer, so many topics would run into one another
BATCH = 10_000  # documents
SWEEPS = 2
LIMIT = 4.0  # GiB


def measure() -> list[Figure]:
    """Fill the window, sweep it, ask for the threads; the peak is that of the whole process."""
    pin()
    source, run = Topics(TOPICS, 0.0, seed=11, pool=POOL), Run(float(2 * DOCUMENTS), topical=True)
    for _ in range(DOCUMENTS // BATCH):
        run.add(source.take(BATCH))
    run.sweep(SWEEPS)
    live = run.stream.threads()
    unit = 1024**3 if sys.platform == "darwin" else 1024**2
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return [
        Figure("memory", "documents in the window", sum(thread.window_size for thread in live), ""),
        Figure("memory", "threads alive", len(live), "", least=THREADS),
        Figure("memory", "highest resident memory of the process", peak, "GiB", most=LIMIT),
    ]
