"""The generators draw what the papers' recipes say: exact probabilities, moments, structure, reproducibility."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, get_args

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import integrate, sparse, special, stats

from core import generators as g

Distance = Literal["mean", "weighted", "nearest"]
FADE = g.exponential(0.3)

GENERATORS: dict[str, Callable[[np.random.Generator], Any]] = {
    "tdpm": lambda rng: g.tdpm(rng=rng),
    "rcrp_partition": lambda rng: g.rcrp_partition(6, 30, rng=rng),
    "rcrp_gaussian": lambda rng: g.rcrp_gaussian(6, 20, rng=rng),
    "rcrp_words": lambda rng: g.rcrp_words(6, 20, rng=rng),
    "dpchain_points": lambda rng: g.dpchain_points(rng=rng),
    "crp_partition": lambda rng: g.crp_partition(60, 1.0, rng=rng),
    "ddcrp_partition": lambda rng: g.ddcrp_partition(60, 1.0, FADE, rng=rng),
    "addcrp_partition": lambda rng: g.addcrp_partition(60, 1.0, FADE, rng=rng),
    "ddcrp_documents": lambda rng: g.ddcrp_documents(np.repeat([0, 1, 2, 1], 15), rng=rng),
}


def seeded(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def z_score(events: ArrayLike, probabilities: ArrayLike) -> float:
    """Standardised excess of events over their exact conditional probabilities (a martingale sum)."""
    p = np.broadcast_to(np.asarray(probabilities, dtype=np.float64), np.shape(events))
    return float((np.asarray(events) - p).sum() / np.sqrt((p * (1 - p)).sum()))


def assert_variance(sample: np.ndarray[Any, Any], expected: float) -> None:
    """Second moment about zero of a centred normal sample, within four standard errors."""
    assert abs(np.mean(sample**2) / expected - 1) < 4 * np.sqrt(2 / sample.size)


def assert_seated_by(alpha: float, *runs: tuple[np.ndarray[Any, Any], Iterable[np.ndarray[Any, Any]]]) -> None:
    """Given labels and the weights each customer but the first met: opening a group, following the previous customer
    and joining a faint group happen as often as they should."""
    events, probabilities = [], []
    for label, before, w in ((x[i], x[i - 1], w) for x, weights in runs for i, w in enumerate(weights, start=1)):
        faint = np.append(w < w.sum() / 10, False)
        events.append((label == w.size, label == before, faint[label]))
        probabilities.append(np.array([alpha, w[before], w[faint[:-1]].sum()]) / (w.sum() + alpha))
    for event, probability in zip(np.transpose(events), np.transpose(probabilities), strict=True):
        assert 5 < event.sum() < event.size - 5
        assert abs(z_score(event, probability)) < 4


def arrays(draw: Iterable[Any]) -> list[np.ndarray[Any, Any]]:
    """The fields of a draw, sparse ones made dense, lists of chains joined."""
    dense = (x.toarray() if isinstance(x, sparse.csr_array) else x for x in draw)
    return [np.concatenate(x) if isinstance(x, list) else x for x in dense]


@pytest.mark.parametrize("name", GENERATORS)
def test_common_contract(name: str) -> None:
    draw, again, other = (GENERATORS[name](seeded(s)) for s in (1, 1, 2))
    assert draw.times.dtype == np.float64
    assert draw.labels.dtype == np.int64
    assert draw.times.shape == draw.labels.shape
    assert np.all(np.diff(draw.times) >= 0)
    newest = np.maximum.accumulate(draw.labels)
    assert newest[0] == 0
    assert np.all(np.diff(newest) <= 1)
    assert all(map(np.array_equal, arrays(draw), arrays(again)))
    assert not all(map(np.array_equal, arrays(draw), arrays(other)))


def test_tdpm_second_document_joins_first() -> None:
    rng, reps, alpha, rate, arrival = seeded(), 4000, 0.5, 0.7, 2.0
    joined = [g.tdpm(2, alpha, rate, words=1, arrival_rate=arrival, rng=rng).labels[1] == 0 for _ in range(reps)]
    joins = integrate.quad(lambda t: arrival * np.exp(-(arrival + rate) * t) / (np.exp(-rate * t) + alpha), 0, np.inf)
    assert abs(z_score(joined, joins[0])) < 4


def test_tdpm_seats_by_equation_5_and_arrives_as_poisson() -> None:
    draw = g.tdpm(3000, rng=seeded(1))
    kernel = g.exponential(0.5)
    weights = (np.bincount(draw.labels[:i], kernel(draw.times[i] - draw.times[:i])) for i in range(1, 3000))
    assert_seated_by(0.2, (draw.labels, weights))
    assert stats.kstest(np.diff(draw.times), "expon").pvalue > 1e-3


def test_tdpm_words_follow_theta_drawn_from_the_base() -> None:
    draw = g.tdpm(2000, alpha=50.0, words=50, vocabulary=4, strength=2.0, rng=seeded(2))
    assert draw.data.format == "csr"
    assert draw.data.dtype == np.int64
    assert draw.data.shape == (2000, 4)
    assert np.all(draw.data.sum(axis=1) == 50)
    assert draw.theta.shape == (draw.labels.max() + 1, 4)
    assert stats.kstest(draw.theta[:, 0], stats.beta(0.5, 1.5).cdf).pvalue > 1e-3
    assert abs(z_score(draw.data.toarray()[:, 0] / 50, draw.theta[draw.labels, 0]) * np.sqrt(50)) < 4


def test_rcrp_without_width_never_shares_labels() -> None:
    draw = g.rcrp_partition(20, 50, width=0, rng=seeded())
    pairs = np.unique(np.stack([draw.labels, draw.times.astype(np.int64)]), axis=1)
    assert np.array_equal(pairs[0], np.arange(draw.labels.max() + 1))
    assert np.unique(pairs[1]).size == 20


def test_rcrp_with_infinite_memory_is_a_crp() -> None:
    rng, reps, alpha = seeded(), 400, 2.0
    p = alpha / (alpha + np.arange(60))
    clusters = [g.rcrp_partition(6, 10, alpha, np.inf, np.inf, rng=rng).labels.max() + 1 for _ in range(reps)]
    assert abs(np.mean(clusters) - p.sum()) < 4 * np.sqrt((p * (1 - p)).sum() / reps)


def test_rcrp_seats_by_decayed_counts_of_the_last_epochs() -> None:
    alpha, decay, width = 1.5, 2.0, 3
    draw = g.rcrp_partition(100, 20, alpha, decay, width, rng=seeded(3))
    ages = [draw.times[i] - draw.times[:i] for i in range(2000)]
    weights = (np.bincount(draw.labels[:i], np.exp(-ages[i] / decay) * (ages[i] <= width)) for i in range(1, 2000))
    assert_seated_by(alpha, (draw.labels, weights))


@pytest.mark.parametrize("width", [1, 3])
def test_rcrp_dead_labels_never_return(width: int) -> None:
    draw = g.rcrp_partition(300, 8, alpha=1.0, decay=3.0, width=width, rng=seeded())
    uses = [np.unique(draw.times[draw.labels == k]) for k in range(draw.labels.max() + 1)]
    assert np.concatenate([np.diff(u) for u in uses]).max() == width
    assert sum(u[-1] < 299 for u in uses) > 50


def test_rcrp_gaussian_variances() -> None:
    draw = g.rcrp_gaussian(120, 12, width=3, decay=2.0, spread=4.0, drift=0.25, noise=0.5, dimension=3, rng=seeded())
    epochs = draw.times.astype(np.int64)
    last = [epochs[draw.labels == k].max() for k in range(len(draw.chains))]
    assert [b + len(c) - 1 for b, c in zip(draw.births, draw.chains, strict=True)] == last
    means = [draw.chains[k][t - draw.births[k]] for k, t in zip(draw.labels, epochs, strict=True)]
    assert draw.data.shape == (1440, 3)
    assert_variance(draw.data - np.array(means), 0.5)
    assert_variance(np.concatenate([np.diff(c, axis=0) for c in draw.chains]), 0.25)
    assert_variance(np.array([c[0] for c in draw.chains]), 4.0)


def test_rcrp_words_follow_softmax_of_their_epoch() -> None:
    draw = g.rcrp_words(8, 60, drift=0.5, vocabulary=10, words=40, rng=seeded())
    assert np.all(draw.data.sum(axis=1) == 40)
    assert_variance(np.concatenate([np.diff(c, axis=0) for c in draw.chains]), 0.5)
    rows = zip(draw.labels, draw.times.astype(np.int64), strict=True)
    theta = special.softmax([draw.chains[k][t - draw.births[k]] for k, t in rows], axis=1)
    for word in range(10):
        assert abs(z_score(draw.data.toarray()[:, word] / 40, theta[:, word]) * np.sqrt(40)) < 4


def test_dpchain_points_lie_about_fixed_means() -> None:
    draw = g.dpchain_points(rng=seeded())
    assert draw.data.shape == (2000, 2)
    assert np.array_equal(np.bincount(draw.times.astype(np.int64)), np.full(10, 200))
    assert len(draw.means) == draw.labels.max() + 1 <= 10
    assert len({np.unique(draw.labels[draw.times == t]).size for t in range(10)}) > 2
    assert_variance(draw.data - draw.means[draw.labels], 0.2)


def test_dpchain_inherits_in_inverse_proportion_to_time() -> None:
    """Used at epochs 0 and 1 weighs 3/2, at epoch 0 only 1/2: the third epoch's first point prefers it 3 : 1."""
    rng = seeded()
    draws = (g.dpchain_points(3, 2, 4, inherited=1.0, concentration=1.0, rng=rng).labels for _ in range(4000))
    picks = [x[4] == x[2] for x in draws if x[1] == 1 and x[2] == x[3]]
    assert len(picks) > 1000
    assert abs(z_score(picks, 0.75)) < 4


def test_crp_and_ddcrp_partitions_of_three() -> None:
    """Links of customers 1 and 2 give the five partitions in closed form."""
    rng, reps, alpha, near, far = seeded(), 6000, 0.8, np.exp(-0.3), np.exp(-0.6)
    for decay, (a, b) in ((FADE, (near, far)), (np.ones_like, (1.0, 1.0))):
        seen = np.array([g.ddcrp_partition(3, alpha, decay, rng=rng).labels for _ in range(reps)])
        joint = {(0, 0, 0): a * (a + b), (0, 0, 1): a * alpha, (0, 1, 0): alpha * b, (0, 1, 1): alpha * a}
        joint[0, 1, 2] = alpha * alpha
        for labels, weight in joint.items():
            assert abs(z_score((seen == labels).all(axis=1), weight / ((a + alpha) * (a + b + alpha)))) < 4
    p = 2.0 / (2.0 + np.arange(50))
    clusters = [g.crp_partition(50, 2.0, rng=rng).labels.max() + 1 for _ in range(400)]
    assert abs(np.mean(clusters) - p.sum()) < 4 * np.sqrt((p * (1 - p)).sum() / 400)


def test_ddcrp_links_make_the_groups() -> None:
    draw = g.ddcrp_partition(500, 1.0, g.exponential(0.1), rng=seeded())
    selves = draw.links == np.arange(500)
    assert np.all(draw.links <= np.arange(500))
    assert np.array_equal(draw.labels, draw.labels[draw.links])
    assert selves.sum() == draw.labels.max() + 1


def group_weights(labels: np.ndarray[Any, Any], decay: g.Decay, distance: Distance) -> Iterator[np.ndarray[Any, Any]]:
    """decay(d_ik)·n_k straight from equations 9 to 12."""
    for i in range(1, labels.size):
        counts = np.bincount(labels[:i])
        members = [i - np.flatnonzero(labels[:i] == k).astype(np.float64) for k in range(counts.size)]
        if distance == "nearest":
            ages = [x.min() for x in members]
        else:
            ages = [np.average(x, weights=decay(x) if distance == "weighted" else None) for x in members]
        yield decay(np.array(ages)) * counts


@pytest.mark.parametrize("distance", get_args(Distance))
def test_addcrp_seats_by_group_distance(distance: Distance) -> None:
    """Short runs: in long ones the weighted and nearest variants settle in one group for good."""
    rng, decay = seeded(), g.exponential(0.15)
    draws = [g.addcrp_partition(40, 1.0, decay, distance, rng=rng).labels for _ in range(150)]
    assert_seated_by(1.0, *((labels, group_weights(labels, decay, distance)) for labels in draws))


def test_addcrp_survives_a_decay_that_reaches_zero() -> None:
    labels = g.addcrp_partition(
        200, 1.0, lambda ages: (ages <= 1.0).astype(np.float64), "weighted", rng=seeded()
    ).labels
    last = {k: np.flatnonzero(labels == k) for k in range(labels.max() + 1)}
    assert all(np.all(np.diff(members) == 1) for members in last.values())
    assert 20 < len(last) < 200


def test_ddcrp_documents_follow_their_classes() -> None:
    labels = np.repeat(np.arange(40), 5)
    draw = g.ddcrp_documents(labels, rng=seeded())
    counts = draw.data.toarray()
    assert counts.shape == (200, 850)
    assert np.array_equal(draw.labels, labels)
    assert set(np.bincount(draw.word_classes)) == {53, 54}
    assert np.array_equal(np.unique(draw.main_classes.sum(axis=1)), [1, 2])
    assert abs(counts.sum() / 200 - 600) < 4 * np.sqrt(600 / 200)
    own = counts[draw.main_classes[labels][:, draw.word_classes]].sum()
    assert abs(own - counts.sum() * 2 / 3) < 4 * np.sqrt(counts.sum() * 2 / 9)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("alpha", lambda rng: g.tdpm(alpha=0.0, rng=rng)),
        ("rate", lambda rng: g.tdpm(rate=-1.0, rng=rng)),
        ("strength", lambda rng: g.tdpm(strength=0.0, rng=rng)),
        ("decay", lambda rng: g.rcrp_partition(decay=0.0, rng=rng)),
        ("width", lambda rng: g.rcrp_partition(width=1.5, rng=rng)),
        ("drift", lambda rng: g.rcrp_gaussian(drift=-0.1, rng=rng)),
        ("inherited", lambda rng: g.dpchain_points(inherited=1.1, rng=rng)),
        ("decay", lambda rng: g.ddcrp_partition(5, 1.0, np.negative, rng=rng)),
        ("distance", lambda rng: g.addcrp_partition(5, 1.0, FADE, "far", rng=rng)),  # type: ignore[arg-type]
        ("labels", lambda rng: g.ddcrp_documents(np.empty(0, dtype=np.int64), rng=rng)),
        ("classes", lambda rng: g.ddcrp_documents(np.zeros(3, dtype=np.int64), classes=2, rng=rng)),
    ],
)
def test_arguments_are_checked(name: str, call: Callable[[np.random.Generator], Any]) -> None:
    with pytest.raises(ValueError, match=name):
        call(seeded())
