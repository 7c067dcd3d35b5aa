"""What a windowed stream says of documents and threads, by `core.predictive`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp, softmax

from .answers import Prediction
from .intake import Document
from .items import NONE
from .likelihoods.dirichlet_multinomial import DirichletMultinomial
from .memory import Kept, View
from .overview import TOP_WORDS, ThreadInfo
from .placement import Ranked, new_ranking
from .predictive import predictive
from .priors.crp import CRP
from .samplers.chains import smooth
from .samplers.place import RANKS
from .window_knobs import by_epoch, epochal, with_base

if TYPE_CHECKING:
    from .windowed import Windowed

Floats = NDArray[np.float64]
IMPOSSIBLE = -745.0  # nats; a document may hold a thread together that without it would be dead


class Chances(NamedTuple):
    """Threads that a document may join by name, NONE for a new one last, with log prior weights and likelihoods."""

    names: list[int]
    prior: Floats
    likelihood: Floats
    view: View  # the document is its last row

    @property
    def probability(self) -> Floats:
        """Of each."""
        score = self.prior + self.likelihood
        return np.asarray(np.exp(score - logsumexp(score)))


def chances(stream: "Windowed", others: Sequence[Kept], document: Kept) -> Chances:
    """Where a document would go if it came after the others."""
    last = others[-1].time if others else document.time
    view = stream.memory.view([*others, document._replace(time=max(document.time, last))])
    labels = stream.possible(view.threads[:-1], view.times[:-1])
    prior = stream.prior if others else CRP(stream.prior.alpha)  # the first document has no choice in any model
    found = predictive(prior, with_base(stream.likelihood, view.base), view.data, view.times, labels)
    name_of = dict(zip(labels.tolist(), view.threads[:-1].tolist(), strict=True))
    return Chances(
        [name_of.get(label, NONE) for label in found.labels.tolist()], found.log_prior, found.log_likelihood, view
    )


def mirrored(kept: Sequence[Kept], document: Kept) -> list[Kept]:
    """All others, those after the document as long before it."""
    others = (one._replace(time=document.time - abs(one.time - document.time)) for one in kept if one is not document)
    return sorted(others, key=lambda one: one.place)


def rank(stream: "Windowed", others: Sequence[Kept], document: Kept, *, late: bool) -> Ranked:
    """The best threads of a document, its own first if it has one, with what speaks for each against a new one."""
    found = chances(stream, others, document)
    probability, new = found.probability, len(found.names) - 1
    order = np.argsort(-probability, kind="stable").tolist()
    if document.thread != NONE:
        own = found.names.index(document.thread) if document.thread in found.names else new
        order = [own, *(c for c in order if c != own)]
    ranking = new_ranking(1, len(document.words))
    for r, c in enumerate(order[:RANKS]):
        ranking.names[0, r], ranking.probability[0, r] = found.names[c], probability[c]
        if c != new:
            ranking.prior[0, r] = max(found.prior[c] - found.prior[new], IMPOSSIBLE)
            gains = _gains(stream, found.view, found.names[c])
            ranking.gains[: len(document.words), r] = gains
            ranking.length[0, r] = found.likelihood[c] - found.likelihood[new] - gains.sum()
    if document.thread != NONE:
        ranking.names[0, 0] = document.thread
    ranking.is_new[0] = document.thread == NONE and order[0] == new
    starts = np.array([0, len(document.words)])
    return Ranked([document.id], ranking, document.words, starts, np.array([late]), np.array([document.sequence]))


def _gains(stream: "Windowed", view: View, thread: int) -> Floats:
    """What each word of the last document adds in a thread against a new one. What the words do not explain alone, such
    as all that vectors and evolving words say, is left to the length."""
    if view.base is None or not isinstance(stream.likelihood, DirichletMultinomial):
        return np.zeros(view.data.indptr[-1] - view.data.indptr[-2] if view.base is not None else 0)
    members = view.threads[:-1] == thread
    if by_epoch(stream.prior):
        members &= view.times[:-1] == view.times[-1]
    counts = np.asarray(view.data[:-1][members].sum(axis=0)).ravel()
    here = slice(view.data.indptr[-2], view.data.indptr[-1])
    words, own = view.data.indices[here], view.data.data[here]
    mass = stream.likelihood.strength * view.base[words]
    there = counts[words] + mass
    return np.asarray(gammaln(own + there) - gammaln(there) - gammaln(own + mass) + gammaln(mass))


def join_ranked(every: Sequence[Ranked]) -> Ranked:
    """Rows of several as one."""
    words = [ranked.words for ranked in every]
    ranking = new_ranking(len(every), sum(map(len, words)))
    starts = np.cumsum([0, *map(len, words)])
    for row, ranked in enumerate(every):
        for whole, part in zip(ranking, ranked.ranking, strict=True):
            if whole is not ranking.gains:
                whole[row] = part[0]
        ranking.gains[starts[row] : starts[row + 1]] = ranked.ranking.gains[: len(ranked.words)]
    ids = [name for ranked in every for name in ranked.documents]
    sequence = np.array([ranked.sequence[0] for ranked in every], np.int64)
    joined = np.concatenate([np.zeros(0, np.int64), *words])
    return Ranked(ids, ranking, joined, starts, np.zeros(len(every), bool), sequence)


def predict_one(stream: "Windowed", document: Document) -> Prediction:
    """See `Windowed.predict`."""
    time = max(document.time, float(stream.clock[0]))
    asked = stream.memory.number(Kept(time, stream.sequence, document.id, document.content, NONE))
    found = chances(stream, stream.memory.kept, asked)
    stream.memory.forget_words()
    probability: dict[int, float] = {}
    for name, chance in zip(found.names, found.probability.tolist(), strict=True):
        if chance > 0.0:
            probability[name] = probability.get(name, 0.0) + chance
    new = probability.pop(NONE, 0.0)
    tokens = max(int(asked.counts.sum()), 1)
    log_p = float(logsumexp(found.prior + found.likelihood) - logsumexp(found.prior)) / tokens
    return Prediction(probability, new, log_p)


def weigh(stream: "Windowed") -> dict[int, float]:
    """What each thread in memory weighs now, in documents: against alpha, as a document without content finds it."""
    if not stream.memory.kept:
        return {}
    content: Any = {} if stream.words else np.zeros(stream.dimensions)
    now = max(float(stream.clock[0]), stream.memory.kept[-1].time)
    empty = Kept(float(np.floor(now)) if epochal(stream.prior) else now, stream.sequence, "", content, NONE)
    found = chances(stream, stream.memory.kept, empty)
    weights = stream.prior.alpha * np.exp(found.prior - found.prior[-1])
    return dict(zip(found.names[:-1], weights[:-1].tolist(), strict=True))


def describe_threads(stream: "Windowed") -> list[ThreadInfo]:
    """See `Windowed.threads`."""
    weights, view = weigh(stream), stream.memory.view(stream.memory.kept)
    found = []
    for thread, row in stream.survey().items():
        if thread in stream.dead:
            continue
        members = np.flatnonzero(view.threads == thread)
        lift = _relevance(view, members)
        found.append(
            ThreadInfo(
                thread,
                row.size,
                row.window_size,
                weights.get(thread, 0.0),
                row.birth,
                row.last,
                _top_words(view, lift),
                _representative(stream, view, members, lift),
            )
        )
    return sorted(found, key=lambda info: (-info.weight, info.thread))


def word_paths(stream: "Windowed") -> dict[int, list[tuple[float, list[Any]]]]:
    """See `Windowed.paths`: by the smoothed natural parameters of each thread."""
    view = stream.memory.view(stream.memory.kept)
    if not stream.memory.kept or view.base is None:
        return {}
    found = {}
    for thread, path in smooth(with_base(stream.likelihood, view.base), view.data, view.times, view.threads).items():
        share = softmax(path.mean, axis=1)
        relevance = share * np.log(np.maximum(share / view.base, 1e-300))
        rows = zip(path.times.tolist(), relevance[:, :-1], strict=True)
        found[thread] = [(time, _top_words(view, row)) for time, row in rows]
    return found


def _relevance(view: View, members: NDArray[np.int64]) -> Floats:
    """How much more often than by the base measure a thread has each word, in nats times how often."""
    if view.base is None:
        return np.zeros(0)
    counts = np.asarray(view.data[members].sum(axis=0)).ravel()
    lift = counts / max(counts.sum(), 1) / view.base
    return np.asarray(counts * np.log(np.maximum(lift, 1e-300)))


def _top_words(view: View, relevance: Floats) -> list[Any]:
    best = np.lexsort((np.arange(len(relevance)), -relevance))[:TOP_WORDS]
    return [view.words[w] for w in best if relevance[w] > 0]


def _representative(stream: "Windowed", view: View, members: NDArray[np.int64], relevance: Floats) -> str | None:
    """The window document of a thread with the most relevant words, or nearest to its centre; of equals the newest."""
    window = members[members >= stream.memory.context]
    if len(window) == 0:
        return None
    if view.base is None:
        score = -np.square(view.data[window] - view.data[members].mean(axis=0)).sum(axis=1)
    else:
        rows = view.data[window]
        score = rows @ relevance / np.maximum(np.asarray(rows.sum(axis=1)).ravel(), 1)
    return stream.memory.kept[int(window[len(window) - 1 - int(np.argmax(score[::-1]))])].id
