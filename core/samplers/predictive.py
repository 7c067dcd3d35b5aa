"""What a thread and a new one would be for the last document, given the labels of all others."""

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..contracts import log_new, log_predictive, log_score_in
from ..items import NONE, Items
from ..jit import kernel
from .gibbs import vocabulary
from .labelling import Labelling

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]


class Predictive(NamedTuple):
    """Labels that the document could join and, last, NONE for a new one; the log prior weight of each (not normalised)
    and the document's log likelihood there."""

    labels: Labels
    log_prior: Floats
    log_likelihood: Floats


@singledispatch
def predictive_of(prior: Any, likelihood: Any, data: Any, times: ArrayLike, labels: Labels) -> Predictive:
    """`core.predictive` by class of the prior; labels are those of all documents but the last."""
    items = likelihood.items(data, times)
    last = len(labels)
    labelling = Labelling(prior, likelihood, items, vocabulary(data))
    names, slots = np.unique(labels, return_inverse=True)
    labelling.load(np.arange(last), slots)
    every = np.arange(len(names))
    weights = np.empty(len(names) + 1)
    _log_weights(labelling.prior, items, last, every, weights)
    return Predictive(
        np.append(names, NONE),
        weights,
        log_likelihoods(labelling.likelihood, items, last, np.append(every, len(names))),
    )


def log_likelihoods(likelihood: Any, items: Items, i: int, slots: Labels) -> Floats:
    """Of document i in each of the slots, which may be empty."""
    out = np.empty(len(slots))
    _log_likelihoods(likelihood, items, i, slots, out)
    return out


@kernel
def _log_weights(prior: Any, items: Items, i: int, slots: Labels, out: Floats) -> None:
    """Of each slot, and last of a new thread."""
    for c in range(len(slots)):
        out[c] = log_predictive(prior, items, i, slots[c])
    out[len(slots)] = log_new(prior, items, i)


@kernel
def _log_likelihoods(likelihood: Any, items: Items, i: int, slots: Labels, out: Floats) -> None:
    for c in range(len(slots)):
        out[c] = log_score_in(likelihood, items, i, slots[c])
