"""Metrics against hand-worked cases, scikit-learn, brute force and the invariances they must have."""

from collections.abc import Callable
from itertools import combinations
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import adjusted_rand_score, mutual_info_score, normalized_mutual_info_score

from core.metrics import (
    BCubed,
    adjusted_rand_index,
    b_cubed,
    co_assignment,
    count_ratio,
    group_counts,
    groups_over_time,
    held_out_likelihood,
    id_churn,
    intruder,
    intrusion_found,
    lifespans,
    local_variation_of_information,
    normalized_mutual_information,
    npmi_coherence,
    variation_of_information,
)

Ints = NDArray[np.int64]
Pair = tuple[Ints, Ints]

# A busy machine must not fail a test of values.
patient = settings(deadline=None)

AGAINST_TRUTH: list[Callable[[Ints, Ints], Any]] = [
    variation_of_information,
    normalized_mutual_information,
    adjusted_rand_index,
    b_cubed,
    count_ratio,
]

# Contingency: 2 of (0, 0), 1 of (0, 1), 1 of (1, 1); true sizes 3 and 1, found sizes 2 and 2.
TRUTH, FOUND = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])

# Rows are documents. 0 and 1 always come together, 2 never with them; 3 is everywhere, 4 too; 5 nowhere.
DOCUMENTS = sparse.csr_array(
    np.array(
        [
            [2, 1, 0, 1, 3, 0],
            [1, 4, 0, 1, 1, 0],
            [0, 0, 1, 2, 1, 0],
            [0, 0, 5, 1, 1, 0],
        ]
    )
)


@st.composite
def labelings(draw: st.DrawFn) -> Pair:
    label = st.integers(-3, 4)
    rows = draw(st.lists(st.tuples(label, label), min_size=1, max_size=40))
    truth, found = np.array(rows, dtype=np.int64).T
    return truth, found


def naive_b_cubed(truth: Ints, found: Ints) -> BCubed:
    """Bagga & Baldwin document by document: the group-mates (itself included) that are right."""
    same_truth, same_found = truth[:, None] == truth, found[:, None] == found
    precision, recall = [], []
    for true_mates, found_mates in zip(same_truth, same_found, strict=True):
        right = sum(t and f for t, f in zip(true_mates, found_mates, strict=True))
        precision.append(right / sum(found_mates))
        recall.append(right / sum(true_mates))
    p, r = sum(precision) / len(precision), sum(recall) / len(recall)
    return BCubed(p, r, 2 / (1 / p + 1 / r))


def test_variation_of_information_by_hand() -> None:
    # H(T|F): found 0 is pure, found 1 is half and half -> 2/4 * log 2.
    # H(F|T): truth 0 splits 2:1 -> 3/4 * (log 3 - 2/3 log 2); truth 1 is pure.
    expected = 0.5 * log(2) + 0.75 * (log(3) - 2 / 3 * log(2))
    assert variation_of_information(TRUTH, FOUND) == pytest.approx(expected)


def test_variation_of_information_of_one_group_against_singletons_is_log_n() -> None:
    assert variation_of_information(np.zeros(8, dtype=np.int64), np.arange(8)) == pytest.approx(log(8))


def test_local_variation_of_information_by_hand() -> None:
    # Epoch 7: documents 0, 2 -> truth one group, found two singletons: log 2. Epoch 3: documents 1, 3, 4 agree: 0.
    # Epoch 9: document 5 alone: 0. Mean over three epochs, whatever their sizes: log(2) / 3.
    truth = np.array([0, 0, 0, 1, 1, 0])
    found = np.array([5, 5, 6, 8, 8, 8])
    epochs = np.array([7, 3, 7, 3, 3, 9])
    assert local_variation_of_information(truth, found, epochs) == pytest.approx(log(2) / 3)


def test_local_variation_of_information_forgives_a_group_renamed_between_epochs() -> None:
    truth, found, epochs = np.array([0, 0, 0, 0]), np.array([1, 1, 2, 2]), np.array([0, 0, 1, 1])
    assert local_variation_of_information(truth, found, epochs) == 0.0
    # One true group cut in two equal halves: H(F|T) = log 2.
    assert variation_of_information(truth, found) == pytest.approx(log(2))


@patient
@given(labelings())
def test_local_variation_of_information_is_global_in_one_epoch(pair: Pair) -> None:
    truth, found = pair
    local = local_variation_of_information(truth, found, np.zeros_like(truth))
    assert local == pytest.approx(variation_of_information(truth, found), abs=1e-12)


def test_normalized_mutual_information_by_hand() -> None:
    # H(T) = log 4 - 3/4 log 3, H(F) = log 2, H(T|F) = 1/2 log 2; I = H(T) - H(T|F), over the mean of H(T) and H(F).
    h_truth, h_found = log(4) - 0.75 * log(3), log(2)
    expected = (h_truth - 0.5 * log(2)) / ((h_truth + h_found) / 2)
    assert normalized_mutual_information(TRUTH, FOUND) == pytest.approx(expected)


@pytest.mark.parametrize("side", range(2, 12))
def test_normalized_mutual_information_of_independent_labelings_is_zero(side: int) -> None:
    row, column = np.divmod(np.arange(side * side), side)
    assert 0.0 <= normalized_mutual_information(row, column) < 1e-12


def test_adjusted_rand_index_by_hand() -> None:
    # Pairs: together in both C(2,2) = 1, in truth C(3,2) = 3, in found 1 + 1 = 2, in all C(4,2) = 6.
    # Expected 3 * 2 / 6 = 1, so (1 - 1) / (2.5 - 1) = 0.
    assert adjusted_rand_index(TRUTH, FOUND) == 0.0
    # 0 0 1 1 against 0 0 1 2: both 1, truth 2, found 1, all 6; expected 1/3: (1 - 1/3) / (3/2 - 1/3) = 4/7.
    assert adjusted_rand_index(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])) == pytest.approx(4 / 7)


def test_b_cubed_by_hand() -> None:
    # Precision: documents 0, 1 have 2/2 of their found group right, documents 2, 3 have 1/2 -> 3/4.
    # Recall: documents 0, 1 find 2 of 3, document 2 finds 1 of 3, document 3 finds 1 of 1 -> (5/3 + 1) / 4 = 2/3.
    # F1 = 2 * (3/4 * 2/3) / (3/4 + 2/3) = 12/17.
    assert b_cubed(TRUTH, FOUND) == pytest.approx((3 / 4, 2 / 3, 12 / 17))


def test_count_ratio_by_hand() -> None:
    # Three found groups over two true ones.
    assert count_ratio(np.array([4, 4, -1, -1]), np.array([0, 1, 2, 2])) == 1.5


@patient
@given(labelings())
def test_scores_match_scikit_learn(pair: Pair) -> None:
    truth, found = pair
    assert normalized_mutual_information(truth, found) == pytest.approx(
        normalized_mutual_info_score(truth, found), abs=1e-9
    )
    assert adjusted_rand_index(truth, found) == pytest.approx(adjusted_rand_score(truth, found), abs=1e-12)
    # VI = H(T) + H(F) - 2 I, and H(X) = I(X; X).
    shared = mutual_info_score(truth, found)
    distance = mutual_info_score(truth, truth) + mutual_info_score(found, found) - 2 * shared
    assert variation_of_information(truth, found) == pytest.approx(distance, abs=1e-9)


@patient
@given(labelings())
def test_b_cubed_matches_its_definition(pair: Pair) -> None:
    assert b_cubed(*pair) == pytest.approx(naive_b_cubed(*pair))


@pytest.mark.parametrize(
    ("truth", "found"),
    [([3], [9]), ([1, 1, 1], [2, 2, 2]), ([0, 1, 2], [5, 4, 3]), ([0, 0, 0], [0, 1, 2]), ([0, 1, 2], [0, 0, 0])],
    ids=["one document", "one group", "singletons", "one group split", "singletons merged"],
)
def test_degenerate_partitions_match_scikit_learn(truth: list[int], found: list[int]) -> None:
    t, f = np.array(truth), np.array(found)
    assert adjusted_rand_index(t, f) == adjusted_rand_score(t, f)
    assert normalized_mutual_information(t, f) == pytest.approx(normalized_mutual_info_score(t, f), abs=1e-12)


@patient
@given(labelings())
def test_equal_partitions_score_perfectly(pair: Pair) -> None:
    truth = pair[0]
    renamed = 1000 - 7 * truth
    assert variation_of_information(truth, renamed) == 0.0
    assert normalized_mutual_information(truth, renamed) == 1.0
    assert adjusted_rand_index(truth, renamed) == 1.0
    assert b_cubed(truth, renamed) == pytest.approx((1, 1, 1))
    assert count_ratio(truth, renamed) == 1.0


@pytest.mark.parametrize("score", AGAINST_TRUTH)
@patient
@given(pair=labelings())
def test_names_of_groups_do_not_matter(score: Callable[[Ints, Ints], Any], pair: Pair) -> None:
    truth, found = pair
    assert score(-5 * truth, 10**12 + found) == pytest.approx(score(truth, found), abs=1e-12)


@patient
@given(labelings())
def test_symmetry(pair: Pair) -> None:
    truth, found = pair
    for score in (variation_of_information, normalized_mutual_information, adjusted_rand_index):
        assert score(truth, found) == pytest.approx(score(found, truth), abs=1e-12)
    forward, backward = b_cubed(truth, found), b_cubed(found, truth)
    assert forward == pytest.approx((backward.recall, backward.precision, backward.f1))


def test_large_input_is_exact() -> None:
    # Pairs of neighbours against singletons: VI = log 2, recall = 1/2, no pair agrees beyond chance.
    # A dense table of 50,000 x 100,000 groups would not fit in memory.
    n = 100_000
    truth, found = np.arange(n) // 2, np.arange(n)
    assert variation_of_information(truth, found) == pytest.approx(log(2))
    assert b_cubed(truth, found) == pytest.approx((1, 1 / 2, 2 / 3))
    assert adjusted_rand_index(truth, found) == 0.0
    # Two halves, one document moved: it changes n - 1 of n * n / 2 pairs, so the Rand index loses 2/n and, corrected
    # for a chance of 1/2, 4/n. The products of pair counts pass 2**63 here.
    halves = np.arange(n) % 2
    off_by_one = halves.copy()
    off_by_one[0] = 1
    assert adjusted_rand_index(halves, off_by_one) == pytest.approx(1 - 4 / n, abs=1e-7)


def test_co_assignment_by_hand() -> None:
    # Documents 0, 1 share a group in the first draw only; 1, 2 in the second only; 0, 2 in neither.
    expected = [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    np.testing.assert_array_equal(co_assignment(np.array([[7, 7, 2], [0, 1, 1]])), expected)


@patient
@given(st.integers(1, 5), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_draws_match_brute_force(draws: int, n: int, seed: int) -> None:
    samples = np.random.default_rng(seed).integers(-2, 3, size=(draws, n))
    shared = co_assignment(samples)
    for i in range(n):
        for j in range(n):
            assert shared[i, j] == sum(int(z[i] == z[j]) for z in samples) / draws
    assert group_counts(samples).tolist() == [len(set(z.tolist())) for z in samples]


@pytest.mark.parametrize("function", [co_assignment, group_counts])
@pytest.mark.parametrize("shape", [(3,), (0, 3), (3, 0), (1, 1, 1)])
def test_bad_samples(function: Callable[[Ints], NDArray[Any]], shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="samples has shape"):
        function(np.zeros(shape, dtype=np.int64))


def test_lifespans_by_hand() -> None:
    # Group 9 lives 0.5 to 4 with 3 members, group 2 at 1.0 alone, group 1 from 1.0 to 3.0: the tie goes by label.
    found = lifespans(np.array([1, 9, 2, 9, 1, 9]), np.array([3.0, 2.0, 1.0, 0.5, 1.0, 4.0]))
    assert found.label.tolist() == [9, 1, 2]
    assert found.birth.tolist() == [0.5, 1.0, 1.0]
    assert found.death.tolist() == [4.0, 3.0, 1.0]
    assert found.size.tolist() == [3, 2, 1]


def test_groups_over_time_by_hand() -> None:
    # Epoch -1: groups 4, 5. Epoch 3: group 4 twice. Epoch 8: groups 4, 5, 6.
    epochs, counts = groups_over_time(np.array([4, 4, 4, 5, 6, 5, 4]), np.array([3, -1, 3, 8, 8, -1, 8]))
    assert epochs.tolist() == [-1, 3, 8]
    assert counts.tolist() == [2, 1, 3]


def test_id_churn_by_hand() -> None:
    # The third document is unknown; of the other four, the second and the last changed id: 2/4.
    truth = np.array([0, 0, -1, 1, 1])
    before, after = np.array(["a", "a", "b", "c", "c"]), np.array(["a", "x", "y", "c", "a"])
    assert id_churn(truth, before, after) == 0.5
    assert id_churn(truth, before.astype(object), after.astype(object)) == 0.5
    # Unlike group labels, public ids count by name: the same grouping under new names is all churn.
    assert id_churn(truth, truth, truth + 10) == 1.0
    assert id_churn(truth, truth, truth) == 0.0
    # A document with no id yet has changed once it gets one.
    assert id_churn(np.array([0, 1]), np.array([None, "a"], dtype=object), np.array(["b", "a"], dtype=object)) == 0.5


def test_id_churn_needs_a_known_document() -> None:
    unknown = np.array([-1, -1])
    with pytest.raises(ValueError, match="truth is -1 for every document"):
        id_churn(unknown, unknown, unknown)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([0, 1], 1.0),  # in the same two documents: log((1/2) / (1/4)) / -log(1/2) = 1
        ([0, 2], -1.0),  # never together
        ([0, 5], -1.0),  # 5 occurs nowhere
        ([0, 3], 0.0),  # 3 is in every document: log((1/2) / (1/2)) = 0
        ([3, 4], 0.0),  # both in every document: 0/0 by the formula, independent by the counts
        ([0, 1, 2], -1 / 3),  # (1 - 1 - 1) / 3
        ([0, 1, 3], 1 / 3),  # (1 + 0 + 0) / 3
    ],
)
def test_npmi_coherence_by_hand(words: list[int], expected: float) -> None:
    assert npmi_coherence(words, DOCUMENTS) == pytest.approx(expected, abs=1e-12)
    assert npmi_coherence(np.array(words[::-1]), DOCUMENTS.todia()) == pytest.approx(expected, abs=1e-12)


def test_npmi_of_partial_overlap_by_hand() -> None:
    # Of 4 documents 0 is in 2, 1 in 3, both in 2: log((2/4) / (2/4 * 3/4)) / -log(2/4) = log(4/3) / log 2.
    documents = sparse.csr_array(np.array([[1, 1], [3, 1], [0, 2], [0, 0]]))
    assert npmi_coherence([0, 1], documents) == pytest.approx(log(4 / 3) / log(2))


@patient
@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_npmi_matches_its_definition(n: int, seed: int) -> None:
    rows = np.random.default_rng(seed).integers(0, 2, size=(n, 5))
    npmi = np.zeros((5, 5))
    for i, j in combinations(range(5), 2):
        p_i, p_j, p_both = rows[:, i].mean(), rows[:, j].mean(), (rows[:, i] * rows[:, j]).mean()
        special = {0.0: -1.0, 1.0: 0.0}
        value = special[p_both] if p_both in special else -log(p_both / (p_i * p_j)) / log(p_both)
        npmi[i, j] = npmi[j, i] = value
    documents = sparse.csr_array(rows)
    assert npmi_coherence(range(5), documents) == pytest.approx(npmi.sum() / 20, abs=1e-12)
    assert npmi.sum(axis=1)[intruder(range(5), documents)] == pytest.approx(npmi.sum(axis=1).min(), abs=1e-9)


def test_stored_zeros_are_not_occurrences() -> None:
    # Word 1 is stored with count 0 in the one document of word 0, so they never occur together.
    documents = sparse.csr_array((np.array([1, 0, 2]), (np.array([0, 0, 1]), np.array([0, 1, 1]))), shape=(2, 2))
    assert documents.nnz == 3
    assert npmi_coherence([0, 1], documents) == -1.0


def test_intruder_by_hand() -> None:
    # Means: word 0 (1 - 1) / 2 = 0, word 1 the same, word 2 (-1 - 1) / 2 = -1.
    assert intruder([0, 2, 1], DOCUMENTS) == 1
    assert intrusion_found([0, 1], 2, DOCUMENTS)
    # With 2 a top word and 1 as intruder, 2 still fits worst.
    assert not intrusion_found([0, 2], 1, DOCUMENTS)


def test_a_tie_is_no_detection() -> None:
    # Two words have the same mean NPMI by symmetry, here and (2 and 5 both never meet 0 or 1) below.
    assert not intrusion_found([0], 2, DOCUMENTS)
    assert not intrusion_found([0, 1, 2], 5, DOCUMENTS)
    assert intruder([0, 1, 5, 2], DOCUMENTS) == 2
    # Words 1 and 3 mirror each other: -1 together, a = log(3/2) / log 3 with 0 and with 2.
    # In floating point (a + a) - 1 and (a - 1) + a differ, which must not pass for a detection.
    mirrored = sparse.csr_array(np.array([[1, 0, 1, 1], [1, 1, 1, 0], [0, 0, 0, 0]]))
    assert not intrusion_found([0, 1, 2], 3, mirrored)
    assert not intrusion_found([0, 3, 2], 1, mirrored)


@pytest.mark.parametrize("words", [[], [0], [0, 1, 0]])
def test_bad_words(words: list[int]) -> None:
    with pytest.raises(ValueError, match="words has fewer than two entries or a repeated one"):
        npmi_coherence(words, DOCUMENTS)


def test_intruder_among_the_top_words_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two different words"):
        intrusion_found([0, 1], 1, DOCUMENTS)


def test_no_documents() -> None:
    with pytest.raises(ValueError, match="documents is empty"):
        npmi_coherence([0, 1], sparse.csr_array((0, 2)))


@pytest.mark.parametrize("score", [*AGAINST_TRUTH, lifespans, groups_over_time])
def test_bad_labels(score: Callable[[Ints, Ints], Any]) -> None:
    three = np.array([0, 0, 1])
    with pytest.raises(ValueError, match=r"is empty: pass at least one document"):
        score(three[:0], three[:0])
    with pytest.raises(ValueError, match=r"has [23] entries but \w+ has [23]: pass arrays aligned by document"):
        score(three, three[:2])
    with pytest.raises(ValueError, match=r"has 2 dimensions: pass a 1-D array"):
        score(three[None], three[None])


@pytest.mark.parametrize("score", [local_variation_of_information, id_churn])
def test_bad_third_argument(score: Callable[[Ints, Ints, Ints], float]) -> None:
    three = np.array([0, 0, 1])
    with pytest.raises(ValueError, match=r"(epochs|after) has 2 entries but truth has 3"):
        score(three, three, three[:2])


def test_the_message_names_the_argument() -> None:
    with pytest.raises(ValueError, match="found has 1 entries but truth has 4"):
        variation_of_information(TRUTH, FOUND[:1])


def test_held_out_likelihood_is_averaged_over_documents_and_over_tokens() -> None:
    # −12 and −6 nats over 4 and 2 tokens: −18 / 2 documents = −9, −18 / 6 tokens = −3
    assert held_out_likelihood(np.array([-12.0, -6.0]), np.array([4, 2])) == (-9.0, -3.0)
    with pytest.raises(ValueError, match="same length"):
        held_out_likelihood(np.array([-1.0]), np.array([1, 2]))
