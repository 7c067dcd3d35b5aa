"""The stream engine: the same posterior whatever the order of arrival, the same labels whatever the batches."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import core
from core.items import canonical
from core.stream import Stream

from .models import LIKELIHOODS, PRIORS, LikelihoodCase, PriorCase
from .test_enumeration import exact, noise_floor, total_variation

DRAWS = 3000
LAG = 3
IN_ORDER, OUT_OF_ORDER = [0, 1, 2, 3, 4], [3, 0, 4, 2, 1]
KNOBS = ("alpha", "rate", "decay", "strength")


def open_stream(
    prior: PriorCase, likelihood: LikelihoodCase, data: Any, window: float = math.inf, seed: int = 5
) -> Stream:
    """A stream with fixed knobs over the columns of the data."""
    model = likelihood.likelihood
    if isinstance(model, core.DirichletMultinomial) and model.base is None:
        model = core.DirichletMultinomial(model.strength, np.full(data.shape[1], 1 / data.shape[1]))
    return Stream(prior.prior, model, window=window, seed=seed, fixed=KNOBS, dimensions=data.shape[1])


def items(
    likelihood: LikelihoodCase, data: NDArray[Any], times: NDArray[np.float64], order: Any
) -> list[tuple[str, float, Any]]:
    if isinstance(likelihood.likelihood, core.Gaussian):
        return [(str(i), times[i], data[i]) for i in order]
    return [(str(i), times[i], {w: int(c) for w, c in enumerate(data[i]) if c}) for i in order]


def labels_of(stream: Stream, n: int) -> NDArray[np.int64]:
    """Threads of the documents named 0 … n − 1."""
    found = np.empty(n, np.int64)
    for number in range(stream.documents.count):
        name = stream.ids[int(stream.documents["sequence"][number])]
        found[int(name)] = stream.labelling.slots.names[stream.documents["labels"][number]]
    return canonical(found)


@pytest.mark.parametrize(
    ("name", "likelihood", "order"),
    [
        ("tdpm-exponential", LIKELIHOODS[1], IN_ORDER),
        ("tdpm-exponential", LIKELIHOODS[1], OUT_OF_ORDER),
        ("tdpm-exponential", LIKELIHOODS[2], OUT_OF_ORDER),
        ("tdpm-exponential", LIKELIHOODS[4], OUT_OF_ORDER),
        ("tdpm-logistic", LIKELIHOODS[1], OUT_OF_ORDER),
        ("rcrp-1.5-2", LIKELIHOODS[2], OUT_OF_ORDER),
        ("rcrp-1.5-2", LIKELIHOODS[4], OUT_OF_ORDER),
        ("crp", LIKELIHOODS[1], OUT_OF_ORDER),
    ],
    ids=lambda case: (
        case if isinstance(case, str) else "".join(map(str, case)) if isinstance(case, list) else case.name
    ),
)
def test_any_arrival_order_gives_the_exact_posterior(
    name: str, likelihood: LikelihoodCase, order: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two split-merge moves a document in every sweep, so that a wrong acceptance would show."""
    monkeypatch.setattr("core.stream.MOVES_PER_DOCUMENT", 2.0)
    prior = next(case for case in PRIORS if case.name == name)
    rng = np.random.default_rng(7)
    data = likelihood.rows(rng, 5)
    times = np.array([0.0, 1.0, 2.0, 3.0, 5.0])  # no ties: those go by arrival
    stream = open_stream(prior, likelihood, data)
    stream.add(items(likelihood, data, times, order))
    samples = np.empty((DRAWS, 5), np.int64)
    for d in range(DRAWS):
        for _ in range(LAG):
            stream.sweep()
        samples[d] = labels_of(stream, 5)
    posterior = exact(prior, likelihood, data, times)
    assert total_variation(posterior, samples) < noise_floor(posterior, DRAWS)
