"""What the experiments of Xu et al. 2008 share: every method run on epochs, scored epoch by epoch."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

import core
from benchmarks.papers.spectral import Similarity, evolutionary_spectral
from core.metrics import adjusted_rand_index, normalized_mutual_information

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
BETA = 0.1  # weight of the past in PCQ and PCM
DRAWS, LAG = 10, 5
COLORS = {"HDP-EVO": "#0072b2", "DPChain": "#d55e00", "LDA": "#009e73", "PCQ": "#cc79a7", "PCM": "#7f7f7f"}


class Score(NamedTuple):
    """One method on one data set, each averaged over its draws."""

    nmi: Floats  # by epoch
    ari: float  # mean over epochs
    groups: Floats  # by epoch
    overall: float  # NMI of all epochs at once: do threads keep their identity?


def score(truth: Labels, epochs: Floats, draws: Sequence[Labels]) -> Score:
    """Against the truth."""
    parts = [epochs == e for e in np.unique(epochs)]
    each = [[(truth[p], found[p]) for p in parts] for found in draws]
    return Score(
        np.mean([[normalized_mutual_information(*pair) for pair in pairs] for pairs in each], axis=0),
        float(np.mean([[adjusted_rand_index(*pair) for pair in pairs] for pairs in each])),
        np.mean([[len(np.unique(found)) for _, found in pairs] for pairs in each], axis=0),
        float(np.mean([normalized_mutual_information(truth, found) for found in draws])),
    )


def posterior_draws(
    prior: Any, likelihood: Any, data: Any, times: Floats, *, rounds: int, sweeps: int, seed: int
) -> list[Labels]:
    """Learn the prior's knobs, then draw."""
    learned = core.learn(prior, likelihood, data, times, rounds=rounds, sweeps=sweeps, seed=seed, fixed=("strength",))
    drawn = core.sample(
        learned.prior, likelihood, data, times, draws=DRAWS, lag=LAG, burn_in=LAG, seed=seed, init=learned.labels
    )
    return list(drawn)


def spectral_labels(
    rows: Floats, times: Floats, groups: int, similarity: Similarity, seed: int
) -> dict[str, list[Labels]]:
    """PCQ and PCM, names not shared between epochs."""
    epochs = [rows[times == e] for e in np.unique(times)]
    found = {}
    for name, keep_quality in (("PCQ", True), ("PCM", False)):
        labels = evolutionary_spectral(epochs, groups, similarity, keep_quality=keep_quality, beta=BETA, seed=seed)
        found[name] = [np.concatenate([e * groups + z for e, z in enumerate(labels)])]
    return found


def with_spread(values: Sequence[float]) -> str:
    """Mean ± standard deviation over data sets."""
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}"


def table(results: dict[str, list[Score]], published: dict[str, str], true_groups: float) -> str:
    """Every number as Markdown."""
    lines = [
        "| method | NMI by epoch, mean ± sd over data sets | published | ARI by epoch | groups in an epoch "
        f"(true: {true_groups:.1f}) | NMI of all epochs together |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, scores in results.items():
        cells = (
            name,
            with_spread([float(s.nmi.mean()) for s in scores]),
            published.get(name, "–"),
            with_spread([s.ari for s in scores]),
            f"{np.mean([s.groups.mean() for s in scores]):.1f}",
            f"{np.mean([s.overall for s in scores]):.3f}" if name not in ("PCQ", "PCM", "LDA") else "–",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def mean_nmi(results: dict[str, list[Score]], name: str) -> float:
    """Over epochs and data sets."""
    return float(np.mean([s.nmi.mean() for s in results[name]]))


def draw_by_epoch(axes: Axes, results: dict[str, list[Score]], value: Callable[[Score], Floats], title: str) -> None:
    """A line per method over the epochs, averaged over data sets."""
    for name, scores in results.items():
        values = np.mean([value(s) for s in scores], axis=0)
        axes.plot(np.arange(1, len(values) + 1), values, marker="o", markersize=3, color=COLORS[name], label=name)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(title=title, xlabel="epoch")
