"""DPChain paper, section 6.2: newsgroups and news over five epochs.

    ./run --group bench python -m benchmarks.papers.dpchain_news FOLDER --repeats 3 --seed 1

FOLDER holds news20_10groups.jsonl.gz (ten newsgroups; 20 documents of each in every epoch, as in the paper) and
googlenews_ts_t.jsonl.gz (stories of titles and snippets, in place of the paper's lost collection: 5 or 6 stories a day,
10 documents of each, on every day two stories end). Prints a Markdown table each and a line per claim, draws a figure,
and exits with 1 if a claim does not hold. LDA, PCQ and PCM are told the number of groups.
"""

import argparse
import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from scipy import sparse

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
from benchmarks.papers.spectral import cosine_similarity
from benchmarks.papers.tdpm import Claim, save
from service.text import Fields, TextSettings, count_words

EPOCHS = 5
STORIES = (5, 6, 5, 6, 6)  # groups of each day in the paper's table 1
MASS = 0.2  # of each word in the symmetric base measure
RARE, COMMON = 3, 0.3  # words in fewer documents, or in a larger share of them, are left out
PRIORS = {"HDP-EVO": core.HDPEvo(1.0, 1.0, 0.1), "DPChain": core.DPChain(1.0, 0.5)}
PUBLISHED: dict[str, dict[str, str]] = {
    "20 Newsgroups": {"HDP-EVO": "above all", "DPChain": "above LDA, PCQ, PCM"},
    "news": {"HDP-EVO": "above all", "DPChain": "above LDA, PCQ, PCM"},
}


class Documents(NamedTuple):
    """Counts of words, sorted by epoch, with the true groups."""

    counts: Any
    times: Floats
    truth: Labels


def read(folder: Path, name: str) -> dict[str, list[str]]:
    """Texts by label."""
    path = folder / f"{name}.jsonl.gz"
    if not path.exists():
        sys.exit(f"{path} is missing: pass the folder that holds it")
    texts: dict[str, list[str]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            texts.setdefault(row["label"], []).append(f"{row.get('title') or ''} {row['text']}")
    return dict(sorted(texts.items()))


def documents(chosen: list[tuple[int, int, str]]) -> Documents:
    """From (epoch, group, text)."""
    chosen.sort(key=lambda row: row[0])
    bags = [count_words(Fields(None, text), TextSettings()) for _, _, text in chosen]
    spread = Counter(word for bag in bags for word in bag)
    kept = sorted(word for word, n in spread.items() if RARE <= n <= COMMON * len(bags))
    place = {word: i for i, word in enumerate(kept)}
    cells = [(i, place[word], n) for i, bag in enumerate(bags) for word, n in bag.items() if word in place]
    rows, columns, values = (np.array(part) for part in zip(*cells, strict=True))
    counts = sparse.csr_array((values, (rows, columns)), shape=(len(bags), len(kept)))
    return Documents(counts, np.array([float(row[0]) for row in chosen]), np.array([row[1] for row in chosen]))


def newsgroups(texts: dict[str, list[str]], rng: np.random.Generator) -> Documents:
    """A hundred documents of each group, twenty for each epoch."""
    chosen = []
    for group, own in enumerate(texts.values()):
        drawn = rng.choice(len(own), 20 * EPOCHS, replace=False)
        chosen += [(place // 20, group, own[i]) for place, i in enumerate(drawn)]
    return documents(chosen)


def news(texts: dict[str, list[str]], rng: np.random.Generator) -> Documents:
    """Stories that last some days: on each day but the first the two oldest give way to new ones."""
    large = [own for own in texts.values() if len(own) >= 10 * EPOCHS]
    stories = [large[i] for i in rng.permutation(len(large))]
    unused = [list(rng.permutation(len(own))) for own in stories]
    chosen = []
    first, end = 0, 0
    for epoch, count in enumerate(STORIES):
        first += 2 if epoch else 0
        end = first + count
        for group in range(first, end):
            chosen += [(epoch, group, stories[group][unused[group].pop()]) for _ in range(10)]
    return documents(chosen)


def lda_labels(data: Documents, groups: dict[float, int], seed: int) -> Labels:
    """The main topic of each document, epochs by themselves, as many topics as groups."""
    found = np.empty(len(data.truth), np.int64)
    for epoch, count in groups.items():
        here = data.times == epoch
        topics = core.lda(data.counts[here], topics=count, sweeps=200, chains=1, seed=seed, alpha=0.1)
        found[here] = topics.shares.argmax(axis=1)
    return found


def run_trial(data: Documents, seed: int) -> dict[str, Score]:
    """All methods on one data set."""
    likelihood = core.DirichletMultinomial(MASS * data.counts.shape[1])
    found = {
        name: posterior_draws(prior, likelihood, data.counts, data.times, rounds=20, sweeps=2, seed=seed)
        for name, prior in PRIORS.items()
    }
    groups = {float(e): len(np.unique(data.truth[data.times == e])) for e in np.unique(data.times)}
    found["LDA"] = [lda_labels(data, groups, seed)]
    rarity = np.log(data.counts.shape[0] / np.maximum((data.counts > 0).sum(axis=0), 1))
    rows = data.counts.toarray() * rarity
    found |= spectral_labels(rows, data.times, round(np.mean(list(groups.values()))), cosine_similarity, seed)
    return {name: score(data.truth, data.times, draws) for name, draws in found.items()}


def claims(name: str, results: dict[str, list[Score]]) -> list[Claim]:
    """The paper's findings."""
    others = max(mean_nmi(results, other) for other in ("LDA", "PCQ", "PCM"))
    evo, chain = mean_nmi(results, "HDP-EVO"), mean_nmi(results, "DPChain")
    return [
        Claim(f"{name}: HDP-EVO above PCQ, PCM and LDA", f"{evo:.3f} against at most {others:.3f}", evo > others),
        Claim(f"{name}: DPChain above PCQ, PCM and LDA", f"{chain:.3f} against at most {others:.3f}", chain > others),
        Claim(f"{name}: HDP-EVO above DPChain", f"{evo:.3f} against {chain:.3f}", evo > chain),
    ]


def draw_figure(found: dict[str, dict[str, list[Score]]], out: Path) -> None:
    """A row for each collection: NMI and number of groups by epoch."""
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, grid = plt.subplots(len(found), 2, figsize=(9, 6), layout="constrained")
        for axes, (name, results) in zip(grid, found.items(), strict=True):
            draw_by_epoch(axes[0], results, lambda s: s.nmi, f"{name}: NMI")
            draw_by_epoch(axes[1], {m: results[m] for m in PRIORS}, lambda s: s.groups, f"{name}: groups found")
            truth = [10.0] * EPOCHS if name == "20 Newsgroups" else list(STORIES)
            axes[1].plot(np.arange(1, EPOCHS + 1), truth, color="black", linestyle="--", label="truth")
            axes[0].legend(frameon=False, fontsize=8)
            axes[1].legend(frameon=False, fontsize=8)
        save(figure, out)


def main() -> int:
    """Run the experiment; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the collections are")
    parser.add_argument("--repeats", type=int, default=3, help="draws of documents, 2 or more (default 3)")
    parser.add_argument("--seed", type=int, default=1, help="seed of documents and draws (default 1)")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/dpchain_news.png"), help="where the figure goes")
    options = parser.parse_args()
    if options.repeats < 2:
        parser.error("--repeats must be 2 or more")
    found, checked = {}, []
    for name, file, make in (
        ("20 Newsgroups", "news20_10groups", newsgroups),
        ("news", "googlenews_ts_t", news),
    ):
        texts = read(options.folder, file)
        sets = [make(texts, np.random.default_rng([options.seed, r])) for r in range(options.repeats)]
        trials = [run_trial(data, options.seed + r) for r, data in enumerate(sets)]
        found[name] = {method: [trial[method] for trial in trials] for method in trials[0]}
        true = 10.0 if name == "20 Newsgroups" else float(np.mean(STORIES))
        print(f"{name}:\n\n{table(found[name], PUBLISHED[name], true)}\n", flush=True)
        checked += claims(name, found[name])
    for claim in checked:
        print(f"- {claim.text} ({claim.numbers}): {'holds' if claim.holds else 'does not hold'}")
    draw_figure(found, options.out)
    return 0 if all(claim.holds for claim in checked) else 1


if __name__ == "__main__":
    sys.exit(main())
