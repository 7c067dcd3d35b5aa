"""DPChain paper, section 6.1, on many data sets: points in the plane whose groups come and go over ten epochs.

    ./run --group bench python -m benchmarks.papers.dpchain --datasets 10 --seed 1 --out docs/figures/dpchain.png

Prints a Markdown table and a line per claim, draws a figure, and exits with 1 if a claim does not hold. NMI is that of
an epoch's groups, averaged over epochs. The paper's N(0, 0.2 I) is read as a deviation of 0.2 in each direction; with a
variance of 0.2 not even a method that knows every group reaches what it published, which is printed too.
"""

import argparse
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

import core
from benchmarks.papers.evolution import (
    Floats,
    Labels,
    Score,
    draw_by_epoch,
    mean_nmi,
    posterior_draws,
    score,
    spectral_labels,
    table,
)
from benchmarks.papers.spectral import gaussian_similarity
from benchmarks.papers.tdpm import Claim, save
from core.generators import DpchainPoints, dpchain_points

SPREAD = 2.0  # variance of the groups' means
DEVIATION = 0.2  # of the points of a group
PUBLISHED = {"HDP-EVO": "0.85", "DPChain": "0.74", "PCQ": "0.70", "PCM": "0.71"}
PRIORS = {"HDP-EVO": core.HDPEvo(1.0, 1.0, 0.5), "DPChain": core.DPChain(1.0, 0.5)}


def true_counts(data: DpchainPoints) -> Floats:
    """Groups in each epoch."""
    return np.array([len(np.unique(data.labels[data.times == e])) for e in np.unique(data.times)], float)


def informed(data: DpchainPoints, noise: float) -> Labels:
    """Each point's likeliest group when means, variance and the epoch's proportions are known."""
    found = np.empty(len(data.labels), np.int64)
    squares = ((data.data[:, None, :] - data.means[None, :, :]) ** 2).sum(axis=2)
    for e in np.unique(data.times):
        here = data.times == e
        shares = np.bincount(data.labels[here], minlength=len(data.means)) / here.sum()
        with np.errstate(divide="ignore"):
            found[here] = (np.log(shares) - squares[here] / (2.0 * noise)).argmax(axis=1)
    return found


def bound(sets: list[DpchainPoints], noise: float) -> float:
    """Mean NMI of who is informed."""
    return float(np.mean([score(data.labels, data.times, [informed(data, noise)]).nmi.mean() for data in sets]))


def run_trial(data: DpchainPoints, noise: float, seed: int) -> dict[str, Score]:
    """All methods on one data set. PCQ and PCM are told the mean number of groups and the points' deviation."""
    likelihood = core.Gaussian(noise, SPREAD)
    groups = round(float(true_counts(data).mean()))
    found = {
        name: posterior_draws(prior, likelihood, data.data, data.times, rounds=20, sweeps=2, seed=seed)
        for name, prior in PRIORS.items()
    }
    found |= spectral_labels(data.data, data.times, groups, gaussian_similarity(noise**0.5), seed)
    return {name: score(data.labels, data.times, draws) for name, draws in found.items()}


def claims(results: dict[str, list[Score]]) -> list[Claim]:
    """The paper's findings."""
    evo, chain, pcq, pcm = (mean_nmi(results, name) for name in ("HDP-EVO", "DPChain", "PCQ", "PCM"))
    numbers = f"{evo:.3f}, {chain:.3f}, {max(pcq, pcm):.3f}"
    return [
        Claim("mean NMI: HDP-EVO above DPChain above the better of PCQ and PCM", numbers, evo > chain > max(pcq, pcm)),
        Claim("HDP-EVO at least 0.85", f"{evo:.3f}", evo >= 0.85),
        Claim("DPChain at least 0.74", f"{chain:.3f}", chain >= 0.74),
    ]


def draw_figure(results: dict[str, list[Score]], sets: list[DpchainPoints], out: Path) -> None:
    """NMI and number of groups by epoch, and one epoch's points."""
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
        here = sets[0].times == 7
        axes[0].scatter(*sets[0].data[here].T, c=sets[0].labels[here], cmap="tab10", s=8)
        axes[0].set(title="One data set, epoch 8, true groups")
        draw_by_epoch(axes[1], results, lambda s: s.nmi, f"NMI, mean of {len(sets)} data sets")
        axes[1].legend(frameon=False, fontsize=8)
        learners = {name: results[name] for name in PRIORS}
        draw_by_epoch(axes[2], learners, lambda s: s.groups, "Groups found")
        truth = np.mean([true_counts(data) for data in sets], axis=0)
        axes[2].plot(np.arange(1, len(truth) + 1), truth, color="black", linestyle="--", label="truth")
        axes[2].legend(frameon=False, fontsize=8)
        save(figure, out)


def main() -> int:
    """Run the experiment; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=10, help="data sets, 2 or more (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="seed of data and draws (default 1)")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/dpchain.png"), help="where the figure goes")
    options = parser.parse_args()
    if options.datasets < 2:
        parser.error("--datasets must be 2 or more")
    sets, wide = (
        [
            dpchain_points(spread=SPREAD, noise=noise, rng=np.random.default_rng([options.seed, d]))
            for d in range(options.datasets)
        ]
        for noise in (DEVIATION**2, DEVIATION)
    )
    trials = [run_trial(data, DEVIATION**2, options.seed + d) for d, data in enumerate(sets)]
    results = {name: [trial[name] for trial in trials] for name in trials[0]}
    print(table(results, PUBLISHED, float(np.mean([true_counts(data).mean() for data in sets]))), end="\n\n")
    print(f"Who knows all groups has NMI {bound(sets, DEVIATION**2):.3f}; were the variance {DEVIATION:g}, ", end="")
    print(f"{bound(wide, DEVIATION):.3f}.\n")
    checked = claims(results)
    draw_figure(results, sets, options.out)
    for claim in checked:
        print(f"- {claim.text} ({claim.numbers}): {'holds' if claim.holds else 'does not hold'}")
    return 0 if all(claim.holds for claim in checked) else 1


if __name__ == "__main__":
    sys.exit(main())
