"""Documents as arrays, in the order (event time, arrival), and the checks on what callers pass in."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from .errors import ArgumentError


class Items(NamedTuple):
    """Documents sorted by time. Words are rows of a sparse count matrix; vectors are rows of a dense one."""

    times: NDArray[np.float64]
    starts: NDArray[np.int64]  # document i has words[starts[i]:starts[i + 1]]
    words: NDArray[np.int64]
    counts: NDArray[np.int64]
    lengths: NDArray[np.int64]  # words in a document, repetitions counted
    points: NDArray[np.float64]  # (n, dimensions)


def word_items(data: Any, times: ArrayLike) -> Items:
    """Documents from a matrix of word counts, sparse or dense."""
    matrix = _count_matrix(data)
    checked = check_times(times, matrix.shape[0])
    counts = matrix.data.astype(np.int64)
    lengths = np.asarray(matrix.sum(axis=1)).ravel().astype(np.int64)
    return Items(
        checked,
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int64),
        counts,
        lengths,
        np.zeros((matrix.shape[0], 0)),
    )


def point_items(data: Any, times: ArrayLike) -> Items:
    """Documents from a matrix of real vectors."""
    if scipy.sparse.issparse(data):
        raise ArgumentError(
            "data", "is sparse, but this likelihood takes vectors", "pass a dense array, e.g. data.toarray()"
        )
    points = _float_array("data", data)
    if points.ndim != 2 or points.shape[1] == 0:
        raise ArgumentError("data", f"has shape {points.shape}", "pass a two-dimensional array, one row per document")
    if not np.isfinite(points).all():
        raise ArgumentError("data", "has values that are not finite", "remove or replace NaN and infinity")
    checked = check_times(times, points.shape[0])
    none = np.zeros(0, np.int64)
    count = points.shape[0]
    return Items(
        checked, np.zeros(count + 1, np.int64), none, none, np.zeros(count, np.int64), np.ascontiguousarray(points)
    )


def check_times(times: ArrayLike, count: int) -> NDArray[np.float64]:
    """Times as floats: one per document, finite, ascending."""
    if count == 0:
        raise ArgumentError("data", "is empty", "pass at least one document")
    checked = _float_array("times", times)
    if checked.shape != (count,):
        raise ArgumentError("times", f"has shape {checked.shape} for {count} documents", "pass one time per document")
    if not np.isfinite(checked).all():
        raise ArgumentError("times", "has values that are not finite", "remove or replace NaN and infinity")
    if (np.diff(checked) < 0).any():
        raise ArgumentError("times", "are not sorted", "sort documents and times by time, ascending")
    return checked


def check_labels(name: str, labels: ArrayLike, count: int) -> NDArray[np.int64]:
    """Labels as whole numbers, one per document, renamed 0, 1, 2, … by first appearance."""
    array = np.asarray(labels)
    if array.shape != (count,):
        raise ArgumentError(name, f"has shape {array.shape} for {count} documents", "pass one label per document")
    if array.dtype.kind not in "iu":
        raise ArgumentError(name, f"has type {array.dtype}", "pass whole numbers")
    return canonical(array)


def canonical(labels: NDArray[Any]) -> NDArray[np.int64]:
    """The same partition with labels 0, 1, 2, … by first appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def _count_matrix(data: Any) -> Any:
    if not scipy.sparse.issparse(data):
        data = _float_array("data", data)
        if data.ndim != 2:
            raise ArgumentError("data", f"has shape {data.shape}", "pass a two-dimensional array, one row per document")
    if data.shape[1] == 0:
        raise ArgumentError("data", "has no columns", "pass one column per word of the vocabulary")
    matrix = scipy.sparse.csr_array(data, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if not np.isfinite(matrix.data).all():
        raise ArgumentError("data", "has counts that are not finite", "remove or replace NaN and infinity")
    if (matrix.data < 0).any():
        raise ArgumentError("data", "has negative counts", "pass how often each word occurs, 0 or more")
    if (matrix.data != np.floor(matrix.data)).any():
        raise ArgumentError("data", "has counts that are not whole numbers", "pass how often each word occurs")
    return matrix


def _float_array(name: str, values: Any) -> NDArray[np.float64]:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(name, "is not an array of numbers", "pass a rectangular array of numbers") from error


def positive(name: str, value: Any, *, zero: bool = False, infinite: bool = False) -> float:
    """A number as a float: above 0 (or from 0), finite unless infinity is allowed."""
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ArgumentError(name, f"is {value!r}", "pass a number") from error
    if np.isnan(number) or (np.isinf(number) and not infinite) or number < 0 or (number == 0 and not zero):
        bound = "0 or more" if zero else "above 0"
        raise ArgumentError(
            name, f"is {value!r}", f"pass a number {bound}" + (", possibly infinite" if infinite else ", finite")
        )
    return number
