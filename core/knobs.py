"""The knobs of a stream: its base measure follows the words in use, the others learn from the labels."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from .index import entries
from .kernels import Exponential
from .likelihoods.dirichlet_multinomial import left_out_kernel, with_masses
from .priors.crp import CRP
from .priors.rcrp import RCRP
from .priors.tdpm import TDPM, TDPMState
from .samplers.evidence import tdpm_evidence
from .samplers.learn import blend, maximise, sample_alpha, step_prior

if TYPE_CHECKING:
    from .stream import Stream

SMOOTHING = 0.5  # occurrences that every word has in the base measure beside those in the window
UNSEEN = 1000  # words never seen that the base measure keeps mass for
ENOUGH = 64  # documents in the window; fewer tell nothing about the knobs
SAMPLE = 2000  # documents that the strength is learned from in a pass
REACH = 1.5  # nats; how far from where it stands the strength is looked for
STRENGTHS = (1.0, 1e6)  # words
LEAST_STEP = 0.1  # of the way, on the log scale, that knobs go after a pass


def refresh(stream: "Stream") -> None:
    """Let the base measure follow the words of the window."""
    if not stream.words or stream.likelihood.base is not None:
        return
    recent = stream.vocabulary.recent[: len(stream.vocabulary)]
    state = stream.labelling.likelihood
    share = stream.likelihood.strength / (recent.sum() + SMOOTHING * (len(recent) + UNSEEN))
    stream.unit_mass = share * SMOOTHING
    mass = np.full(len(state.mass), stream.unit_mass)
    mass[: len(recent)] = share * (recent + SMOOTHING)
    stream.labelling.likelihood = with_masses(state, mass, stream.likelihood.strength)


def learn_knobs(stream: "Stream") -> None:
    """One step of the knobs towards what is best for the labels as they are."""
    if stream.documents.count - int(stream.cursor[0]) < ENOUGH:
        return
    stream.passes += 1
    step = max(LEAST_STEP, 1.0 / stream.passes)
    if stream.words and stream.likelihood.base is None and "strength" not in stream.fixed:
        best = _best_strength(stream)
        stream.likelihood = replace(stream.likelihood, strength=blend(stream.likelihood.strength, best, step))
    prior = _learned_prior(stream, step)
    if prior != stream.prior:
        stream.prior = prior
        stream.labelling.prior = prior.moved(stream.labelling.prior, stream.labelling.items, int(stream.cursor[0]))


def _best_strength(stream: "Stream") -> float:
    """The strength under which the documents of the window are likeliest, each given the rest of its thread.

    The likelihood of all counts at once would answer too low: it is highest for threads cut too small, which then make
    it lower still. Left out one at a time, documents say how far a thread's words can be trusted for the next one.
    """
    lab = stream.labelling
    window = np.arange(int(stream.cursor[0]), stream.documents.count)
    some = window[:: -(-len(window) // SAMPLE)]
    here = math.log(stream.likelihood.strength)
    found = minimize_scalar(
        lambda x: -left_out_kernel(lab.likelihood, lab.items, lab.labels, some, math.exp(x)),
        bounds=(max(here - REACH, math.log(STRENGTHS[0])), min(here + REACH, math.log(STRENGTHS[1]))),
        method="bounded",
        options={"xatol": 0.01},
    )
    return math.exp(found.x)


def _learned_prior(stream: "Stream", step: float) -> Any:
    """The prior moved so far towards the best knobs for the labels."""
    prior = stream.prior
    if isinstance(prior, CRP) and "alpha" not in stream.fixed:
        slots = stream.labelling.slots
        drawn = sample_alpha(prior.alpha, int(slots.marks[2]), int(slots.size.sum()), stream.rng)
        return CRP(blend(prior.alpha, drawn, step))
    if isinstance(prior, TDPM) and isinstance(prior.kernel, Exponential):
        return _learned_tdpm(stream, prior.alpha, prior.kernel.rate, step)
    if isinstance(prior, RCRP):
        epochs = stream.labelling.prior.epochs
        where, slot = entries(epochs)
        counts = epochs.counts[where]
        labels = np.unique(np.repeat(slot, counts), return_inverse=True)[1]
        return step_prior(prior, [labels], np.repeat(epochs.ids[where], counts), stream.fixed, stream.rng, step)
    return prior


def _learned_tdpm(stream: "Stream", alpha: float, rate: float, step: float) -> TDPM:
    cursor = int(stream.cursor[0])
    held = np.union1d(named_documents(stream.labelling.prior), np.arange(cursor, stream.documents.count))
    times = stream.documents["times"][held]
    values = _settled_values(stream, held[held < cursor])
    groups = np.unique(stream.documents["labels"][held], return_inverse=True)[1]
    best = maximise(lambda z, a, r: tdpm_evidence(z, times, a, r, values), [groups], alpha, rate, stream.fixed, "rate")
    return TDPM(blend(alpha, best[0], step), Exponential(blend(rate, best[1], step)))


def _settled_values(stream: "Stream", numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    members = stream.labelling.prior.members
    where, _ = entries(members)
    value = np.zeros(stream.documents.count)
    value[members.ids[where]] = members.values[where]
    return value[numbers]


def named_documents(prior: TDPMState) -> NDArray[np.int64]:
    """Numbers of the documents in the prior's lists."""
    return prior.members.ids[entries(prior.members)[0]]
