"""The conditional of a document is the difference of joints, and the joints are the papers'."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import core
from core.contracts import log_conditional_within, log_score_within, removable
from core.items import NONE, canonical
from core.jit import kernel
from core.samplers.labelling import Labelling

from . import naive
from .models import LIKELIHOODS, PRIORS, LikelihoodCase, PriorCase, log_joint


class Case:
    """A prior, a likelihood, documents with times, and labels that are possible under the prior."""

    def __init__(self, prior: PriorCase, likelihood: LikelihoodCase, seed: int, n: int, gap: float) -> None:
        rng = np.random.default_rng(seed)
        self.prior, self.likelihood = prior, likelihood
        self.times = np.cumsum(rng.exponential(gap, n) * (rng.random(n) < 0.7))  # every third is a tie
        if prior.epochs:
            self.times = np.floor(self.times)
        self.data = likelihood.rows(rng, n)
        self.labels = self._possible(rng.integers(0, 3, n))

    def _possible(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        while math.isinf(self.prior.reference(labels.tolist(), self.times.tolist())):
            labels[np.argmax(labels == np.bincount(labels).argmax())] = labels.max() + 1
        return canonical(labels)

    def naive_joint(self, labels: NDArray[np.int64]) -> float:
        return log_joint(self.prior, self.likelihood, self.data, self.times, labels.tolist())

    def naive_prior_without(self, i: int) -> float:
        keep = np.arange(len(self.times)) != i
        return self.prior.reference(self.labels[keep].tolist(), self.times[keep].tolist())


def cases(n: int = 7) -> st.SearchStrategy[Case]:
    return st.builds(
        Case,
        st.sampled_from(PRIORS),
        st.sampled_from(LIKELIHOODS),
        st.integers(0, 2**32 - 1),
        st.integers(2, n),
        st.sampled_from([0.3, 1.0, 4.0]),
    )


@settings(max_examples=400, deadline=None, derandomize=True)
@given(cases())
def test_log_joint_differences_are_the_papers(case: Case) -> None:
    other = case._possible(np.roll(case.labels, 1))
    ours = [
        core.log_joint(case.prior.prior, case.likelihood.likelihood, case.data, case.times, z)
        for z in (case.labels, other)
    ]
    theirs = [case.naive_joint(z) for z in (case.labels, other)]
    assert ours[0] - ours[1] == pytest.approx(theirs[0] - theirs[1], abs=1e-9)


@kernel
def is_removable(prior: Any, items: Any, i: int, slot: int) -> bool:
    return removable(prior, items, i, slot)


@kernel
def score_within(prior: Any, likelihood: Any, items: Any, i: int, slot: int) -> float:
    return log_conditional_within(prior, items, i, slot) + log_score_within(likelihood, items, i, slot)


@settings(max_examples=600, deadline=None, derandomize=True)
@given(cases(8), st.integers(0, 7))
def test_conditional_is_the_difference_of_joints(case: Case, which: int) -> None:
    """Births by late documents, ties, threads that would tear, widths 0 and inf: all are among the cases."""
    i = which % len(case.times)
    items = case.likelihood.likelihood.items(case.data, case.times)
    labelling = Labelling(case.prior.prior, case.likelihood.likelihood, items, case.data.shape[1])
    labelling.load(np.arange(len(case.times)), case.labels)
    if not is_removable(labelling.prior, items, i, int(case.labels[i])):
        assert case.naive_prior_without(i) == -math.inf
        return
    assert case.naive_prior_without(i) > -math.inf
    own = int(case.labels[i])
    alone = (case.labels == own).sum() == 1
    within = 0.0 if alone else score_within(labelling.prior, labelling.likelihood, items, i, own)
    labelling.unload(np.array([i]))
    slots, scores, new = labelling.scores(i)
    assert alone or within == pytest.approx(scores[slots == own][0], abs=1e-9)
    assert sorted(slots.tolist()) == sorted(set(np.delete(case.labels, i).tolist()))
    labels = case.labels.copy()
    labels[i] = labels.max() + 1
    base = case.naive_joint(labels)
    for slot, score in zip(slots, scores, strict=True):
        labels[i] = slot
        assert score - new == pytest.approx(case.naive_joint(labels) - base, abs=1e-9)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(cases(8), st.randoms(use_true_random=False))
def test_states_depend_on_labels_alone(case: Case, random: Any) -> None:
    """Attached in any order, taken out and put back: the same arrays' content, bit for bit."""
    n = len(case.times)
    items = case.likelihood.likelihood.items(case.data, case.times)
    straight = Labelling(case.prior.prior, case.likelihood.likelihood, items, case.data.shape[1])
    straight.load(np.arange(n), case.labels)
    order = np.array(random.sample(range(n), n))
    crooked = Labelling(case.prior.prior, case.likelihood.likelihood, items, case.data.shape[1])
    crooked.load(order, case.labels[order])
    crooked.unload(order[: n // 2])
    crooked.load(order[: n // 2], case.labels[order[: n // 2]])
    for i in range(n):
        for labelling in (straight, crooked):
            labelling.unload(np.array([i]))
        ours, theirs = straight.scores(i), crooked.scores(i)
        assert ours[0].tolist() == theirs[0].tolist()
        assert ours[1].tolist() == theirs[1].tolist()
        for labelling in (straight, crooked):
            labelling.load(np.array([i]), case.labels[i : i + 1])
    assert (straight.labels != NONE).all()


@pytest.mark.parametrize("prior", [c for c in PRIORS if c.name in ("tdpm-step", "rcrp-inf-inf")], ids=lambda c: c.name)
def test_without_decay_it_is_the_crp(prior: PriorCase) -> None:
    """The same joint, and the same conditional of every document."""
    rng = np.random.default_rng(3)
    times = np.floor(np.sort(rng.uniform(0, 20, 40)))
    data = rng.multinomial(8, [0.5, 0.3, 0.2], size=40)
    likelihood = core.DirichletMultinomial(3.0)
    crp = core.CRP(prior.prior.alpha)
    for z in core.sample(prior.prior, likelihood, data, times, draws=30, seed=5)[::10]:
        assert core.log_joint(prior.prior, likelihood, data, times, z) == pytest.approx(
            core.log_joint(crp, likelihood, data, times, z), abs=1e-9
        )
        one, other = (Labelling(p, likelihood, likelihood.items(data, times), 3) for p in (prior.prior, crp))
        for labelling in (one, other):
            labelling.load(np.arange(40), z)
        for i in range(40):
            scores = []
            for labelling in (one, other):
                labelling.unload(np.array([i]))
                slots, found, new = labelling.scores(i)
                scores.append(dict(zip(slots.tolist(), found - new, strict=True)))
                labelling.load(np.array([i]), z[i : i + 1])
            assert scores[0] == pytest.approx(scores[1], abs=1e-9)


@pytest.mark.parametrize("prior", PRIORS, ids=lambda case: case.name)
def test_reference_priors_sum_to_one(prior: PriorCase) -> None:
    times = [0.0, 1.0, 1.0, 3.0, 4.0]
    total = sum(math.exp(prior.reference(z, times)) for z in naive.partitions(5))
    assert total == pytest.approx(1.0, abs=1e-12)
