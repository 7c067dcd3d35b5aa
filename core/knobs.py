"""The knobs of a stream: its base measure follows the words in use, the others learn from the labels."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .index import entries
from .kernels import Exponential
from .likelihoods.dirichlet_multinomial import with_masses
from .likelihoods.left_out import left_out, log_left_out
from .priors.crp import CRP
from .priors.rcrp import RCRP
from .priors.tdpm import TDPM, TDPMState
from .samplers.evidence import Floats, Labels, tdpm_alpha_evidence, tdpm_evidence
from .samplers.learn import ALPHAS, RATES, blend, sample_alpha, step_prior
from .samplers.nearby import best_near

if TYPE_CHECKING:
    from .stream import Stream

SMOOTHING = 0.1  # threads that every word has in the base measure beside those that use it
UNSEEN = 1000  # words never seen that the base measure keeps mass for
ENOUGH = 64  # documents in the window; fewer tell nothing about the knobs
SAMPLE = 500  # documents that the strength is learned from at a time
STRENGTHS = (1.0, 1e6)  # words
STEP = 0.3  # of the way, on the log scale, that rate and decay go at a time
SLOW_STEP = 0.06  # alpha goes slower: finer threads move it to where threads become finer still
STRENGTH_STEP = 0.1  # and so does the strength
TRUST = 0.6  # in the documents against where the strength began, on the log scale


def frequencies(stream: "Stream") -> NDArray[np.int64]:
    """How many of the threads that are not forgotten use each word.

    The fixed point at which a base measure makes the threads' counts likeliest (Minka 2000, eq. 55) counts a word about
    once a thread while its mass is small. Occurrences would count a word that one large thread repeats as common
    everywhere, and so as no sign of that thread.
    """
    extent = stream.vocabulary.extent
    return stream.labelling.likelihood.postings.length[:extent].copy()


def refresh(stream: "Stream") -> None:
    """Let the base measure follow the words of the threads."""
    if not stream.words or stream.likelihood.base is not None:
        return
    vocabulary, used = stream.vocabulary, frequencies(stream)
    vocabulary.mark(used)
    rebase(stream, used, len(vocabulary), stream.likelihood.strength)


def rebase(stream: "Stream", used: NDArray[np.int64], size: int, strength: float) -> None:
    """Make the base measure from frequencies, of so many words, and a strength."""
    state = stream.labelling.likelihood
    share = strength / (used.sum() + SMOOTHING * (size + UNSEEN))
    stream.unit_mass = share * SMOOTHING
    mass = np.full(len(state.mass), stream.unit_mass)
    mass[: len(used)] = share * (used + SMOOTHING)
    stream.labelling.likelihood = with_masses(state, mass, strength)


def learn_knobs(stream: "Stream") -> None:
    """One step of one knob towards what is best for the labels as they are; they take turns, pass by pass."""
    if stream.documents.count - int(stream.cursor[0]) < ENOUGH:
        return
    stream.passes += 1
    turn = stream.passes % 3
    if turn == 1 and stream.words and stream.likelihood.base is None and "strength" not in stream.fixed:
        wanted = blend(stream.first_strength, _best_strength(stream), TRUST)
        strength = blend(stream.likelihood.strength, wanted, STRENGTH_STEP)
        stream.likelihood = replace(stream.likelihood, strength=strength)
    prior = _learned_alpha(stream) if turn == 2 else _learned_rate(stream) if turn == 0 else stream.prior
    if prior != stream.prior:
        stream.prior = prior
        stream.labelling.prior = prior.moved(stream.labelling.prior, stream.labelling.items, int(stream.cursor[0]))


def _best_strength(stream: "Stream") -> float:
    """The strength under which the documents of the window are likeliest, each given the rest of its thread.

    The likelihood of all counts at once would answer too low: it is highest for threads cut too small, which then make
    it lower still. Left out one at a time, documents say how far a thread's words can be trusted for the next one.
    Threads that mix two matters still raise it, which mixes them more, and so it is not followed all the way.
    """
    lab = stream.labelling
    window = np.arange(int(stream.cursor[0]), stream.documents.count)
    some = window[:: -(-len(window) // SAMPLE)]
    terms = left_out(lab.likelihood, lab.items, lab.labels, some)
    return best_near(stream.likelihood.strength, STRENGTHS, lambda strength: log_left_out(terms, strength))


def _learned_alpha(stream: "Stream") -> Any:
    """The prior with alpha, and RCRP's decay, moved towards the best for the labels."""
    prior = stream.prior
    if isinstance(prior, CRP) and "alpha" not in stream.fixed:
        slots = stream.labelling.slots
        drawn = sample_alpha(prior.alpha, int(slots.marks[2]), int(slots.size.sum()), stream.rng)
        return CRP(blend(prior.alpha, drawn, SLOW_STEP))
    if isinstance(prior, TDPM) and isinstance(prior.kernel, Exponential) and "alpha" not in stream.fixed:
        labels, times, settled = _labels_and_times(stream)
        best = best_near(prior.alpha, ALPHAS, tdpm_alpha_evidence(labels, times, prior.kernel.rate, settled))
        return TDPM(blend(prior.alpha, best, SLOW_STEP), prior.kernel)
    if isinstance(prior, RCRP):
        epochs = stream.labelling.prior.epochs
        where, slot = entries(epochs)
        counts = epochs.counts[where]
        labels = np.unique(np.repeat(slot, counts), return_inverse=True)[1]
        return step_prior(prior, [labels], np.repeat(epochs.ids[where], counts), stream.fixed, stream.rng, STEP)
    return prior


def _learned_rate(stream: "Stream") -> Any:
    """The prior with the rate of an exponential kernel moved towards the best for the labels."""
    prior = stream.prior
    if not isinstance(prior, TDPM) or not isinstance(prior.kernel, Exponential) or "rate" in stream.fixed:
        return prior
    labels, times, settled = _labels_and_times(stream)
    best = best_near(
        prior.kernel.rate, RATES, lambda rate: tdpm_evidence(labels, times, prior.alpha, rate, settled).value
    )
    return TDPM(prior.alpha, Exponential(blend(prior.kernel.rate, best, STEP)))


def _labels_and_times(stream: "Stream") -> tuple[Labels, Floats, Floats]:
    """Of the settled documents that stand for a weight, then of the window; and the weights of the settled ones."""
    cursor, members = int(stream.cursor[0]), stream.labelling.prior.members
    where = entries(members)[0]
    settled = where[members.ids[where] < cursor]
    settled = settled[np.argsort(members.ids[settled])]
    held = np.concatenate([members.ids[settled], np.arange(cursor, stream.documents.count)])
    return stream.documents["labels"][held], stream.documents["times"][held], members.values[settled]


def named_documents(prior: TDPMState) -> NDArray[np.int64]:
    """Numbers of the documents in the prior's lists."""
    return prior.members.ids[entries(prior.members)[0]]
