"""ddCRP paper, sections 4 and 6: held-out likelihood of dated mail over the decay, and cost of a pass over documents.

    ./run --group bench python -m benchmarks.papers.ddcrp DATA --seed 1 --out docs/figures/ddcrp.png

DATA is a folder with email_rdevel_2010.jsonl.gz (a mailing list for a year). The paper's collection, NSF abstracts, is
replaced by it. Each model learns the threads of the TRAIN documents before a day and predicts the HELD after it, each
from those alone (eq. 15); this for several days. k(d) = exp(−d/a), a in days.
The cost is measured on documents drawn by the paper's recipe (section 3), but of THREADS threads however many documents
there are: of a pass that places documents in the order of time, weighing only what is earlier, and of an exact Gibbs
sweep. Prints Markdown and a line per claim, draws a figure, and exits with 1 if a claim does not hold.
"""

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import NDArray
from scipy import sparse

import core
from core.generators import ClassDocuments, ddcrp_documents
from core.samplers.gibbs import start
from service.text import Fields, TextSettings, count_words

from .tdpm import Claim, save

TRAIN, HELD, CUTS = 400, 50, 14  # documents, documents, days to cut at
DECAYS = (1.0, 3.0, 10.0, 30.0, 100.0)  # days
ALPHA = 30.0
STRENGTH = 100.0
BURN_IN, DRAWS = 12, 4
REPEATS = 2
SIZES = {"placing": (2000, 4000, 8000, 16000), "sweep": (500, 1000, 2000, 4000)}  # documents
THREADS, WORDS = 16, 150.0  # of the documents that the cost is measured on
KERNEL = core.Exponential(0.02)  # per document
TIMED = {
    "CRP": core.CRP(1.0),
    "ddCRP": core.DDCRP(1.0, KERNEL),
    "ADDCRP mean": core.ADDCRP(1.0, KERNEL, "mean"),
    "ADDCRP weighted": core.ADDCRP(1.0, KERNEL, "weighted"),
    "ADDCRP nearest": core.ADDCRP(1.0, KERNEL, "nearest"),
}
COLORS = {
    "CRP": "black",
    "ddCRP": "#d55e00",
    "ADDCRP mean": "#0072b2",
    "ADDCRP weighted": "#56b4e9",
    "ADDCRP nearest": "#009e73",
}
MODELS = tuple(COLORS)


class Mail(NamedTuple):
    """Word counts and days."""

    counts: sparse.csr_array[np.int64]
    days: NDArray[np.float64]


def read_mail(folder: Path) -> Mail:
    """The collection."""
    path = folder / "email_rdevel_2010.jsonl.gz"
    if not path.exists():
        sys.exit(f"{path} is missing: pass the folder that holds it")
    with gzip.open(path, "rt") as lines:
        records = [json.loads(line) for line in lines]
    bags = [count_words(Fields(record["title"], record["text"]), TextSettings()) for record in records]
    spread = Counter(word for bag in bags for word in bag)
    column = {word: w for w, word in enumerate(word for word, documents in spread.items() if documents > 1)}
    rows = [(i, column[word], count) for i, bag in enumerate(bags) for word, count in bag.items() if word in column]
    i, w, count = np.array(rows).T
    stamps = [datetime.fromisoformat(record["time"].replace("Z", "+00:00")).timestamp() / 86400 for record in records]
    counts = sparse.csr_array((count, (i, w)), shape=(len(records), len(column)))
    return Mail(counts, np.array(stamps) - stamps[0])


def prior_of(model: str, days: float) -> Any:
    """A model by its name."""
    if model == "CRP":
        return core.CRP(ALPHA)
    kernel = core.Exponential(1.0 / days)
    return core.DDCRP(ALPHA, kernel) if model == "ddCRP" else core.ADDCRP(ALPHA, kernel, model.split()[1])


def held_out(mail: Mail, model: str, days: float, seed: int) -> NDArray[np.float64]:
    """Log likelihood of each held-out document, nats."""
    totals = np.asarray(mail.counts.sum(axis=0), dtype=np.float64).ravel()
    likelihood = core.DirichletMultinomial(STRENGTH, totals / totals.sum())
    cuts = np.linspace(0, len(mail.days) - TRAIN - HELD, CUTS).astype(int)
    prior = prior_of(model, days)
    scores = []
    for begin in cuts:
        train, all_ = slice(begin, begin + TRAIN), slice(begin, begin + TRAIN + HELD)
        drawn = core.sample(
            prior, likelihood, mail.counts[train], mail.days[train], draws=DRAWS, burn_in=BURN_IN, seed=seed
        )
        scores.append(core.held_out(prior, likelihood, mail.counts[all_], mail.days[all_], drawn))
    return np.concatenate(scores)


class Gain(NamedTuple):
    """What documents gain over CRP, nats a document, with the mean's standard error."""

    mean: float
    error: float
    median: float


def gain(scores: NDArray[np.float64], plain: NDArray[np.float64]) -> Gain:
    """Of the same documents under two models."""
    more = scores - plain
    return Gain(float(more.mean()), float(more.std(ddof=1) / np.sqrt(len(more))), float(np.median(more)))


def held_out_table(plain: float, gains: dict[str, list[Gain]]) -> str:
    """Nats per held-out document over CRP by decay."""
    heads = ["model", *(f"a = {days:g} days" for days in DECAYS)]
    lines = [f"| {' | '.join(heads)} |", f"| {' | '.join('---' for _ in heads)} |"]
    for model, row in gains.items():
        cells = " | ".join(f"{mean:+.2f} ± {error:.2f} ({median:+.2f})" for mean, error, median in row)
        lines.append(f"| {model} | {cells} |")
    return f"CRP: {plain:.2f} nats a document. More than that, mean ± standard error (median):\n\n" + "\n".join(lines)


Cost = dict[str, list[float]]  # processor time by SIZES, seconds


def cost_of(prior: Any) -> Cost:
    """Of placing documents in the order of time, and of an exact sweep that begins with the true labels."""
    for measure in (placing, sweep):
        measure(prior, 100)  # compiles
    return {
        "placing": [placing(prior, size) for size in SIZES["placing"]],
        "sweep": [sweep(prior, size) for size in SIZES["sweep"]],
    }


def placing(prior: Any, documents: int) -> float:
    """Seconds, the fastest of REPEATS."""
    drawn = documents_of(documents)
    return min(
        seconds(lambda: start(prior, core.DirichletMultinomial(850.0), drawn.data, drawn.times, seed=1))
        for _ in range(REPEATS)
    )


def sweep(prior: Any, documents: int) -> float:
    """Seconds, the fastest of REPEATS."""
    drawn = documents_of(documents)
    run = start(prior, core.DirichletMultinomial(850.0), drawn.data, drawn.times, seed=1, init=drawn.labels)
    return min(seconds(run.sweep) for _ in range(REPEATS))


def documents_of(count: int) -> ClassDocuments:
    """So many documents of THREADS threads."""
    rng = np.random.default_rng(count)
    return ddcrp_documents(rng.integers(THREADS, size=count), words=WORDS, rng=rng)


def seconds(work: Callable[[], object]) -> float:
    """Processor time that it takes."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def exponent(name: str, cost: Cost) -> float:
    """Slope of log time against log documents, from the second size on."""
    return float(np.polyfit(np.log(SIZES[name][1:]), np.log(cost[name][1:]), 1)[0])


def cost_table(name: str, costs: dict[str, Cost]) -> str:
    """Milliseconds by documents."""
    heads = [f"{name}, ms", *(f"{size:,}" for size in SIZES[name]), f"exponent from {SIZES[name][1]:,}"]
    lines = [f"| {' | '.join(heads)} |", f"| {' | '.join('---' for _ in heads)} |"]
    for model, cost in costs.items():
        lines.append(f"| {model} | {' | '.join(f'{1e3 * t:.0f}' for t in cost[name])} | {exponent(name, cost):.2f} |")
    return "\n".join(lines)


def claims(gains: dict[str, list[Gain]], costs: dict[str, Cost]) -> list[Claim]:
    """The paper's findings."""
    made = []
    for model, row in gains.items():
        above = [days for days, (mean, error, _) in zip(DECAYS, row, strict=True) if mean > 2.0 * error]
        best = max(row)
        where = f"from {min(above):g} to {max(above):g} days" if above else "nowhere"
        numbers = f"by two errors at {len(above)} of {len(DECAYS)}, {where}, at best by {best.mean:.2f} nats"
        made.append(Claim(f"{model} predicts better than CRP over a range of decays", numbers, len(above) > 1))
    return made + cost_claims(costs)


def cost_claims(costs: dict[str, Cost]) -> list[Claim]:
    """Of placing, which weighs what is earlier as the paper does. Linear is an exponent of at most 1.3, quadratic one
    of at least 1.6."""
    grows = {model: exponent("placing", cost) for model, cost in costs.items()}
    averaged = [value for model, value in grows.items() if model.startswith("ADDCRP")]
    numbers = ", ".join(f"{value:.2f}" for value in averaged)
    return [
        Claim("placing: ddCRP is quadratic", f"exponent {grows['ddCRP']:.2f}", grows["ddCRP"] >= 1.6),
        Claim("placing: ADDCRP is linear", f"exponents {numbers}", max(averaged) <= 1.3),
    ]


def draw_figure(gains: dict[str, list[Gain]], costs: dict[str, Cost], out: Path) -> None:
    """Held-out likelihood over the decay, and time over documents."""
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
        left.axhline(0.0, linestyle="--", color=COLORS["CRP"], label="CRP")
        for model, row in gains.items():
            means, errors = [each.mean for each in row], [each.error for each in row]
            left.errorbar(DECAYS, means, errors, fmt="o-", color=COLORS[model], label=model)
        left.set(title="Held-out likelihood over CRP's", xlabel="a, days", ylabel="nats a document", xscale="log")
        left.legend(frameon=False, fontsize=7)
        for model, cost in costs.items():
            right.loglog(SIZES["placing"], cost["placing"], "o-", color=COLORS[model], label=model)
            right.loglog(SIZES["sweep"], cost["sweep"], ":", color=COLORS[model])
        right.set(title="Cost: placing (dotted: an exact sweep)", xlabel="documents", ylabel="seconds")
        right.legend(frameon=False, fontsize=7)
        save(figure, out)


def main() -> int:
    """Run both experiments; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with email_rdevel_2010.jsonl.gz")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draws (default 1)")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/ddcrp.png"), help="where the figure goes")
    options = parser.parse_args()
    mail = read_mail(options.data)
    costs = {}
    for model, prior in TIMED.items():
        costs[model] = cost_of(prior)
        print(f"{model}: {costs[model]}", file=sys.stderr, flush=True)
    for name in SIZES:
        print(cost_table(name, costs), end="\n\n", flush=True)
    plain = held_out(mail, "CRP", 1.0, options.seed)
    gains = {}
    for model in MODELS[1:]:
        gains[model] = [gain(held_out(mail, model, days, options.seed), plain) for days in DECAYS]
        print(f"{model}: {gains[model]} nats", file=sys.stderr, flush=True)
    print(held_out_table(float(plain.mean()), gains), end="\n\n")
    checked = claims(gains, costs)
    for claim in checked:
        print(f"- {claim.text} ({claim.numbers}): {'holds' if claim.holds else 'does not hold'}")
    draw_figure(gains, costs, options.out)
    return 0 if all(claim.holds for claim in checked) else 1


if __name__ == "__main__":
    sys.exit(main())
