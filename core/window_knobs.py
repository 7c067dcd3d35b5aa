"""The knobs of a windowed stream: alpha and strength move towards what is best for the labels after each sweep."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .kernels import Exponential
from .knobs import ALPHAS, ENOUGH, SAMPLE, SLOW_STEP, STEP, STRENGTHS, best_near
from .likelihoods.dirichlet_multinomial import DirichletMultinomial
from .likelihoods.left_out import left_out, log_left_out
from .memory import View
from .priors.crp import CRP
from .priors.dpchain import DPChain
from .priors.hdp_evo import HDPEvo
from .priors.rcrp import RCRP
from .samplers.gibbs import generator, vocabulary
from .samplers.labelling import Labelling
from .samplers.learn import blend, step_prior

if TYPE_CHECKING:
    from .windowed import Windowed


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


def learn_knobs(stream: "Windowed", view: View, labels: NDArray[np.int64], seed: int) -> None:
    """Let alpha and strength take a step; few documents tell nothing."""
    if len(view.times) < ENOUGH:
        return
    if isinstance(stream.likelihood, DirichletMultinomial) and "strength" not in stream.fixed:
        best = _best_strength(stream, view, labels)
        stream.likelihood = replace(stream.likelihood, strength=blend(stream.likelihood.strength, best, SLOW_STEP))
    if isinstance(stream.prior, RCRP):
        stream.prior = step_prior(stream.prior, [labels], view.times, stream.fixed, generator(seed), STEP)
    elif "alpha" not in stream.fixed and not isinstance(stream.prior, HDPEvo):
        best = _best_alpha(stream.prior, view.times, labels)
        stream.prior = replace(stream.prior, alpha=blend(stream.prior.alpha, best, SLOW_STEP))


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


def _best_alpha(prior: Any, times: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """Under which the number of births is likeliest, if all that is earlier weighs Σ e^(-rate age) at each document."""
    rate, weight = fading_rate(prior), 0.0
    earlier = np.empty(len(times))
    for i in range(len(times)):
        weight *= np.exp(-rate * (times[i] - times[i - 1])) if i else 0.0
        earlier[i] = weight
        weight += 1.0
    births = len(np.unique(labels))
    return best_near(
        prior.alpha, ALPHAS, lambda alpha: births * float(np.log(alpha)) - float(np.log(alpha + earlier).sum())
    )
