"""ddCRP paper, sections 4 and 6: held-out likelihood of dated news over the decay, and cost of a sweep over documents.

    ./run --group bench python -m benchmarks.papers.ddcrp DATA --seed 1 --out docs/figures/ddcrp.png

DATA is a folder with wcep_stories_2019.jsonl.gz (one-sentence news with day). The paper's collection, NSF abstracts, is
replaced by it. Each model learns the threads of the TRAIN documents before a day and predicts the HELD after it, each
from those alone (eq. 15); this for several days. k(d) = exp(−d/a), a in days; every model has the better of two alphas.
The cost is measured on documents drawn by the paper's recipe (section 3). Prints Markdown and a line per claim, draws a
figure, and exits with 1 if a claim does not hold.
"""

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import NDArray
from scipy import sparse

import core
from core.generators import ddcrp_documents, ddcrp_partition, exponential
from core.samplers.gibbs import start
from service.text import Fields, TextSettings, count_words

from .tdpm import Claim, save

TRAIN, HELD, CUTS = 400, 50, 2  # documents, documents, days to cut at
DECAYS = (3.0, 10.0, 30.0, 100.0)  # days
ALPHAS = (3.0, 30.0)
BURN_IN, DRAWS = 10, 4
SIZES = (250, 500, 1000, 2000)
RATE = 0.05  # per document, of the documents that the cost is measured on
TIMED = {
    "CRP": core.CRP(1.0),
    "ddCRP": core.DDCRP(1.0, core.Exponential(RATE)),
    "ADDCRP mean": core.ADDCRP(1.0, core.Exponential(RATE), "mean"),
    "ADDCRP nearest": core.ADDCRP(1.0, core.Exponential(RATE), "nearest"),
}
COLORS = {
    "CRP": "black",
    "ddCRP": "#d55e00",
    "ADDCRP mean": "#0072b2",
    "ADDCRP weighted": "#56b4e9",
    "ADDCRP nearest": "#009e73",
}
MODELS = tuple(COLORS)


class News(NamedTuple):
    """Word counts and days."""

    counts: sparse.csr_array[np.int64]
    days: NDArray[np.float64]


def read_news(folder: Path) -> News:
    """The collection."""
    path = folder / "wcep_stories_2019.jsonl.gz"
    if not path.exists():
        sys.exit(f"{path} is missing: pass the folder that holds it")
    with gzip.open(path, "rt") as lines:
        records = [json.loads(line) for line in lines]
    bags = [count_words(Fields(None, record["text"]), TextSettings()) for record in records]
    spread = Counter(word for bag in bags for word in bag)
    column = {word: w for w, word in enumerate(word for word, documents in spread.items() if documents > 1)}
    rows = [(i, column[word], count) for i, bag in enumerate(bags) for word, count in bag.items() if word in column]
    i, w, count = np.array(rows).T
    stamps = [datetime.fromisoformat(record["time"].replace("Z", "+00:00")).timestamp() / 86400 for record in records]
    counts = sparse.csr_array((count, (i, w)), shape=(len(records), len(column)))
    return News(counts, np.array(stamps) - stamps[0])


def prior_of(model: str, alpha: float, days: float) -> Any:
    """A model by its name."""
    if model == "CRP":
        return core.CRP(alpha)
    kernel = core.Exponential(1.0 / days)
    return core.DDCRP(alpha, kernel) if model == "ddCRP" else core.ADDCRP(alpha, kernel, model.split()[1])


def held_out(news: News, model: str, days: float, seed: int) -> float:
    """Mean log likelihood of a held-out document, nats, with the better alpha."""
    totals = np.asarray(news.counts.sum(axis=0), dtype=np.float64).ravel()
    likelihood = core.DirichletMultinomial(100.0, totals / totals.sum())
    cuts = np.linspace(0, len(news.days) - TRAIN - HELD, CUTS).astype(int)
    scores = np.zeros((len(ALPHAS), CUTS))
    for a, alpha in enumerate(ALPHAS):
        prior = prior_of(model, alpha, days)
        for c, begin in enumerate(cuts):
            train, all_ = slice(begin, begin + TRAIN), slice(begin, begin + TRAIN + HELD)
            drawn = core.sample(
                prior, likelihood, news.counts[train], news.days[train], draws=DRAWS, burn_in=BURN_IN, seed=seed
            )
            scores[a, c] = core.held_out(prior, likelihood, news.counts[all_], news.days[all_], drawn).mean()
    return float(scores.mean(axis=1).max())


def held_out_table(scores: dict[str, list[float]]) -> str:
    """Nats per held-out document by decay."""
    heads = ["model", *(f"a = {days:g} days" for days in DECAYS)]
    lines = [f"| {' | '.join(heads)} |", f"| {' | '.join('---' for _ in heads)} |"]
    lines += [f"| {model} | {' | '.join(f'{value:.2f}' for value in values)} |" for model, values in scores.items()]
    return "\n".join(lines)


def seconds_a_sweep(prior: Any, documents: int) -> float:
    """Processor time of the faster of two sweeps, from the start that placing gives, after one to warm up."""
    rng = np.random.default_rng(documents)
    labels = ddcrp_partition(documents, 1.0, exponential(RATE), rng=rng).labels
    drawn = ddcrp_documents(labels, words=60.0, rng=rng)
    likelihood = core.DirichletMultinomial(850.0)
    run = start(prior, likelihood, drawn.data, drawn.times, seed=1, init=drawn.labels)
    run.sweep()
    taken = []
    for _ in range(2):
        begin = time.process_time()
        run.sweep()
        taken.append(time.process_time() - begin)
    return min(taken)


def exponent(taken: list[float]) -> float:
    """Slope of log time against log documents, from the second size on."""
    return float(np.polyfit(np.log(SIZES[1:]), np.log(taken[1:]), 1)[0])


def cost_table(costs: dict[str, list[float]]) -> str:
    """Milliseconds a sweep by documents."""
    heads = ["ms a sweep", *(f"{size:,}" for size in SIZES), f"exponent from {SIZES[1]:,}"]
    lines = [f"| {' | '.join(heads)} |", f"| {' | '.join('---' for _ in heads)} |"]
    for model, taken in costs.items():
        lines.append(f"| {model} | {' | '.join(f'{1e3 * t:.1f}' for t in taken)} | {exponent(taken):.2f} |")
    return "\n".join(lines)


def claims(scores: dict[str, list[float]], costs: dict[str, list[float]]) -> list[Claim]:
    """The paper's findings."""
    plain = scores["CRP"][0]
    above = {model: sum(value > plain for value in values) for model, values in scores.items() if model != "CRP"}
    made = [
        Claim(
            f"{model} predicts better than CRP over a range of decays",
            f"at {count} of {len(DECAYS)}, by up to {max(scores[model]) - plain:.2f} nats a document",
            count >= len(DECAYS) // 2,
        )
        for model, count in above.items()
    ]
    grows = {model: exponent(taken) for model, taken in costs.items()}
    linked, averaged = grows["ddCRP"], grows["ADDCRP nearest"]
    numbers = f"exponent {linked:.2f} against {averaged:.2f} (nearest) and {grows['ADDCRP mean']:.2f} (mean)"
    made.append(Claim("a sweep of ddCRP grows faster than one of ADDCRP", numbers, linked > max(averaged, 1.3)))
    return made


def draw_figure(scores: dict[str, list[float]], costs: dict[str, list[float]], out: Path) -> None:
    """Held-out likelihood over the decay, and time over documents."""
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
        for model, values in scores.items():
            left.semilogx(DECAYS, values, "--" if model == "CRP" else "o-", color=COLORS[model], label=model)
        left.set(title="Held-out likelihood", xlabel="a, days", ylabel="nats a document")
        left.legend(frameon=False, fontsize=7)
        for model, taken in costs.items():
            right.loglog(SIZES, taken, "o-", color=COLORS[model], label=model)
        right.set(title="Cost", xlabel="documents", ylabel="seconds a sweep")
        right.legend(frameon=False, fontsize=7)
        save(figure, out)


def main() -> int:
    """Run both experiments; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with wcep_stories_2019.jsonl.gz")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/ddcrp.png"), help="where the figure goes")
    options = parser.parse_args()
    news = read_news(options.data)
    costs = {}
    for model, prior in TIMED.items():
        costs[model] = [seconds_a_sweep(prior, size) for size in SIZES]
        print(f"{model}: {costs[model]} s a sweep", file=sys.stderr, flush=True)
    print(cost_table(costs), end="\n\n", flush=True)
    scores = {}
    for model in MODELS:
        scores[model] = [
            held_out(news, model, days, options.seed) for days in (DECAYS if model != "CRP" else DECAYS[:1])
        ]
        print(f"{model}: {scores[model]} nats", file=sys.stderr, flush=True)
    scores["CRP"] *= len(DECAYS)
    print(held_out_table(scores), end="\n\n")
    checked = claims(scores, costs)
    for claim in checked:
        print(f"- {claim.text} ({claim.numbers}): {'holds' if claim.holds else 'does not hold'}")
    draw_figure(scores, costs, options.out)
    return 0 if all(claim.holds for claim in checked) else 1


if __name__ == "__main__":
    sys.exit(main())
