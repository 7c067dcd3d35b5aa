"""What a sweep costs in DPChain, HDP-EVO and LDA, by number of documents or tokens.

    ./run python -m benchmarks.epochs [--sizes 1000 3000 10000]

Documents of 15 words from a vocabulary of 50 in epochs of 100, threads from RCRP with W = 4.
The time is the least processor time of a few sweeps, after one that compiles.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

import core
from core.generators import rcrp_partition
from core.items import word_items
from core.samplers.gibbs import start
from core.samplers.topics import TopicRun

SWEEPS = 3
TOPICS = 20


def least_seconds(sweep: Callable[[], object]) -> float:
    """Of a few calls, after a first one."""
    sweep()
    seconds = []
    for _ in range(SWEEPS):
        begin = time.process_time()
        sweep()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def costs(size: int) -> dict[str, float]:
    """Microseconds per document and sweep, for LDA per token and sweep."""
    rng = np.random.default_rng(1)
    drawn = rcrp_partition(epochs=size // 100, size=100, alpha=2.0, decay=2.0, width=4, rng=rng)
    theta = rng.dirichlet(np.full(50, 0.2), size=int(drawn.labels.max()) + 1)
    data = np.array([rng.multinomial(15, theta[k]) for k in drawn.labels])
    words = core.DirichletMultinomial(10.0)
    found = {}
    for name, prior in (
        ("DPChain, per document", core.DPChain(2.0, 0.5)),
        ("HDP-EVO, per document", core.HDPEvo(3.0, 2.0, 0.5)),
    ):
        run = start(prior, words, data, drawn.times, seed=1, init=drawn.labels)
        found[name] = 1e6 * least_seconds(run.sweep) / size
    topics = TopicRun(word_items(data, drawn.times), 50, TOPICS, None, None, 1)
    found[f"LDA, {TOPICS} topics, per token"] = 1e6 * least_seconds(topics.sweep) / (15 * size)
    return found


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 3000, 10_000], help="documents")
    sizes = parser.parse_args().sizes
    columns = [costs(size) for size in sizes]
    print("| µs per sweep | " + " | ".join(f"{size:,}" for size in sizes) + " |")
    print("| --- " * (len(sizes) + 1) + "|")
    for name in columns[0]:
        print(f"| {name} | " + " | ".join(f"{column[name]:.2f}" for column in columns) + " |")


if __name__ == "__main__":
    main()
