"""A long life: threads are born and die all the time, and neither the cost of a document nor memory may grow."""

import psutil

from .engine import Run, warm_up
from .report import Figure, pin
from .sources import Topics

LIVE, BIRTHS = 500, 0.025  # topics alive; born per document, so that one lives for about 20,000 documents
WINDOW = 5_000  # documents
BATCH = 2_500  # documents between two whole-window sweeps
STRETCH = 50_000  # documents
GROWTH = 1.3
FLAT = 1.1
MIB = 1024 * 1024


def measure(documents: int) -> list[Figure]:
    """Stream so many documents; cost by stretch, memory at the end of each."""
    pin()
    warm_up()
    source, run = Topics(LIVE, BIRTHS, seed=7), Run(float(WINDOW))
    process = psutil.Process()
    costs, memory = [], []
    for _ in range(documents // STRETCH):
        before, most = run.seconds, 0
        for _ in range(STRETCH // BATCH):
            run.add(source.take(BATCH))
            run.sweep()
            run.labels.clear()
            most = max(most, process.memory_info().rss)
        costs.append((run.seconds - before) / STRETCH)
        memory.append(most / MIB)
    part = f"million ({documents:,} documents)"
    print("µs a document by stretch of 50,000:", " ".join(f"{1e6 * cost:.0f}" for cost in costs))
    print("highest MiB resident by stretch:", " ".join(f"{mib:.1f}" for mib in memory))
    return [
        Figure(part, f"topics born in all, {LIVE} at a time", source.born, ""),
        Figure(part, "threads alive at the end", len(run.stream.threads()), ""),
        Figure(part, f"placing and {WINDOW // BATCH} sweeps of each document", run.placed / run.seconds, "documents/s"),
        Figure(part, "placing", 1e6 * run.watch.spent["add"] / run.placed, "µs/document"),
        Figure(part, "a visit in a sweep", 1e6 * run.watch.spent["sweep"] / run.visited, "µs"),
        Figure(part, "cost in the last 50,000 against the second", costs[-1] / costs[1], "times", most=GROWTH),
        Figure(part, "resident memory in the second 50,000", memory[1], "MiB"),
        Figure(part, "resident memory, last 50,000 against second", memory[-1] / memory[1], "times", most=FLAT),
    ]
