"""Learning the knobs: alpha and the speed of forgetting by stochastic EM, alpha of the CRP by Escobar and West, the
strength of the words' base measure by maximum marginal likelihood."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq, minimize
from scipy.special import digamma

from ..errors import ArgumentError
from ..items import whole
from ..kernels import Exponential
from ..likelihoods.dirichlet_multinomial import DirichletMultinomial
from ..priors.crp import CRP
from ..priors.rcrp import RCRP
from ..priors.tdpm import TDPM
from .evidence import Evidence, Labels, rcrp_evidence, tdpm_evidence
from .gibbs import check_models, generator, start, vocabulary

KNOBS = ("alpha", "gamma", "rate", "decay", "eta", "strength")
SPAN = math.log(1e6)  # a knob is looked for within a factor of a million of where it stands
LONGEST = 600.0  # decays λ after which e^{−h/λ} is still a positive double
FLAT = 10.0  # widths; a longer decay λ fades nothing within the width, and no slope would lead back from there
STRENGTHS = (1e-2, 1e7)  # words
ALPHAS = (1e-6, 1e6)  # documents
RATES = (1e-12, 1e12)  # per unit of time


class Learned(NamedTuple):
    """Prior and likelihood with learned knobs, and the labels of the last sweep."""

    prior: Any
    likelihood: Any
    labels: Labels


def learn(
    prior: Any,
    likelihood: Any,
    data: Any,
    times: ArrayLike,
    *,
    rounds: int = 30,
    sweeps: int = 3,
    seed: int,
    fixed: Collection[str] = (),
    progress: Callable[[int], None] | None = None,
) -> Learned:
    """Alternate sweeps (E) and steps of the knobs (M), starting from the given values; `fixed` names knobs to keep.

    The first half of the rounds follows each M-step all the way; the second half averages them (in logs), so that the
    noise of single labellings goes away. `progress` is told the number of each finished round.
    """
    unknown = set(fixed) - set(KNOBS)
    if unknown:
        raise ArgumentError("fixed", f"names {sorted(unknown)}", f"name some of {', '.join(KNOBS)}")
    whole("rounds", rounds, 1)
    whole("sweeps", sweeps, 1)
    check_models(prior, likelihood)
    rng = generator(seed)
    run = start(prior, likelihood, data, times, seed=int(rng.integers(2**62)))
    for r in range(rounds):
        run = start(prior, likelihood, data, times, seed=int(rng.integers(2**62)), init=position(run))
        samples = []
        for _ in range(sweeps):
            run.sweep()
            samples.append(run.labels())
        labels = samples[-1]
        step = 1.0 if r < rounds // 2 else 1.0 / (r - rounds // 2 + 1)
        prior = step_of(prior, run, samples, fixed, rng, step)
        if isinstance(likelihood, DirichletMultinomial) and "strength" not in fixed:
            base = likelihood.base_over(vocabulary(data))
            best = learn_strength(group_words(data, labels), base)
            likelihood = replace(likelihood, strength=blend(likelihood.strength, best, step))
        if progress is not None:
            progress(r + 1)
    return Learned(prior, likelihood, labels)


def position(run: Any) -> Any:
    """From where another run goes on: labels, with tables where there are any."""
    return run.seating() if hasattr(run, "seating") else run.labels()


@singledispatch
def step_of(
    prior: Any, run: Any, samples: list[Labels], fixed: Collection[str], rng: np.random.Generator, step: float
) -> Any:
    """`step_prior`, by class of the prior; the run has made the samples."""
    return step_prior(prior, samples, run.items.times, fixed, rng, step)


def step_prior(
    prior: Any,
    samples: list[Labels],
    times: NDArray[np.float64],
    fixed: Collection[str],
    rng: np.random.Generator,
    step: float,
) -> Any:
    """The prior moved so far (0 to 1, in logs) towards the best knobs for the sampled labels."""
    if isinstance(prior, CRP):
        groups = int(samples[-1].max()) + 1
        drawn = sample_alpha(prior.alpha, groups, len(times), rng)
        return prior if "alpha" in fixed else replace(prior, alpha=blend(prior.alpha, drawn, step))
    if isinstance(prior, TDPM) and isinstance(prior.kernel, Exponential):
        rate = prior.kernel.rate
        best = maximise(lambda z, a, d: tdpm_evidence(z, times, a, d), samples, prior.alpha, rate, fixed, "rate")
        return replace(prior, alpha=blend(prior.alpha, best[0], step), kernel=Exponential(blend(rate, best[1], step)))
    if isinstance(prior, RCRP):
        widest = max(min(prior.width, times[-1] - times[0]), 1.0)
        keep = {*fixed, "decay"} if math.isinf(prior.decay) or prior.width == 0 else fixed
        decay = 1.0 if math.isinf(prior.decay) else prior.decay
        best = maximise(
            lambda z, a, d: rcrp_evidence(z, times, a, prior.decay if "decay" in keep else d, prior.width),
            samples,
            prior.alpha,
            decay,
            keep,
            "decay",
            limits=(widest / LONGEST, widest * FLAT),
        )
        moved = prior.decay if "decay" in keep else blend(decay, best[1], step)
        return RCRP(blend(prior.alpha, best[0], step), moved, prior.width)
    return prior


def maximise(
    evidence: Callable[[Any, float, float], Evidence],
    samples: Sequence[Any],
    alpha: float,
    decay: float,
    fixed: Collection[str],
    decay_name: str,
    limits: tuple[float, float] = (0.0, math.inf),
) -> tuple[float, float]:
    """The (alpha, decay) of highest evidence, averaged over the samples (tDPM eq. 19); logs keep them positive.

    decay is looked for within the limits.
    """
    free = np.array(["alpha" not in fixed, decay_name not in fixed])
    start = np.log([alpha, decay])

    def loss(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        knobs = np.exp(np.where(free, x, start))
        found = [evidence(z, float(knobs[0]), float(knobs[1])) for z in samples]
        slope = np.mean([[e.by_alpha, e.by_decay] for e in found], axis=0) * knobs * free
        return -float(np.mean([e.value for e in found])), -slope

    bounds = [(x - SPAN, x + SPAN) for x in start]
    low, high = (math.log(x) if x else -math.inf for x in limits)
    bounds[1] = max(bounds[1][0], low), min(bounds[1][1], high)
    start[1] = np.clip(start[1], *bounds[1])
    best = np.exp(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x)
    return float(best[0]) if free[0] else alpha, float(best[1]) if free[1] else decay


def blend(old: float, new: float, step: float) -> float:
    """Between two positive numbers, on the log scale."""
    if new == old:
        return old
    return math.exp((1.0 - step) * math.log(old) + step * math.log(new))


def sample_alpha(
    alpha: float, groups: int, documents: int, rng: np.random.Generator, *, shape: float = 1.0, rate: float = 0.1
) -> float:
    """Draw the CRP's alpha given the number of groups, under a Gamma(shape, rate) prior (Escobar and West 1995, §6)."""
    x = rng.beta(alpha + 1.0, documents)
    scale = 1.0 / (rate - math.log(x))
    odds = (shape + groups - 1.0) * scale / documents
    more = groups if rng.random() < odds / (1.0 + odds) else groups - 1
    return max(float(rng.gamma(shape + more, scale)), 1e-12)


def group_words(data: Any, labels: Labels) -> Any:
    """Word counts of each group: a sparse matrix (groups, words)."""
    counts = scipy.sparse.csr_array(data)
    member = scipy.sparse.csr_array((np.ones(len(labels)), (labels, np.arange(len(labels)))))
    return scipy.sparse.csr_array(member @ counts)


def learn_strength(counts: Any, base: NDArray[np.float64]) -> float:
    """The β that makes the groups' word counts (groups, words) most likely under Dir(β m): the fixed point of Minka
    (2000, eq. 55), found as the root of the slope along log β."""
    present = scipy.sparse.coo_array(counts)
    present.eliminate_zeros()
    word_base, word_counts = base[present.coords[1]], present.data
    totals = np.asarray(counts.sum(axis=1)).ravel()

    def slope(log_strength: float) -> float:
        strength = math.exp(log_strength)
        mass = strength * word_base
        gained = word_base @ (digamma(word_counts + mass) - digamma(mass))
        return float(gained - (digamma(totals + strength) - digamma(strength)).sum())

    low, high = map(math.log, STRENGTHS)
    if slope(low) <= 0.0:
        return STRENGTHS[0]
    if slope(high) >= 0.0:
        return STRENGTHS[1]
    return math.exp(brentq(slope, low, high, xtol=1e-4))
