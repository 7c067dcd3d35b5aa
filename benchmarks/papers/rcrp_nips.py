"""RCRP paper, section 7: births, deaths and keywords of the topics of NIPS 1987-1999.

    ./run --group bench python -m benchmarks.papers.rcrp_nips DATA --sweeps 30 --seed 1 --out docs/figures/rcrp_nips.png

DATA is a folder with nips12.jsonl.gz: one paper a line with `text` and `epoch` (0 … 12). As in the paper: the 2000 most
frequent words, one epoch a year, RCRP with α = 0.1, λ = 0.8, W = 1, logistic-normal chains, and a start from 7 groups
that span all years, here of k-means. Unlike it: a paper is SAMPLED of its words, drawn at random, and σ, ρ are smaller
(docs/papers.md says why). Keywords come from all words. Prints a table of the threads with keywords over the years and
a line per claim, draws a figure, and exits with 1 if a claim does not hold.
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
from core.samplers.gibbs import Run
from service.text.detection import USUAL
from service.text.shapes import LONGEST, runs_of
from service.text.stems import stems
from service.text.words import words_of

from .tdpm import Claim, save

VOCABULARY = 2000
GROUPS = 7
FIRST_YEAR, LAST_YEAR = 1987, 1999
SHORTEST = 3  # letters of a word; shorter ones are mostly formulas
SAMPLED = 50  # words of a paper that the sampler sees
SPREAD, DRIFT = 0.3, 0.02  # σ, and ρ a year
LEAST = 20  # papers of a thread that is shown
KEYWORDS = 6


class Papers(NamedTuple):
    """Counts (papers × words), epochs, and the words in their most frequent spelling."""

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
    spelling = spellings([r["text"] for r in records])
    return Papers(counts, np.array([float(r["epoch"]) for r in records]), [spelling[word] for word in words])


def spellings(texts: list[str]) -> dict[str, str]:
    """Stem -> its most frequent word."""
    known = stems(USUAL)
    seen = Counter(run for text in texts for run in runs_of(text.lower()) if len(run) <= LONGEST)
    return {stem: run for run, _ in reversed(seen.most_common()) for stem in known[run]}


def thinned(counts: sparse.csr_array[np.int64], seed: int) -> sparse.csr_array[np.int64]:
    """SAMPLED words of each paper, drawn without putting back."""
    rng = np.random.default_rng(seed)
    rows = [rng.multivariate_hypergeometric(row, min(SAMPLED, int(row.sum()))) for row in counts.toarray()]
    return sparse.csr_array(np.array(rows))


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
    likelihood = core.LogisticNormalChain(SPREAD, DRIFT, base)
    counts, init = thinned(papers.counts, seed), first_groups(papers, seed)
    run = Run(core.RCRP(0.1, 0.8, 1), likelihood, counts, papers.epochs, seed=seed, init=init)
    begin = time.process_time()
    for sweep in range(sweeps):
        run.sweep()
        if sweep == 0:
            begin = time.process_time()  # the first one compiles
        sizes = np.bincount(run.labels())
        print(f"sweep {sweep + 1}: {len(sizes)} threads, largest {sizes.max()}", file=sys.stderr, flush=True)
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
    likelihood = core.LogisticNormalChain(SPREAD, DRIFT, base)
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
    largest = max(topic.sizes.sum() for topic in topics_)
    papers = sum(topic.sizes.sum() for topic in topics_)
    return [
        Claim("no topic has more than a quarter of the papers", f"{largest} of {papers}", 4 * largest <= papers),
        Claim("topics are born after the first year", f"{born} of {len(topics_)}", born > 0),
        Claim("topics die before the last year", f"{died} of {len(topics_)}", died > 0),
        Claim(
            "topics of five years or more change keywords",
            f"{moved:.1f} of {KEYWORDS} from the first to the last year, {len(lasting)} topics",
            moved > 0,
        ),
    ]


def draw_figure(topics_: list[Topic], papers: NDArray[np.int64], out: Path) -> None:
    """Lives of the topics as bands as wide as their share of the year's papers, and the shares of the largest."""
    years = np.arange(FIRST_YEAR, LAST_YEAR + 1)
    with mpl.rc_context({"font.size": 8, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, (left, right) = plt.subplots(
            1, 2, figsize=(13, 0.27 * len(topics_) + 1.5), width_ratios=(3, 2), layout="constrained"
        )
        for row, topic in enumerate(topics_):
            lived = np.array(sorted(topic.keywords))
            half = 0.06 + 2.0 * (topic.sizes / papers)[lived - FIRST_YEAR]
            ends = np.concatenate([[lived[0] - 0.3], lived, [lived[-1] + 0.3]])
            wide = np.minimum(np.concatenate([half[:1], half, half[-1:]]), 0.5)
            left.fill_between(ends, row - wide, row + wide, color=f"C{row % 10}", linewidth=0)
            middle = topic.keywords[int(lived[len(lived) // 2])]
            left.text(LAST_YEAR + 0.7, row, " ".join(middle[:4]), va="center")
        left.set(title="Births and deaths", xlabel="year", xlim=(FIRST_YEAR - 1, LAST_YEAR + 7), yticks=[])
        left.set_xticks(years[::3])
        left.invert_yaxis()
        for row in np.argsort([-topic.sizes.sum() for topic in topics_])[:9]:
            named = topics_[row].keywords
            label = " ".join(named[sorted(named)[len(named) // 2]][:3])
            right.plot(years, topics_[row].sizes / papers, color=f"C{row % 10}", label=label)
        right.set(title="Share of the year's papers, largest topics", xlabel="year", ylim=(0, None))
        right.legend(frameon=False, fontsize=7)
        save(figure, out)


def main() -> int:
    """Run the experiment; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with nips12.jsonl.gz")
    parser.add_argument("--sweeps", type=int, default=30, help="Gibbs sweeps (default 30)")
    parser.add_argument("--seed", type=int, default=1, help="seed (default 1)")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/rcrp_nips.png"), help="where the figure goes")
    options: Any = parser.parse_args()
    papers = read_papers(options.data)
    totals = np.asarray(papers.counts.sum(axis=0), dtype=np.float64).ravel()
    base = totals / totals.sum()
    labels, seconds = sampled(papers, base, options.sweeps, options.seed)
    found = topics(papers, labels, base)
    alive = np.mean([len(np.unique(labels[papers.epochs == epoch])) for epoch in np.unique(papers.epochs)])
    print(
        f"{labels.max() + 1} threads, {alive:.0f} in a year, {len(found)} of {LEAST} papers or more, with "
        f"{sum(topic.sizes.sum() for topic in found)} of {len(labels)} papers; {seconds:.1f} s a sweep.",
        end="\n\n",
    )
    print("| years | papers | keywords |\n| --- | --- | --- |")
    print("\n".join(topic_row(topic) for topic in found), end="\n\n")
    checked = claims(found)
    for claim in checked:
        print(f"- {claim.text} ({claim.numbers}): {'holds' if claim.holds else 'does not hold'}")
    draw_figure(found, np.bincount(papers.epochs.astype(np.int64)), options.out)
    return 0 if all(claim.holds for claim in checked) else 1


if __name__ == "__main__":
    sys.exit(main())
