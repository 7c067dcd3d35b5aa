"""tDPM paper, section 5, on many data sets: threads found with a sense of time (tDPM) and without (DPM).

    ./run --group bench python -m benchmarks.papers.tdpm --datasets 20 --seed 1 --out docs/figures/tdpm.png

Data, knobs and schedule are the paper's. Prints a Markdown table and a line per claim, draws a figure, and exits with 1
if a claim does not hold. VI is the variation of information from the true threads, in nats.
"""

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray
from PIL import Image

import core
from core.generators import tdpm
from core.metrics import co_assignment, group_counts, variation_of_information

LENGTHS = (20, 50)  # words in a document: hard, easy
MODELS = {"tDPM": core.TDPM(0.2, core.Exponential(0.5)), "DPM": core.TDPM(0.2, core.Step())}
FLAT = core.DirichletMultinomial(3.0)
COLORS = {"tDPM": "#0072b2", "DPM": "#d55e00"}
PUBLISHED_VI = {
    ("tDPM", 20): "0.927 ± 0.172",
    ("DPM", 20): "1.863 ± 0.175",
    ("tDPM", 50): "0.125 ± 0.091",
    ("DPM", 50): "0.663 ± 0.114",
}
PUBLISHED_COUNT = {("tDPM", 20): "12 (12)", ("DPM", 20): "6 or 7 (12)", ("tDPM", 50): "15 (14)", ("DPM", 50): "9 (14)"}
MOST_OF_DPM = 0.6  # of DPM's mean VI that tDPM's may reach


class Chain(NamedTuple):
    """One model's draws on one data set, with each draw's VI and number of threads."""

    samples: NDArray[np.int64]
    vi: NDArray[np.float64]
    counts: NDArray[np.int64]


class Trial(NamedTuple):
    """A data set's true threads and each model's draws."""

    truth: NDArray[np.int64]
    chains: dict[str, Chain]


class Claim(NamedTuple):
    """What should hold, and the numbers that decide."""

    text: str
    numbers: str
    holds: bool


def run_trial(words: int, rng: np.random.Generator) -> Trial:
    """Draw a data set and sample each model's threads by the paper's schedule."""
    data = tdpm(n=100, alpha=0.2, rate=0.5, vocabulary=3, words=words, rng=rng)
    one_thread = np.zeros(len(data.labels), np.int64)
    chains = {}
    for model, prior in MODELS.items():
        seed = int(rng.integers(2**62))
        samples = core.sample(
            prior, FLAT, data.data, data.times, draws=109, burn_in=100, lag=11, seed=seed, init=one_thread
        )
        vi = np.array([variation_of_information(data.labels, drawn) for drawn in samples])
        chains[model] = Chain(samples, vi, group_counts(samples))
    return Trial(data.labels, chains)


def per_trial(trials: list[Trial], measure: Callable[[Trial], float]) -> NDArray[np.float64]:
    """One number per data set."""
    return np.array([measure(trial) for trial in trials])


def mean_vi(trials: list[Trial], model: str) -> NDArray[np.float64]:
    """Mean VI of the draws, per data set."""
    return per_trial(trials, lambda trial: float(trial.chains[model].vi.mean()))


def spread_over_draws(trials: list[Trial], model: str) -> float:
    """Standard deviation of the VI of a data set's draws, averaged over data sets."""
    return float(per_trial(trials, lambda trial: float(trial.chains[model].vi.std(ddof=1))).mean())


def true_count(trials: list[Trial]) -> NDArray[np.float64]:
    """True number of threads, per data set."""
    return per_trial(trials, lambda trial: len(np.unique(trial.truth)))


def found_count(trials: list[Trial], model: str) -> NDArray[np.float64]:
    """Mean number of threads in the draws, per data set."""
    return per_trial(trials, lambda trial: float(trial.chains[model].counts.mean()))


def count_error(trials: list[Trial], model: str) -> float:
    """How far the mean number of threads is from the true one, averaged over data sets."""
    return float(np.abs(found_count(trials, model) - true_count(trials)).mean())


def with_spread(values: NDArray[np.float64], digits: int) -> str:
    """Mean ± standard deviation."""
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1):.{digits}f}"


def table(results: dict[int, list[Trial]]) -> str:
    """Every number as Markdown."""
    lines = [
        "| words | model | VI, mean ± sd over data sets | sd over draws | published VI, mean ± sd over draws "
        "| true threads | threads found | error of the count | published mode (truth) |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for words, trials in results.items():
        for model in MODELS:
            cells = (
                str(words),
                model,
                with_spread(mean_vi(trials, model), 3),
                f"{spread_over_draws(trials, model):.3f}",
                PUBLISHED_VI[model, words],
                with_spread(true_count(trials), 1),
                with_spread(found_count(trials, model), 1),
                f"{count_error(trials, model):.1f}",
                PUBLISHED_COUNT[model, words],
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def claims(words: int, trials: list[Trial]) -> list[Claim]:
    """The paper's findings for documents of so many words."""
    timed, plain = mean_vi(trials, "tDPM"), mean_vi(trials, "DPM")
    ratio = timed.mean() / plain.mean()
    errors = [count_error(trials, model) for model in MODELS]
    lower = int((timed < plain).sum())
    return [
        Claim(
            f"{words} words: mean VI of tDPM is at most {MOST_OF_DPM} of DPM's",
            f"{ratio:.2f}; lower on {lower} of {len(trials)} data sets",
            bool(ratio <= MOST_OF_DPM),
        ),
        Claim(
            f"{words} words: tDPM's number of threads is nearer the truth",
            f"off by {errors[0]:.1f} against {errors[1]:.1f}",
            errors[0] < errors[1],
        ),
    ]


def typical(trials: list[Trial]) -> Trial:
    """The data set with the (lower) median ratio of the two models' VI."""
    ratio = mean_vi(trials, "tDPM") / mean_vi(trials, "DPM")
    return trials[int(np.argsort(ratio)[(len(trials) - 1) // 2])]


def draw_matrix(axes: Axes, samples: NDArray[np.int64], order: NDArray[np.intp], title: str) -> None:
    """How often each pair of documents shares a thread, documents in the given order."""
    shades = mpl.colormaps["gray_r"].resampled(11)
    axes.imshow(co_assignment(samples[:, order]), cmap=shades, vmin=0.0, vmax=1.0, interpolation="nearest")
    axes.spines[["top", "right"]].set_visible(True)
    axes.set_title(title)
    axes.set_xticks([])
    axes.set_yticks([])


def draw_counts(axes: Axes, trial: Trial) -> None:
    """Histogram of the number of threads in the draws, the truth marked."""
    true = len(np.unique(trial.truth))
    top = max(true, *(int(chain.counts.max()) for chain in trial.chains.values()))
    for model, chain in trial.chains.items():
        share = np.bincount(chain.counts, minlength=top + 1) / len(chain.counts)
        axes.bar(np.arange(top + 1), share, width=0.9, color=COLORS[model], alpha=0.6, label=model)
    axes.axvline(true, color="black", linestyle="--", linewidth=1.2, label="truth")
    axes.set_xlim(0.5, top + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(title="Number of threads", xlabel="threads in a draw", ylabel="share of draws")
    axes.legend(frameon=False, fontsize=8)


def draw_pairs(axes: Axes, trials: list[Trial]) -> None:
    """Mean VI of each data set under both models, joined by a line."""
    pairs = np.array([mean_vi(trials, model) for model in MODELS])
    axes.plot([0, 1], pairs, color="0.75", linewidth=0.8, zorder=1)
    for x, model in enumerate(MODELS):
        axes.scatter(np.full(len(trials), x), pairs[x], s=14, color=COLORS[model], zorder=2)
        axes.plot([x - 0.18, x + 0.18], [pairs[x].mean()] * 2, color="black", linewidth=2.0, zorder=3)
    axes.set_xticks([0, 1], list(MODELS))
    axes.set_xlim(-0.4, 1.4)
    axes.set_ylim(bottom=0.0)
    axes.set(title=f"VI, all {len(trials)} data sets", ylabel="VI from the truth, nats")


def save(figure: Figure, out: Path) -> None:
    """Write a PNG of few colours, which is a third of the size."""
    picture = io.BytesIO()
    figure.savefig(picture, dpi=100)
    out.parent.mkdir(parents=True, exist_ok=True)
    Image.open(picture).convert("RGB").quantize(128).save(out, optimize=True)


def draw_figure(results: dict[int, list[Trial]], out: Path) -> None:
    """One row per difficulty: matrices and counts of a typical data set, then the VI of all."""
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, grid = plt.subplots(len(results), 5, figsize=(13.5, 5.6), layout="constrained")
        for axes, (words, trials) in zip(grid, results.items(), strict=True):
            trial = typical(trials)
            order = np.argsort(trial.truth, kind="stable")
            draw_matrix(axes[0], trial.truth[None, :], order, "True threads")
            axes[0].set_ylabel(f"{words} words a document", fontsize=11)
            for panel, model in zip(axes[1:3], MODELS, strict=True):
                chain = trial.chains[model]
                draw_matrix(panel, chain.samples, order, f"{model}, VI {chain.vi.mean():.2f}")
            draw_counts(axes[3], trial)
            draw_pairs(axes[4], trials)
        grid[-1, 1].set_xlabel("documents sorted by true thread; black: together in every draw")
        save(figure, out)


def main() -> int:
    """Run the experiment; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=20, help="data sets per difficulty, 2 or more (default 20)")
    parser.add_argument("--seed", type=int, default=1, help="seed of data and draws (default 1)")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/tdpm.png"), help="where the figure goes")
    options = parser.parse_args()
    if options.datasets < 2:
        parser.error("--datasets must be 2 or more")
    results = {
        words: [run_trial(words, np.random.default_rng([options.seed, words, d])) for d in range(options.datasets)]
        for words in LENGTHS
    }
    print(table(results), end="\n\n")
    checked = [claim for words, trials in results.items() for claim in claims(words, trials)]
    for claim in checked:
        print(f"- {claim.text} ({claim.numbers}): {'holds' if claim.holds else 'does not hold'}")
    draw_figure(results, options.out)
    return 0 if all(claim.holds for claim in checked) else 1


if __name__ == "__main__":
    sys.exit(main())
