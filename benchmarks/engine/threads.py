"""What a sweep costs when ten times as many threads are alive.

Both windows hold as many documents of the same make. Spread: they are written about ten times as many topics. In
company: they are the very same documents, but other threads, whose documents have left the window, are alive beside
theirs until there are ten times as many.
"""

from statistics import median

from .engine import Run, warm_up
from .report import Figure, pin
from .sources import Document, Topics

DOCUMENTS = 10_000
FEW, MANY = 100, 1_700  # topics; the engine finds more threads than few topics and fewer than many
TENFOLD = 10.0
PER_THREAD = 4  # documents of each settled thread
SETTLE, ROUNDS = 3, 5  # sweeps before the clock starts, and timed
LIMIT = 3.0


def measure() -> list[Figure]:
    """Figures of both comparisons."""
    pin()
    warm_up()
    few, many = _spread(FEW), _spread(MANY)
    alone = _in_company(0)
    crowd = _in_company(MANY - FEW)
    return [*_compare("spread", few, many), *_compare("in company", alone, crowd)]


def _spread(topics: int) -> Run:
    run = Run(float(2 * DOCUMENTS), topical=True)
    run.add(Topics(topics, 0.0, seed=3).take(DOCUMENTS))
    return run


def _in_company(others: int) -> Run:
    """The same documents after some that have settled."""
    run = Run(float(DOCUMENTS), topical=True)
    if others:
        run.add(_shifted(Topics(others, 0.0, seed=5).take(others * PER_THREAD), "o", 0.0))
    run.add(_shifted(Topics(FEW, 0.0, seed=3).take(DOCUMENTS), "w", 1.5 * DOCUMENTS))
    return run


def _shifted(documents: list[Document], mark: str, by: float) -> list[Document]:
    """The documents at later times; topics of different marks share no word of their own."""
    return [
        (f"{mark}{name}", when + by, [mark + w if w.startswith("t") else w for w in words])
        for name, when, words in documents
    ]


def _compare(name: str, few: Run, many: Run) -> list[Figure]:
    """Sweep both in turns."""
    taken: list[list[float]] = [[], []]
    for round_ in range(SETTLE + ROUNDS):
        for run, times in zip((few, many), taken, strict=True):
            before = run.seconds
            run.sweep()
            if round_ >= SETTLE:
                times.append(run.seconds - before)
    costs = [median(times) for times in taken]
    live = [len(run.stream.threads()) for run in (few, many)]
    part = f"threads, {name}"
    return [
        Figure(part, f"{DOCUMENTS:,} documents in the window, few threads alive", live[0], "threads"),
        Figure(part, "and many", live[1], "threads"),
        Figure(part, "threads, many against few", live[1] / live[0], "times", least=TENFOLD),
        Figure(part, "a sweep with few", 1e6 * costs[0] / DOCUMENTS, "µs/document"),
        Figure(part, "a sweep with many", 1e6 * costs[1] / DOCUMENTS, "µs/document"),
        Figure(part, "cost with many against few", costs[1] / costs[0], "times", most=LIMIT),
    ]
