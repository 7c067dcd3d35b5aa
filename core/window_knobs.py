"""The knobs of a windowed stream: they move towards what is best for the labels after each sweep."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .kernels import Exponential
from .knobs import ENOUGH, SAMPLE, SLOW_STEP, STEP, STRENGTH_STEP, STRENGTHS, TRUST
from .likelihoods.dirichlet_multinomial import DirichletMultinomial
from .likelihoods.left_out import left_out, log_left_out
from .memory import View
from .priors.crp import CRP
from .priors.dpchain import DPChain
from .priors.hdp_evo import HDPEvo
from .priors.rcrp import RCRP
from .samplers.gibbs import vocabulary
from .samplers.labelling import Labelling
from .samplers.learn import blend, step_of
from .samplers.nearby import best_near

if TYPE_CHECKING:
    from .windowed import Windowed

RATES, CONCENTRATIONS = frozenset({"rate", "decay", "eta"}), frozenset({"alpha", "gamma"})


def with_base(likelihood: Any, base: NDArray[np.float64] | None) -> Any:
    """The likelihood over the words of a view."""
    return likelihood if base is None else replace(likelihood, base=base)


def by_epoch(prior: Any) -> bool:
    """Whether a thread's words are drawn anew in each epoch."""
    return isinstance(prior, DPChain)


def epochal(prior: Any) -> bool:
    """Whether times are whole numbers of epochs."""
    return isinstance(prior, RCRP | DPChain | HDPEvo)


def fading_rate(prior: Any) -> float:
    """The rate per unit of time at which a thread's weight falls when nothing joins it; 0 if it does not."""
    kernel = getattr(prior, "kernel", None)
    if isinstance(kernel, Exponential):
        return kernel.rate
    if isinstance(prior, DPChain | HDPEvo):
        return prior.eta
    return 1.0 / prior.decay if isinstance(prior, RCRP) else 0.0


def learn_knobs(stream: "Windowed", run: Any, view: View, labels: NDArray[np.int64]) -> None:
    """Let every knob that is not fixed take a step towards what is best for the labels that the run has drawn; few
    documents tell nothing."""
    if len(view.times) < ENOUGH:
        return
    if isinstance(stream.likelihood, DirichletMultinomial) and "strength" not in stream.fixed:
        wanted = blend(stream.first_strength, _best_strength(stream, view, labels), TRUST)
        strength = blend(stream.likelihood.strength, wanted, STRENGTH_STEP)
        stream.likelihood = replace(stream.likelihood, strength=strength)
    for others, step in ((RATES, SLOW_STEP), (CONCENTRATIONS, STEP)):
        stream.prior = step_of(stream.prior, run, [labels], stream.fixed | others, run.rng, step)


def _best_strength(stream: "Windowed", view: View, labels: NDArray[np.int64]) -> float:
    """Under which documents are likeliest, each given the rest of its thread."""
    if by_epoch(stream.prior):
        epochs = np.unique(view.times, return_inverse=True)[1]
        labels = np.unique(epochs * (labels.max() + 1) + labels, return_inverse=True)[1]
    likelihood = with_base(stream.likelihood, view.base)
    lab = Labelling(CRP(1.0), likelihood, likelihood.items(view.data, view.times), vocabulary(view.data))
    lab.load(np.arange(len(labels)), labels)
    terms = left_out(lab.likelihood, lab.items, lab.labels, np.arange(len(labels))[:: -(-len(labels) // SAMPLE)])
    return best_near(stream.likelihood.strength, STRENGTHS, lambda strength: log_left_out(terms, strength))
