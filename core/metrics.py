"""Scores for groupings: against a truth, across posterior draws, over time, and of the words of a group."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

IntArray = NDArray[np.integer[Any]]
FloatArray = NDArray[np.float64]
Words = Sequence[int] | IntArray
Counts = sparse.sparray | sparse.spmatrix


class BCubed(NamedTuple):
    """B-cubed scores averaged over documents (Bagga & Baldwin 1998)."""

    precision: float
    recall: float
    f1: float


class Lifespans(NamedTuple):
    """Parallel arrays, one entry a group: when its first and last member came and how many it has."""

    label: NDArray[Any]
    birth: NDArray[Any]
    death: NDArray[Any]
    size: NDArray[np.int64]


class _Contingency(NamedTuple):
    """Non-empty cells of the table crossing two labelings, where each lies, and the totals of rows and columns."""

    cells: NDArray[np.int64]
    row_of_cell: NDArray[np.int64]
    column_of_cell: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    n: int


def _aligned(**named: NDArray[Any]) -> list[NDArray[Any]]:
    """The arguments as arrays, once known to be 1-D, not empty and of one length."""
    arrays = [np.asarray(values) for values in named.values()]
    first = next(iter(named))
    for name, values in zip(named, arrays, strict=True):
        if values.ndim != 1:
            raise ValueError(f"{name} has {values.ndim} dimensions: pass a 1-D array with one entry a document")
        if values.size == 0:
            raise ValueError(f"{name} is empty: pass at least one document")
        if values.size != arrays[0].size:
            raise ValueError(
                f"{name} has {values.size} entries but {first} has {arrays[0].size}: pass arrays aligned by document"
            )
    return arrays


def _contingency(**named: NDArray[Any]) -> _Contingency:
    """Cross two labelings, the first as rows and the second as columns, in O(n log n)."""
    first, second = _aligned(**named)
    _, row, rows = np.unique(first, return_inverse=True, return_counts=True)
    _, column, columns = np.unique(second, return_inverse=True, return_counts=True)
    keys, cells = np.unique(row * columns.size + column, return_counts=True)
    row_of_cell, column_of_cell = np.divmod(keys, columns.size)
    return _Contingency(cells, row_of_cell, column_of_cell, rows, columns, first.size)


def _entropy(sizes: NDArray[np.int64]) -> float:
    share = sizes / sizes.sum()
    return float(-np.sum(share * np.log(share)))


def _information_distance(table: _Contingency) -> float:
    # Summing cell by cell keeps every term non-negative, so equal partitions score exactly 0.
    lost = np.log(table.rows[table.row_of_cell] / table.cells) + np.log(
        table.columns[table.column_of_cell] / table.cells
    )
    return float(np.sum(table.cells * lost) / table.n)


def variation_of_information(truth: IntArray, found: IntArray) -> float:
    """H(truth | found) + H(found | truth) in nats; 0 for equal partitions (Meila 2003)."""
    return _information_distance(_contingency(truth=truth, found=found))


def local_variation_of_information(truth: IntArray, found: IntArray, epochs: IntArray) -> float:
    """Variation of information inside each epoch, in nats, averaged over epochs (LVI, RCRP paper section 6)."""
    truth, found, epochs = _aligned(truth=truth, found=found, epochs=epochs)
    order = np.argsort(epochs, kind="stable")
    starts = np.flatnonzero(np.diff(epochs[order])) + 1
    parts = zip(np.split(truth[order], starts), np.split(found[order], starts), strict=True)
    return float(np.mean([variation_of_information(t, f) for t, f in parts]))


def normalized_mutual_information(truth: IntArray, found: IntArray) -> float:
    """Mutual information over the mean of the two entropies; 1 when both are a single group."""
    table = _contingency(truth=truth, found=found)
    entropies = _entropy(table.rows) + _entropy(table.columns)
    # 2 I = H(T) + H(F) - VI; rounding can push independent labelings just below 0.
    return 1.0 if entropies == 0.0 else max(0.0, 1.0 - _information_distance(table) / entropies)


def adjusted_rand_index(truth: IntArray, found: IntArray) -> float:
    """Share of pairs treated alike, corrected for chance (Hubert & Arabie 1985); 1 for equal partitions."""
    table = _contingency(truth=truth, found=found)
    # Python integers: the products below pass 2**63 from about 50,000 documents on.
    both, in_truth, in_found = (
        sum(size * (size - 1) for size in sizes.tolist()) for sizes in (table.cells, table.rows, table.columns)
    )
    pairs = table.n * (table.n - 1)
    if both == in_truth == in_found:
        return 1.0
    expected = in_truth * in_found
    return float(2 * (both * pairs - expected) / ((in_truth + in_found) * pairs - 2 * expected))


def b_cubed(truth: IntArray, found: IntArray) -> BCubed:
    """Per document, the share of its found group that is of its true one (precision) and the reverse (recall)."""
    table = _contingency(truth=truth, found=found)
    pairs = table.cells**2 / table.n
    precision = float(np.sum(pairs / table.columns[table.column_of_cell]))
    recall = float(np.sum(pairs / table.rows[table.row_of_cell]))
    return BCubed(precision, recall, 2 * precision * recall / (precision + recall))


def count_ratio(truth: IntArray, found: IntArray) -> float:
    """Number of found groups over number of true groups."""
    table = _contingency(truth=truth, found=found)
    return table.columns.size / table.rows.size


def _draws(samples: IntArray) -> IntArray:
    samples = np.asarray(samples)
    if samples.ndim != 2 or samples.size == 0:
        raise ValueError(f"samples has shape {samples.shape}: pass a (draws, n) array with at least one of each")
    return samples


def co_assignment(samples: IntArray) -> FloatArray:
    """Share of draws in which documents i and j share a group, n x n ("confusion matrix", tDPM paper section 5)."""
    samples = _draws(samples)
    shared = np.zeros((samples.shape[1], samples.shape[1]))
    for draw in samples:
        shared += draw[:, None] == draw
    shared /= len(samples)
    return shared


def group_counts(samples: IntArray) -> NDArray[np.int64]:
    """Number of groups in each draw."""
    ordered = np.sort(_draws(samples), axis=1)
    return np.asarray(1 + np.sum(ordered[:, 1:] != ordered[:, :-1], axis=1), dtype=np.int64)


def lifespans(labels: IntArray, times: NDArray[Any]) -> Lifespans:
    """Birth, death and size of each group, ordered by birth, then by label."""
    labels, times = _aligned(labels=labels, times=times)
    order = np.lexsort((times, labels))
    label, start, size = np.unique(labels[order], return_index=True, return_counts=True)
    birth, death = times[order][start], times[order][start + size - 1]
    by_birth = np.argsort(birth, kind="stable")
    return Lifespans(label[by_birth], birth[by_birth], death[by_birth], size[by_birth])


def groups_over_time(labels: IntArray, epochs: IntArray) -> tuple[IntArray, NDArray[np.int64]]:
    """The epochs in order and the number of distinct groups with a document in each."""
    table = _contingency(epochs=epochs, labels=labels)
    return np.unique(epochs), np.bincount(table.row_of_cell)


def id_churn(truth: IntArray, before: NDArray[Any], after: NDArray[Any]) -> float:
    """Share of documents whose public id changed between two moments, leaving out those with truth -1 (unknown)."""
    truth, before, after = _aligned(truth=truth, before=before, after=after)
    known = truth != -1
    if not known.any():
        raise ValueError("truth is -1 for every document: pass at least one document whose truth is known")
    return float(np.mean(before[known].astype(object) != after[known].astype(object)))


def _npmi(words: Words, documents: Counts) -> FloatArray:
    """NPMI of each pair of words from document co-occurrence (Bouma 2009), 0 on the diagonal."""
    words = np.asarray(words)
    if words.size < 2 or np.unique(words).size != words.size:
        raise ValueError("words has fewer than two entries or a repeated one: pass at least two different words")
    present = (sparse.csc_array(documents)[:, words] > 0).astype(np.int64)
    n = present.shape[0]
    if n == 0:
        raise ValueError("documents is empty: pass a matrix with at least one row")
    together = (present.T @ present).toarray()
    alone = together.diagonal()
    npmi = np.where(together == 0, -1.0, 0.0)
    # Two words in every document are also independent: they stay at 0, as such a word does with any other.
    i, j = np.nonzero((together > 0) & (together < n))
    npmi[i, j] = np.log(together[i, j] * n / (alone[i] * alone[j])) / np.log(n / together[i, j])
    np.fill_diagonal(npmi, 0.0)
    return npmi


def npmi_coherence(words: Words, documents: Counts) -> float:
    """Mean NPMI over pairs of words (columns of n x V counts): -1 never together, 0 independent, 1 only together."""
    npmi = _npmi(words, documents)
    return float(npmi[np.triu_indices_from(npmi, k=1)].mean())


def intruder(words: Words, documents: Counts) -> int:
    """Index into `words` of the word with the lowest mean NPMI to the others, the first of equals."""
    npmi = _npmi(words, documents)
    # Rounded so that the order of summation does not decide between equals.
    return int(np.argmin(np.round(npmi.sum(axis=1) / (len(npmi) - 1), 12)))


def intrusion_found(top_words: Words, intruder_word: int, documents: Counts) -> bool:
    """Whether the intruder alone has the lowest mean NPMI with the rest (word intrusion, after Chang et al. 2009)."""
    # Last in line, so that a tie goes against it.
    return intruder([*top_words, intruder_word], documents) == len(top_words)


class HeldOut(NamedTuple):
    """Mean held-out log likelihood, nats."""

    per_document: float
    per_token: float


def held_out_likelihood(log_likelihoods: NDArray[np.float64], lengths: IntArray) -> HeldOut:
    """Log likelihoods of held-out documents (from `core.held_out`) with their lengths in tokens, averaged both ways."""
    if len(log_likelihoods) == 0 or len(log_likelihoods) != len(lengths):
        raise ValueError(
            "log_likelihoods and lengths must be of the same length, not empty; pass one of each a document"
        )
    total = float(np.sum(log_likelihoods))
    return HeldOut(total / len(lengths), total / max(int(np.sum(lengths)), 1))
