"""How fast texts become words: documents a second on one core, against CountVectorizer with a stemmer of nltk.

    python -m benchmarks.text [FOLDER] [--documents 4000]

Documents of 100 words are cut from the mail of FOLDER, or drawn from words that are made up. Times are processor time,
the best of three rounds after one that fills what is remembered. The command fails if the limit is missed: 5,000
documents a second, or three times the peer, whichever is more.
"""

import argparse
import gzip
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from nltk.stem import SnowballStemmer
from sklearn.feature_extraction.text import CountVectorizer

from service.text import Fields, TextSettings, count_words

WORDS = 100  # of a document
ROUNDS = 3
LEAST = 5_000.0  # documents a second
TIMES = 3.0  # the peer
MAIL = "email_rdevel_2010.jsonl.gz"
SYLLABLES = ("ba", "den", "for", "ing", "ko", "lis", "mer", "no", "pra", "ru", "sti", "tion")


def texts_of(folder: Path | None, documents: int) -> list[str]:
    """Documents of 100 words, lines and all."""
    if folder is not None and (folder / MAIL).is_file():
        with gzip.open(folder / MAIL, "rt", encoding="utf-8") as lines:
            words = " ".join(json.loads(line)["text"] for line in lines).split(" ")
        cut = [" ".join(words[i : i + WORDS]) for i in range(0, len(words) - WORDS, WORDS)]
        return cut[:documents]
    rng = np.random.default_rng(1)
    vocabulary = ["".join(rng.choice(SYLLABLES, rng.integers(1, 4))) for _ in range(7_000)]
    chosen = np.minimum(rng.zipf(1.3, (documents, WORDS)), len(vocabulary)) - 1
    return [" ".join(vocabulary[word] for word in row) for row in chosen]


def rate(texts: list[str], work: Callable[[list[str]], object]) -> float:
    """Documents a second of processor time, at best."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        work(texts)
        best = min(best, time.process_time() - started)
    return len(texts) / best


def ours(form: str) -> Callable[[list[str]], object]:
    settings = TextSettings.read({"format": form})
    return lambda texts: [count_words(Fields(None, text), settings) for text in texts]


def peer(texts: list[str]) -> object:
    stemmer = SnowballStemmer("english")
    words = CountVectorizer(stop_words="english").build_analyzer()
    return CountVectorizer(analyzer=lambda text: [stemmer.stem(word) for word in words(text)]).fit_transform(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--documents", type=int, default=4_000)
    arguments = parser.parse_args()
    texts = texts_of(arguments.folder, arguments.documents)
    ours("mail")(texts)
    found = {form: rate(texts, ours(form)) for form in ("mail", "news", "auto", "plain")}
    theirs = rate(texts[: len(texts) // 8], peer)
    needed = max(LEAST, TIMES * theirs)
    for form, speed in found.items():
        print(f"{form}: {speed:,.0f} documents/s, {speed / theirs:.1f} times the peer")
    print(f"peer: {theirs:,.0f} documents/s; needed: {needed:,.0f}")
    slow = [form for form, speed in found.items() if speed < needed]
    if slow:
        sys.exit(f"limit missed: {', '.join(slow)}")


if __name__ == "__main__":
    main()
