"""RCRP paper, sections 5 and 6: three regimes of the prior, and moving Gaussians found with and without fixing K.

    ./run --group bench python -m benchmarks.papers.rcrp --datasets 3 --seed 1 --out docs/figures

Section 5 (figure 2) draws labels from the prior at (α, λ, W) = (5, ∞, 50), (5, 4, 4) and (5, 5, 0): 50 epochs × 300.
Section 6 (figure 3) draws 30 epochs × 100 points from RCRP with Gaussian chains and compares the threads found by the
same model with those of fixed-K mixtures of Kalman filters: variation of information from the truth in nats, global
(GVI) and averaged over epochs (LVI). Prints Markdown and a line per claim, draws rcrp_regimes.png and rcrp_chains.png,
and exits with 1 if a claim does not hold.
"""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import NDArray

import core
from core.generators import RcrpPoints, rcrp_gaussian, rcrp_partition
from core.metrics import local_variation_of_information, variation_of_information

from .kalman_mixture import Knobs, kalman_mixture
from .tdpm import Claim, save, with_spread

EPOCHS, SIZE = 50, 300
REGIMES = {"DPM (5, ∞, 50)": (np.inf, 50.0), "RCRP (5, 4, 4)": (4.0, 4.0), "DPM per epoch (5, 5, 0)": (5.0, 0.0)}
REPEATS = 20  # draws of the prior behind the frequencies of durations
CHAINS = (5, 10, 15, 20, 25, 30)
STARTS = 10
KNOBS = Knobs(noise=0.11, spread=10.0, drift=0.1)
SWEEPS, DRAWS, LAG = 200, 10, 20
STRAIGHT = 0.9  # least share of variance that a power law must explain

Labels = NDArray[np.int64]


# Section 5.


class Regime(NamedTuple):
    """One draw of the prior, (epochs, customers), and how many threads of each duration there are in many draws."""

    labels: Labels
    durations: NDArray[np.float64]  # [d]: mean number of threads that last d epochs


def durations(labels: Labels) -> Labels:
    """Epochs from birth to last use of every thread, both counted."""
    epoch = np.repeat(np.arange(len(labels)), labels.shape[1])
    names, first = np.unique(labels.ravel(), return_index=True)
    last = np.zeros(len(names), np.int64)
    np.maximum.at(last, np.searchsorted(names, labels.ravel()), epoch)
    return last - epoch[first] + 1


def draw_regime(decay: float, width: float, rng: np.random.Generator) -> Regime:
    """Labels of the first draw and durations of all."""
    draws = [
        rcrp_partition(EPOCHS, SIZE, 5.0, decay, width, rng=rng).labels.reshape(EPOCHS, SIZE) for _ in range(REPEATS)
    ]
    counts = sum(np.bincount(durations(labels), minlength=EPOCHS + 1) for labels in draws)
    return Regime(draws[0], np.asarray(counts) / REPEATS)


def power_law(regime: Regime) -> tuple[float, float]:
    """Slope of log number against log duration and the share of variance it explains, up to half of the epochs: of what
    lasts longer, much is cut off by the end."""
    lasting = np.flatnonzero(regime.durations[: EPOCHS // 2 + 1])
    if len(lasting) < 3:
        return np.nan, 0.0
    x, y = np.log(lasting), np.log(regime.durations[lasting])
    return float(np.polyfit(x, y, 1)[0]), float(np.corrcoef(x, y)[0, 1] ** 2)


def regime_row(name: str, regime: Regime) -> str:
    """What a regime looks like, in numbers."""
    active = np.array([len(np.unique(row)) for row in regime.labels])
    total = regime.durations.sum()
    slope, straight = power_law(regime)
    short = regime.durations[1] / total
    long = regime.durations[EPOCHS // 2 + 1 :].sum() / total
    cells = (
        name,
        f"{total:.0f}",
        f"{active.mean():.1f}",
        f"{short:.0%}",
        f"{long:.0%}",
        "–" if np.isnan(slope) else f"{slope:.2f}",
        f"{straight:.2f}",
    )
    return f"| {' | '.join(cells)} |"


def regime_claims(regimes: dict[str, Regime]) -> list[Claim]:
    """Durations follow a power law in the middle only."""
    whole, middle, apart = regimes.values()
    fits = [power_law(regime) for regime in (whole, middle, apart)]
    return [
        Claim(
            "durations follow a power law between the extremes",
            f"slope {fits[1][0]:.2f}, R² {fits[1][1]:.2f}",
            fits[1][1] >= STRAIGHT and fits[1][0] < 0,
        ),
        Claim("and not without forgetting", f"R² {fits[0][1]:.2f}", fits[0][1] < STRAIGHT),
        Claim(
            "nor with epochs apart, where every thread lasts one epoch",
            f"{apart.durations[2:].sum():.0f} threads last longer",
            apart.durations[2:].sum() == 0,
        ),
    ]


def draw_durations(axes: Axes, labels: Labels) -> None:
    """A bar from birth to death for each thread."""
    epoch = np.repeat(np.arange(len(labels)), labels.shape[1])
    names, first = np.unique(labels.ravel(), return_index=True)
    order = np.argsort(first)
    axes.hlines(np.arange(len(names)), epoch[first][order], (epoch[first] + durations(labels))[order], linewidth=0.8)
    axes.set(xlabel="epoch", ylabel="thread", title="Life of each thread")


def draw_popularity(axes: Axes, labels: Labels) -> None:
    """Each epoch as a bar of length one, divided by threads."""
    shades = np.random.default_rng(0).permutation(labels.max() + 1) / (labels.max() + 1)
    for t, row in enumerate(labels):
        names, counts = np.unique(row, return_counts=True)
        tops = np.cumsum(counts) / len(row)
        axes.bar(
            np.full(len(names), t), counts / len(row), 1.0, tops - counts / len(row), color=plt.cm.hsv(shades[names])
        )
    axes.set(xlabel="epoch", ylabel="share", title="Popularity")


def draw_regimes(regimes: dict[str, Regime], out: Path) -> None:
    """Figure 2: a row per regime, four panels each."""
    with mpl.rc_context({"font.size": 8, "axes.titlesize": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, grid = plt.subplots(len(regimes), 4, figsize=(12, 7.5), layout="constrained")
        for axes, (name, regime) in zip(grid, regimes.items(), strict=True):
            draw_durations(axes[0], regime.labels)
            axes[0].set_ylabel(f"{name}\n\nthread")
            draw_popularity(axes[1], regime.labels)
            axes[2].plot([len(np.unique(row)) for row in regime.labels])
            axes[2].set(xlabel="epoch", ylabel="threads", title="Threads in use", ylim=(0, None))
            lasting = np.flatnonzero(regime.durations)
            axes[3].loglog(lasting, regime.durations[lasting], "o", markersize=3)
            axes[3].set(
                xlabel="duration, epochs", ylabel="threads a draw", title="Threads of a duration", xlim=(0.8, 60)
            )
        save(figure, out)


# Section 6.


class Found(NamedTuple):
    """Distances from the truth, averaged over draws or starts, and threads in use per epoch."""

    gvi: float
    lvi: float
    threads: float


class Trial(NamedTuple):
    """What the RCRP and each K found on one data set."""

    truth: float  # threads in use per epoch
    chain: Found
    fixed: dict[int, Found]


def per_epoch(labels: Labels, times: NDArray[np.float64]) -> float:
    """Mean number of threads in use in an epoch."""
    return float(np.mean([len(np.unique(labels[times == t])) for t in np.unique(times)]))


def measured(data: RcrpPoints, labellings: list[Labels]) -> Found:
    """Means over labellings."""
    epochs = data.times.astype(np.int64)
    return Found(
        float(np.mean([variation_of_information(data.labels, labels) for labels in labellings])),
        float(np.mean([local_variation_of_information(data.labels, labels, epochs) for labels in labellings])),
        float(np.mean([per_epoch(labels, data.times) for labels in labellings])),
    )


def run_trial(rng: np.random.Generator) -> Trial:
    """Draw a data set by the paper's recipe; sample RCRP's threads and each fixed K's."""
    data = rcrp_gaussian(30, 100, 2.5, 0.8, 1, *(KNOBS.spread, KNOBS.drift, KNOBS.noise), rng=rng)
    draws = core.sample(
        core.RCRP(2.5, 0.8, 1),
        core.GaussianChain(*KNOBS),
        data.data,
        data.times,
        draws=DRAWS,
        burn_in=SWEEPS,
        lag=LAG,
        seed=int(rng.integers(2**62)),
    )
    points = data.data.reshape(30, 100, 2)
    fixed = {
        count: measured(data, [kalman_mixture(points, count, KNOBS, sweeps=SWEEPS, rng=rng) for _ in range(STARTS)])
        for count in CHAINS
    }
    return Trial(per_epoch(data.labels, data.times), measured(data, list(draws)), fixed)


def chain_table(trials: list[Trial]) -> str:
    """Means ± standard deviations over data sets."""
    lines = ["| model | GVI | LVI | threads per epoch |", "| --- | --- | --- | --- |"]
    rows = {"RCRP": [trial.chain for trial in trials]}
    rows |= {f"K = {count}": [trial.fixed[count] for trial in trials] for count in CHAINS}
    for name, found in rows.items():
        columns = [with_spread(np.array(column), 2) for column in zip(*found, strict=True)]
        lines.append(f"| {name} | {' | '.join(columns)} |")
    lines.append(f"| truth | 0 | 0 | {with_spread(np.array([trial.truth for trial in trials]), 2)} |")
    return "\n".join(lines)


def chain_claims(trials: list[Trial]) -> list[Claim]:
    """RCRP is nearer the truth than the best fixed K, on every data set."""
    made = []
    for place, name in enumerate(("GVI", "LVI")):
        ours = np.array([trial.chain[place] for trial in trials])
        best = np.array([min(found[place] for found in trial.fixed.values()) for trial in trials])
        numbers = (
            f"{ours.mean():.2f} against {best.mean():.2f}; lower on {(ours < best).sum()} of {len(trials)} data sets"
        )
        made.append(Claim(f"{name} of RCRP is below that of the best fixed K", numbers, bool((ours < best).all())))
    return made


def draw_chain_figure(trials: list[Trial], out: Path) -> None:
    """Figure 3 a and b: distances over K, RCRP as a line across."""
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, grid = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
        for place, (axes, name) in enumerate(zip(grid, ("GVI", "LVI"), strict=True)):
            values = np.array([[trial.fixed[count][place] for count in CHAINS] for trial in trials])
            ours = np.array([trial.chain[place] for trial in trials])
            axes.errorbar(CHAINS, values.mean(axis=0), values.std(axis=0), fmt="o-", color="#d55e00", label="fixed K")
            axes.axhline(ours.mean(), color="#0072b2", label="RCRP")
            axes.axhspan(ours.min(), ours.max(), color="#0072b2", alpha=0.15, linewidth=0)
            axes.set(title=name, xlabel="K", ylabel="nats from the truth", ylim=(0, None))
            axes.legend(frameon=False)
        save(figure, out)


def main() -> int:
    """Run both experiments; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=3, help="data sets of section 6, 2 or more (default 3)")
    parser.add_argument("--seed", type=int, default=1, help="seed of data and draws (default 1)")
    parser.add_argument("--out", type=Path, default=Path("docs/figures"), help="folder of the figures")
    options = parser.parse_args()
    if options.datasets < 2:
        parser.error("--datasets must be 2 or more")
    regimes = {
        name: draw_regime(*knobs, np.random.default_rng([options.seed, r]))
        for r, (name, knobs) in enumerate(REGIMES.items())
    }
    print("| (α, λ, W) | threads | in use per epoch | last 1 epoch | last > 25 | slope | R² |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    print("\n".join(regime_row(name, regime) for name, regime in regimes.items()), end="\n\n")
    draw_regimes(regimes, options.out / "rcrp_regimes.png")
    trials = [run_trial(np.random.default_rng([options.seed, 100 + d])) for d in range(options.datasets)]
    print(chain_table(trials), end="\n\n")
    draw_chain_figure(trials, options.out / "rcrp_chains.png")
    checked = regime_claims(regimes) + chain_claims(trials)
    for claim in checked:
        print(f"- {claim.text} ({claim.numbers}): {'holds' if claim.holds else 'does not hold'}")
    return 0 if all(claim.holds for claim in checked) else 1


if __name__ == "__main__":
    sys.exit(main())
