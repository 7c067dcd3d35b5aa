"""Topics of a span of documents, with how coherent each is and whether a word that is not its own can be told."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core
from core.metrics import intrusion_found, npmi_coherence

from .evaluation import Corpus

TOP_WORDS = 10
LEAST_SHARE = 0.05  # of a document that a topic must have to be named
DECIMALS = 4


def find_topics(
    corpus: Corpus,
    ids: Sequence[str],
    *,
    topics: int,
    sweeps: int,
    chains: int,
    seed: int,
    progress: Callable[[float], None],
) -> dict[str, Any]:
    """The result of a topics task, ready for JSON."""
    if len(corpus.words) <= TOP_WORDS:
        raise core.ArgumentError("documents", f"have {len(corpus.words)} words", "ask for a longer span")
    found = core.lda(
        corpus.data,
        topics=topics,
        sweeps=sweeps,
        chains=chains,
        seed=seed,
        progress=lambda done: progress(done / sweeps),
    )
    tokens = corpus.lengths
    weight = tokens @ found.shares / max(int(tokens.sum()), 1)
    order = np.argsort(-weight, kind="stable")
    return {
        "kind": "topics",
        "from": int(corpus.moments[0]),
        "to": int(corpus.moments[-1]),
        "documents": len(ids),
        "topics": [_topic(corpus, found.words, int(k), n, float(weight[k])) for n, k in enumerate(order)],
        "shares": _shares(ids, found.shares[:, order]),
        "alpha": float(np.mean(found.alpha)),
        "eta": float(np.mean(found.eta)),
        "log_likelihood": float(found.log_likelihood[:, -1].max()),
        "converged": bool(found.converged),
    }


def examples(corpus: Corpus, result: dict[str, Any]) -> dict[str, int]:
    """For each word that the topics show, the place of a document that has it."""
    number = {word: n for n, word in enumerate(corpus.words)}
    shown = {row["word"] for topic in result["topics"] for row in topic["words"]}
    shown |= {topic["intruder"] for topic in result["topics"]}
    columns = corpus.data.tocsc()
    return {word: int(columns.indices[columns.indptr[number[word]]]) for word in shown}


def spell(result: dict[str, Any], spelling: Mapping[str, str]) -> None:
    """Write the topics' words as people do."""
    for topic in result["topics"]:
        topic["intruder"] = spelling[topic["intruder"]]
        for row in topic["words"]:
            row["word"] = spelling[row["word"]]


def _topic(corpus: Corpus, words: NDArray[np.float64], k: int, number: int, share: float) -> dict[str, Any]:
    top = np.argsort(-words[k], kind="stable")[:TOP_WORDS]
    stranger = _intruder(words, k, top)
    return {
        "topic": number,
        "share": round(share, DECIMALS),
        "words": [{"word": corpus.words[w], "probability": float(words[k, w])} for w in top],
        "coherence": npmi_coherence(top, corpus.data),
        "intruder": corpus.words[stranger],
        "intruder_found": intrusion_found(top, stranger, corpus.data),
    }


def _intruder(words: NDArray[np.float64], k: int, top: NDArray[np.int64]) -> int:
    """The word likeliest in another topic among the half that is least likely in this one (Chang et al. 2009)."""
    elsewhere = np.delete(words, k, axis=0).max(axis=0)
    unlikely = words[k] <= np.median(words[k])
    unlikely[top] = False
    return int(np.argmax(np.where(unlikely, elsewhere, -1.0)))


def _shares(ids: Sequence[str], shares: NDArray[np.float64]) -> list[dict[str, Any]]:
    rows = []
    for name, row in zip(ids, shares, strict=True):
        named = [k for k in np.argsort(-row, kind="stable").tolist() if row[k] >= LEAST_SHARE]
        rows.append({"document_id": name, "topics": [{"topic": k, "share": round(row[k], DECIMALS)} for k in named]})
    return rows
