"""Cost of a Gibbs sweep as the history grows from 1,000 to 100,000 documents, and as RCRP looks further back.

    ./run python -m benchmarks.growth [--quick]

Each model sweeps over documents drawn from itself, starting at the true threads. Times are processor time, the best of
three sweeps; up to 10,000 documents they are averaged over three data sets. The exponent is the slope of log(time of a
sweep) against log(documents): 1 is linear, and we call up to 1.1 close to linear (ten times the documents then cost at
most 1.26 times as much each). It is given over all sizes, and from 10,000 documents on, where histories
are long against the models' memory.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import core
from core.generators import Partition, crp_partition, rcrp_partition, tdpm
from core.generators.common import draw_words
from core.samplers.gibbs import Run

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
SETTLED = 10_000  # documents
SWEEPS = 3
CLOSE_TO_LINEAR = 1.1
EPOCH = 100  # documents
WIDTHS = (1, 2, 4, 8, 16, 32)
VOCABULARY, WORDS = 50, 15
WORDY = core.DirichletMultinomial(float(VOCABULARY))


class Documents(NamedTuple):
    """Word counts, times and true threads."""

    data: sparse.csr_array[np.int64]
    times: NDArray[np.float64]
    labels: NDArray[np.int64]


class Workload(NamedTuple):
    """A model, documents from it, and the largest number of them to try."""

    name: str
    prior: Any
    likelihood: core.DirichletMultinomial
    draw: Callable[[int, np.random.Generator], Documents]
    most: int = SIZES[-1]


class Row(NamedTuple):
    """A workload's measurements: microseconds per document by number of documents."""

    name: str
    sizes: tuple[int, ...]
    micros: NDArray[np.float64]


def tdpm_documents(vocabulary: int, words: int) -> Callable[[int, np.random.Generator], Documents]:
    """A source of tDPM documents, alpha 0.2, rate 0.5, one arrival per unit of time."""

    def draw(n: int, rng: np.random.Generator) -> Documents:
        drawn = tdpm(n, vocabulary=vocabulary, words=words, rng=rng)
        return Documents(drawn.data, drawn.times, drawn.labels)

    return draw


def with_words(partition: Partition, rng: np.random.Generator) -> Documents:
    """Documents whose words come from one multinomial per thread."""
    theta = rng.dirichlet(np.ones(VOCABULARY), int(partition.labels.max()) + 1)
    data = draw_words(theta, partition.labels, np.full(len(partition.labels), WORDS), rng)
    return Documents(data, partition.times, partition.labels)


def rcrp_documents(width: int) -> Callable[[int, np.random.Generator], Documents]:
    """A source of RCRP documents."""
    return lambda n, rng: with_words(rcrp_partition(n // EPOCH, EPOCH, 1.0, 1.0, width, rng=rng), rng)


def crp_documents(n: int, rng: np.random.Generator) -> Documents:
    """CRP documents."""
    return with_words(crp_partition(n, 5.0, rng=rng), rng)


def workloads() -> list[Workload]:
    """What is measured."""
    prior = core.TDPM(0.2, core.Exponential(0.5))
    shape = f"{VOCABULARY} words, {WORDS} a document"
    return [
        Workload("tDPM, 3 words, 20 a document", prior, core.DirichletMultinomial(3.0), tdpm_documents(3, 20)),
        Workload(f"tDPM, {shape}", prior, WORDY, tdpm_documents(VOCABULARY, WORDS)),
        *(
            Workload(f"RCRP, W = {width}, {shape}", core.RCRP(1.0, 1.0, width), WORDY, rcrp_documents(width))
            for width in (1, 4, 16)
        ),
        Workload(f"CRP, {shape}", core.CRP(5.0), WORDY, crp_documents, 10_000),
    ]


def micros_per_document(prior: Any, likelihood: Any, documents: Documents) -> float:
    """Processor time of the fastest of several sweeps, after one to warm up."""
    run = Run(prior, likelihood, documents.data, documents.times, seed=1, init=documents.labels)
    run.sweep()
    taken = []
    for _ in range(SWEEPS):
        begin = time.process_time()
        run.sweep()
        taken.append(time.process_time() - begin)
    return 1e6 * min(taken) / len(documents.times)


def measure(workload: Workload, sizes: tuple[int, ...]) -> Row:
    """Time a workload at every size up to its largest; small sizes are averaged over several data sets."""
    fitting = tuple(n for n in sizes if n <= workload.most)
    micros = []
    for n in fitting:
        drawn = [workload.draw(n, np.random.default_rng([d, n])) for d in range(3 if n <= SETTLED else 1)]
        micros.append(np.mean([micros_per_document(workload.prior, workload.likelihood, each) for each in drawn]))
    return Row(workload.name, fitting, np.array(micros))


def exponent(row: Row, least: int = 0) -> float | None:
    """Slope of log time against log documents over the sizes from `least` on; None below two sizes."""
    sizes = np.array(row.sizes, dtype=np.float64)
    chosen = sizes >= least
    if chosen.sum() < 2:
        return None
    return float(np.polyfit(np.log(sizes[chosen]), np.log((sizes * row.micros)[chosen]), 1)[0])


def verdict(slope: float | None) -> str:
    """The exponent, and whether it is close to linear."""
    if slope is None:
        return "–"
    return f"{slope:.2f}" if slope <= CLOSE_TO_LINEAR else f"{slope:.2f} (not close)"


def growth_table(rows: list[Row], sizes: tuple[int, ...]) -> str:
    """Microseconds per document, and in brackets how many times that at the smallest size."""
    heads = ["model and documents", *(f"{n:,}" for n in sizes), "exponent", f"exponent from {SETTLED:,}"]
    lines = [f"| {' | '.join(heads)} |", f"| {' | '.join('---' for _ in heads)} |"]
    for row in rows:
        cells = [f"{micros:.1f} ({micros / row.micros[0]:.2f})" for micros in row.micros]
        cells += ["–"] * (len(sizes) - len(cells))
        cells += [verdict(exponent(row)), verdict(exponent(row, SETTLED))]
        lines.append(f"| {row.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def width_table(n: int) -> str:
    """RCRP of growing width on the same documents, drawn with W = 1."""
    documents = rcrp_documents(1)(n, np.random.default_rng([2, n]))
    micros = [micros_per_document(core.RCRP(1.0, 1.0, width), WORDY, documents) for width in WIDTHS]
    lines = [
        f"| W | {' | '.join(map(str, WIDTHS))} |",
        f"| --- | {' | '.join('---' for _ in WIDTHS)} |",
        f"| µs per document | {' | '.join(f'{value:.1f}' for value in micros)} |",
        f"| times that of W = 1 | {' | '.join(f'{value / micros[0]:.2f}' for value in micros)} |",
    ]
    return "\n".join(lines)


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="stop at 10,000 documents")
    sizes = SIZES[:3] if parser.parse_args().quick else SIZES
    print("Microseconds per document and sweep (times that at 1,000 documents):", end="\n\n")
    print(growth_table([measure(workload, sizes) for workload in workloads()], sizes), end="\n\n")
    n = sizes[-1] if len(sizes) < len(SIZES) else 30_000
    print(f"RCRP on the same {n:,} documents, epochs of {EPOCH}:", end="\n\n")
    print(width_table(n))
    return 0


if __name__ == "__main__":
    sys.exit(main())
