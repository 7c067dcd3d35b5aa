"""The prior weight and the likelihood of every thread for one more document."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .errors import ArgumentError
from .items import as_array
from .samplers.gibbs import check_models
from .samplers.predictive import Predictive, predictive_of


def predictive(prior: Any, likelihood: Any, data: Any, times: ArrayLike, labels: ArrayLike) -> Predictive:
    """For the last document given the labels of the others: the labels it can join and −1 for a new one, with log prior
    weight and log likelihood. `labels` may have an entry for the last document, which is not looked at."""
    check_models(prior, likelihood)
    count = int((data if hasattr(data, "shape") else np.asarray(data)).shape[0])
    known = as_array("labels", labels)
    if known.ndim != 1 or known.dtype.kind not in "iu" or not count - 1 <= len(known) <= count:
        raise ArgumentError("labels", f"has shape {known.shape} for {count} documents", "pass one label per document")
    return predictive_of(prior, likelihood, data, times, known[: count - 1].astype(np.int64))
