"""How well learning finds the knobs that data were drawn with, over many data sets from each model.

    ./run python -m benchmarks.learning [--datasets 20] [--seed 1]

All knobs of a model are learned at once from starting values four or five times too large or too small. Beside them
stand the most likely knobs given the true threads, found by a search of its own (Nelder-Mead on the evidence): what
those miss, no learner can be blamed for. "Learned / given threads" compares the two on each data set (geometric mean).
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

import core
from core.generators import Partition, crp_partition, rcrp_partition, tdpm
from core.generators.common import draw_words
from core.samplers.evidence import crp_evidence, rcrp_evidence, tdpm_evidence
from core.samplers.learn import group_words, learn_strength

VOCABULARY, WORDS = 30, 30
UNIFORM = np.full(VOCABULARY, 1.0 / VOCABULARY)
STRENGTH = 10.0
STRENGTHS = (3.0, 30.0, 300.0)  # for the strength alone
WIDTH = 4  # epochs
TDPM_KNOBS = {"alpha": 0.2, "rate": 0.5}
RCRP_KNOBS = {"alpha": 2.0, "decay": 2.0}
CRP_KNOBS = {"alpha": 5.0}


class Documents(NamedTuple):
    """Word counts, times and true threads."""

    data: sparse.csr_array[np.int64]
    times: NDArray[np.float64]
    labels: NDArray[np.int64]


class Model(NamedTuple):
    """A prior with its true knobs, a start off by some factor, documents from it, and log P(threads | times, knobs)."""

    name: str
    truth: Mapping[str, float]
    start: Any
    draw: Callable[[np.random.Generator], Documents]
    evidence: Callable[[Documents, list[float]], float]


class Row(NamedTuple):
    """A knob's values over the data sets: learned (None when not learned), and most likely given the true threads."""

    name: str
    truth: float
    learned: NDArray[np.float64] | None
    given: NDArray[np.float64]


def with_words(partition: Partition, rng: np.random.Generator, strength: float = STRENGTH) -> Documents:
    """Documents whose words come from one multinomial per thread."""
    theta = rng.dirichlet(strength * UNIFORM, int(partition.labels.max()) + 1)
    data = draw_words(theta, partition.labels, np.full(len(partition.labels), WORDS), rng)
    return Documents(data, partition.times, partition.labels)


def tdpm_documents(rng: np.random.Generator, strength: float = STRENGTH) -> Documents:
    """1,000 documents of tDPM."""
    drawn = tdpm(1_000, **TDPM_KNOBS, vocabulary=VOCABULARY, words=WORDS, strength=strength, rng=rng)
    return Documents(drawn.data, drawn.times, drawn.labels)


def models() -> list[Model]:
    """What is learned."""
    return [
        Model(
            "tDPM",
            TDPM_KNOBS,
            core.TDPM(1.0, core.Exponential(0.1)),
            tdpm_documents,
            lambda d, knobs: tdpm_evidence(d.labels, d.times, knobs[0], knobs[1]).value,
        ),
        Model(
            f"RCRP, W = {WIDTH}",
            RCRP_KNOBS,
            core.RCRP(8.0, 0.5, WIDTH),
            lambda rng: with_words(rcrp_partition(40, 50, **RCRP_KNOBS, width=WIDTH, rng=rng), rng),
            lambda d, knobs: rcrp_evidence(d.labels, d.times, knobs[0], knobs[1], WIDTH).value,
        ),
        Model(
            "CRP",
            CRP_KNOBS,
            core.CRP(1.0),
            lambda rng: with_words(crp_partition(1_000, **CRP_KNOBS, rng=rng), rng),
            lambda d, knobs: crp_evidence(int(d.labels.max()) + 1, len(d.labels), knobs[0]).value,
        ),
    ]


def learned_knobs(model: Model, documents: Documents, seed: int) -> dict[str, float]:
    """Knobs that core.learn finds from the words and times alone."""
    start = core.DirichletMultinomial(4.0 * STRENGTH)
    found = core.learn(model.start, start, documents.data, documents.times, seed=seed)
    knobs = {**vars(found.prior), **vars(found.likelihood)}
    if isinstance(found.prior, core.TDPM) and isinstance(found.prior.kernel, core.Exponential):
        knobs["rate"] = found.prior.kernel.rate
    return knobs


def strength_given_threads(documents: Documents) -> float:
    """The most likely strength given the true threads."""
    return learn_strength(group_words(documents.data, documents.labels), UNIFORM)


def knobs_given_threads(model: Model, documents: Documents) -> dict[str, float]:
    """The most likely knobs given the true threads."""

    def loss(logs: NDArray[np.float64]) -> float:
        return -model.evidence(documents, np.exp(logs).tolist())

    start = np.log(list(model.truth.values()))
    best = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-5, "fatol": 1e-7})
    found = dict(zip(model.truth, np.exp(best.x).tolist(), strict=True))
    return found | {"strength": strength_given_threads(documents)}


def learn_model(model: Model, datasets: int, seed: int) -> list[Row]:
    """Learn a model's knobs on so many data sets: a row per knob."""
    learned, given = [], []
    for d in range(datasets):
        documents = model.draw(np.random.default_rng([seed, d]))
        learned.append(learned_knobs(model, documents, seed=d))
        given.append(knobs_given_threads(model, documents))
    truth = {**model.truth, "strength": STRENGTH}
    return [
        Row(f"{model.name}: {knob}", true, column(learned, knob), column(given, knob)) for knob, true in truth.items()
    ]


def column(found: list[dict[str, float]], knob: str) -> NDArray[np.float64]:
    """One knob over the data sets."""
    return np.array([knobs[knob] for knobs in found])


def strength_alone(strength: float, datasets: int, seed: int) -> Row:
    """The strength given the true threads of tDPM."""
    given = [
        strength_given_threads(tdpm_documents(np.random.default_rng([seed, d]), strength)) for d in range(datasets)
    ]
    return Row("strength alone, threads given", strength, None, np.array(given))


def statistics(values: NDArray[np.float64], truth: float) -> list[str]:
    """Mean, standard deviation and median relative error as cells."""
    error = np.median(np.abs(values / truth - 1.0))
    return [f"{values.mean():.3g}", f"{values.std(ddof=1):.2g}", f"{error:.1%}"]


def cells(row: Row) -> list[str]:
    """A row of the table."""
    given = statistics(row.given, row.truth)
    if row.learned is None:
        return [row.name, f"{row.truth:g}", "–", "–", "–", *given, "–"]
    ratio = np.exp(np.log(row.learned / row.given).mean())
    return [row.name, f"{row.truth:g}", *statistics(row.learned, row.truth), *given, f"{ratio:.3f}"]


def table(rows: list[Row]) -> str:
    """All rows as Markdown."""
    heads = ["knob", "truth", "learned: mean", "sd", "median error", "given true threads: mean", "sd", "median error"]
    heads.append("learned / given threads")
    lines = [heads, ["---"] * len(heads), *map(cells, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=20, help="data sets per model, 2 or more (default 20)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the data (default 1)")
    options = parser.parse_args()
    if options.datasets < 2:
        parser.error("--datasets must be 2 or more")
    rows = [row for model in models() for row in learn_model(model, options.datasets, options.seed)]
    rows += [strength_alone(strength, options.datasets, options.seed) for strength in STRENGTHS]
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
