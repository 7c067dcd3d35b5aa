"""Learning the knobs of DPChain and HDP-EVO: concentrations by Escobar and West, η by the labels' likelihood (§5)."""

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..priors.dpchain import DPChain
from ..priors.hdp_evo import HDPEvo
from .epochs import EpochRun
from .evidence import Labels, rcrp_evidence
from .hdp_evo import TableRun
from .learn import FLAT, LONGEST, blend, maximise, step_of

Floats = NDArray[np.float64]


def sample_concentration(
    value: float,
    groups: int,
    sizes: Floats,
    past: Floats,
    rng: np.random.Generator,
    *,
    shape: float = 1.0,
    rate: float = 0.1,
) -> float:
    """Draw c from c^groups / Π_t (c + past_t)_{sizes_t} under a Gamma(shape, rate) prior.

    As Escobar and West (1995, §6), with one auxiliary x_t ~ Beta(c + past_t, sizes_t) for each epoch; given these, c is
    Gamma(shape + groups, rate − Σ log x_t).
    """
    x = rng.beta(value + past, sizes)
    return max(float(rng.gamma(shape + groups, 1.0 / (rate - np.log(np.maximum(x, 1e-300)).sum()))), 1e-12)


def epochs_with_past(epochs: Floats, eta: float) -> tuple[Floats, Floats]:
    """How many there are in each epoch that occurs, and the faded number of those before."""
    numbers, sizes = np.unique(epochs, return_counts=True)
    age = numbers[None, :] - numbers[:, None]
    return sizes.astype(np.float64), sizes.astype(np.float64) @ np.where(age > 0.0, np.exp(-eta * np.abs(age)), 0.0)


def best_eta(samples: list[tuple[Labels, Floats]], concentration: float, eta: float) -> float:
    """The η under which the labels, at their epochs, are likeliest."""
    widest = max(max(float(epochs[-1] - epochs[0]) for _, epochs in samples), 1.0)
    _, decay = maximise(
        lambda drawn, c, d: rcrp_evidence(drawn[0], drawn[1], c, d, math.inf),
        samples,
        concentration,
        1.0 / eta,
        ("alpha",),
        "decay",
        limits=(widest / LONGEST, widest * FLAT),
    )
    return 1.0 / decay


@step_of.register
def step_dpchain(
    prior: DPChain,
    run: EpochRun,
    samples: list[Labels],
    fixed: Collection[str],
    rng: np.random.Generator,
    step: float,
) -> DPChain:
    times = run.items.times
    if "alpha" not in fixed:
        groups = int(samples[-1].max()) + 1
        drawn = sample_concentration(prior.alpha, groups, *epochs_with_past(times, prior.eta), rng)
        prior = replace(prior, alpha=blend(prior.alpha, drawn, step))
    if "eta" not in fixed and prior.eta > 0.0 and times[-1] > times[0]:
        best = best_eta([(z, times) for z in samples], prior.alpha, prior.eta)
        prior = replace(prior, eta=blend(prior.eta, best, step))
    return prior


@step_of.register
def step_hdp_evo(
    prior: HDPEvo,
    run: TableRun,
    samples: list[Labels],
    fixed: Collection[str],
    rng: np.random.Generator,
    step: float,
) -> HDPEvo:
    """Given the last seating: documents tell alpha, tables gamma and η."""
    epochs, dishes = run.tables()
    times = run.items.times
    if "alpha" not in fixed:
        sizes, _ = epochs_with_past(times, 0.0)
        drawn = sample_concentration(prior.alpha, len(dishes), sizes, np.zeros(len(sizes)), rng)
        prior = replace(prior, alpha=blend(prior.alpha, drawn, step))
    if "gamma" not in fixed:
        drawn = sample_concentration(prior.gamma, int(dishes.max()) + 1, *epochs_with_past(epochs, prior.eta), rng)
        prior = replace(prior, gamma=blend(prior.gamma, drawn, step))
    if "eta" not in fixed and prior.eta > 0.0 and times[-1] > times[0]:
        prior = replace(prior, eta=blend(prior.eta, best_eta([(dishes, epochs)], prior.gamma, prior.eta), step))
    return prior
