"""RCRP paper, section 7: births, deaths and keywords of the topics of NIPS 1987-1999.

    ./run --group bench python -m benchmarks.papers.rcrp_nips DATA --sweeps 20 --seed 1 --out docs/figures/rcrp_nips.png

DATA is a folder with nips12.jsonl.gz: one paper a line with `text` and `epoch` (0 … 12). As in the paper: the 2000 most
frequent words, one epoch a year, RCRP with α = 0.1, λ = 0.8, W = 1, logistic-normal chains with σ = 10 and ρ = 0.1, and
a start from 7 groups that span all years, here of k-means. Prints a table of the threads with keywords over the years
and a line per claim, draws a figure, and exits with 1 if a claim does not hold.
"""

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import NDArray
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfTransformer

import core
from core.metrics import lifespans
from core.samplers.gibbs import Run
from service.text.words import words_of

from .tdpm import Claim, save

VOCABULARY = 2000
GROUPS = 7
FIRST_YEAR, LAST_YEAR = 1987, 1999
SHORTEST = 3  # letters of a word; shorter ones are mostly formulas
LEAST = 8  # papers of a thread that is shown
KEYWORDS = 6


class Papers(NamedTuple):
    """Counts (papers × words), epochs, and the words."""

    counts: sparse.csr_array[np.int64]
    epochs: NDArray[np.float64]
    words: list[str]


def read_papers(folder: Path) -> Papers:
    """The collection, with its most frequent words."""
    path = folder / "nips12.jsonl.gz"
    if not path.exists():
        sys.exit(f"{path} is missing: pass the folder that holds it")
    with gzip.open(path, "rt") as lines:
        records = [json.loads(line) for line in lines]
    bags = [Counter(w for w in words_of(r["text"]) if w.isalpha() and len(w) >= SHORTEST) for r in records]
    total: Counter[str] = Counter()
    for bag in bags:
        total.update(bag)
    words = [word for word, _ in total.most_common(VOCABULARY)]
    column = {word: w for w, word in enumerate(words)}
    rows = [(i, column[word], count) for i, bag in enumerate(bags) for word, count in bag.items() if word in column]
    i, w, count = np.array(rows).T
    counts = sparse.csr_array((count, (i, w)), shape=(len(bags), VOCABULARY))
    return Papers(counts, np.array([float(r["epoch"]) for r in records]), words)


def first_groups(papers: Papers, seed: int) -> NDArray[np.int64]:
    """A global clustering to start from."""
    rows = TfidfTransformer(sublinear_tf=True).fit_transform(sparse.csr_matrix(papers.counts))
    groups = np.asarray(KMeans(GROUPS, n_init=3, random_state=seed).fit_predict(rows))
    return split_at_gaps(groups.astype(np.int64), papers.epochs)


def split_at_gaps(groups: NDArray[np.int64], epochs: NDArray[np.float64]) -> NDArray[np.int64]:
    """A group that skips a year becomes two: with W = 1 it would be dead in between."""
    labels = np.empty_like(groups)
    used = 0
    for group in np.unique(groups):
        years = np.unique(epochs[groups == group])
        part = np.cumsum(np.diff(years, prepend=years[0]) > 1)
        labels[groups == group] = used + part[np.searchsorted(years, epochs[groups == group])]
        used += int(part[-1]) + 1
    return labels


def sampled(papers: Papers, base: NDArray[np.float64], sweeps: int, seed: int) -> tuple[NDArray[np.int64], float]:
    """Labels after so many sweeps, and seconds of processor time a sweep."""
    likelihood = core.LogisticNormalChain(10.0, 0.1, base)
    init = first_groups(papers, seed)
    run = Run(core.RCRP(0.1, 0.8, 1), likelihood, papers.counts, papers.epochs, seed=seed, init=init)
    begin = time.process_time()
    for sweep in range(sweeps):
        run.sweep()
        if sweep == 0:
            begin = time.process_time()  # the first one compiles
        print(f"sweep {sweep + 1}: {len(np.unique(run.labels()))} threads", file=sys.stderr, flush=True)
    return run.labels(), (time.process_time() - begin) / max(sweeps - 1, 1)


def keywords(shares: NDArray[np.float64], base: NDArray[np.float64], words: list[str]) -> list[str]:
    """The words that add most to telling these shares from the base measure."""
    gain = shares * np.log(shares / base)
    return [words[w] for w in np.argsort(gain)[::-1][:KEYWORDS]]


class Topic(NamedTuple):
    """A thread: papers by epoch, and keywords by year."""

    sizes: NDArray[np.int64]
    keywords: dict[int, list[str]]


def topics(papers: Papers, labels: NDArray[np.int64], base: NDArray[np.float64]) -> list[Topic]:
    """Threads of some size by birth, with smoothed keywords."""
    likelihood = core.LogisticNormalChain(10.0, 0.1, base)
    found = []
    for label, path in core.smooth(likelihood, papers.counts, papers.epochs, labels).items():
        sizes = np.bincount(papers.epochs[labels == label].astype(np.int64), minlength=LAST_YEAR - FIRST_YEAR + 1)
        if sizes.sum() >= LEAST:
            shares = np.exp(path.mean)
            shares /= shares.sum(axis=1, keepdims=True)
            named = {
                FIRST_YEAR + int(t): keywords(row, base, papers.words)
                for t, row in zip(path.times, shares, strict=True)
            }
            found.append(Topic(sizes, named))
    return sorted(found, key=lambda topic: (min(topic.keywords), -topic.sizes.sum()))


def topic_row(topic: Topic) -> str:
    """Years, papers, and keywords at the first, middle and last year."""
    years = sorted(topic.keywords)
    shown = dict.fromkeys((years[0], years[len(years) // 2], years[-1]))
    cells = " → ".join(f"{year}: {' '.join(topic.keywords[year])}" for year in shown)
    return f"| {years[0]}-{years[-1]} | {topic.sizes.sum()} | {cells} |"


def claims(topics_: list[Topic]) -> list[Claim]:
    """Topics are born and die, and what lasts changes its words."""
    born = sum(min(topic.keywords) > FIRST_YEAR for topic in topics_)
    died = sum(max(topic.keywords) < LAST_YEAR for topic in topics_)
    lasting = [topic for topic in topics_ if len(topic.keywords) >= 5]
    ends = [(topic.keywords[min(topic.keywords)], topic.keywords[max(topic.keywords)]) for topic in lasting]
    moved = float(np.mean([len(set(first) - set(last)) for first, last in ends])) if ends else 0.0
    return [
        Claim("topics are born after the first year", f"{born} of {len(topics_)}", born > 0),
        Claim("topics die before the last year", f"{died} of {len(topics_)}", died > 0),
        Claim(
            "topics of five years or more change keywords",
            f"{moved:.1f} of {KEYWORDS} from the first to the last year, {len(lasting)} topics",
            moved > 0,
        ),
    ]


def draw_figure(topics_: list[Topic], out: Path) -> None:
    """Lives of the topics, named by their keywords, and shares of papers over the years."""
    years = np.arange(FIRST_YEAR, LAST_YEAR + 1)
    shares = np.array([topic.sizes for topic in topics_]) / np.sum([topic.sizes for topic in topics_], axis=0)
    with mpl.rc_context({"font.size": 8, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, (left, right) = plt.subplots(1, 2, figsize=(12, 0.22 * len(topics_) + 2.5), layout="constrained")
        for row, topic in enumerate(topics_):
            lived = sorted(topic.keywords)
            left.plot([lived[0] - 0.4, lived[-1] + 0.4], [row, row], linewidth=4, color=f"C{row % 10}")
            middle = topic.keywords[lived[len(lived) // 2]]
            left.text(LAST_YEAR + 0.7, row, " ".join(middle[:4]), va="center")
        left.set(title="Births and deaths", xlabel="year", xlim=(FIRST_YEAR - 1, LAST_YEAR + 8), yticks=[])
        left.invert_yaxis()
        for row in np.argsort(-shares.sum(axis=1))[:8]:
            named = topics_[row].keywords
            right.plot(
                years, shares[row], color=f"C{row % 10}", label=" ".join(named[sorted(named)[len(named) // 2]][:3])
            )
        right.set(title="Share of papers, largest topics", xlabel="year", ylim=(0, None))
        right.legend(frameon=False, fontsize=7)
        save(figure, out)


def main() -> int:
    """Run the experiment; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with nips12.jsonl.gz")
    parser.add_argument("--sweeps", type=int, default=20, help="Gibbs sweeps (default 20)")
    parser.add_argument("--seed", type=int, default=1, help="seed (default 1)")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/rcrp_nips.png"), help="where the figure goes")
    options: Any = parser.parse_args()
    papers = read_papers(options.data)
    totals = np.asarray(papers.counts.sum(axis=0), dtype=np.float64).ravel()
    base = totals / totals.sum()
    labels, seconds = sampled(papers, base, options.sweeps, options.seed)
    lives = lifespans(labels, papers.epochs)
    found = topics(papers, labels, base)
    print(f"{len(lives.label)} threads, {len(found)} of {LEAST} papers or more; {seconds:.1f} s a sweep.", end="\n\n")
    print("| years | papers | keywords |\n| --- | --- | --- |")
    print("\n".join(topic_row(topic) for topic in found), end="\n\n")
    checked = claims(found)
    for claim in checked:
        print(f"- {claim.text} ({claim.numbers}): {'holds' if claim.holds else 'does not hold'}")
    draw_figure(found, options.out)
    return 0 if all(claim.holds for claim in checked) else 1


if __name__ == "__main__":
    sys.exit(main())
