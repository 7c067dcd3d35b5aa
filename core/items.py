"""Documents as arrays, in the order (event time, arrival), and the checks on what callers pass in."""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from .errors import ArgumentError

NONE = -1  # the label of a document that is in no thread
NUMBERS = "iuf"  # numpy's kinds of real numbers
LATEST = 1e300  # of a time; differences are still finite
LARGEST = 1e100  # of a coordinate; its square is still finite
MOST = 2.0**31  # occurrences of a word in a document


class Items(NamedTuple):
    """Documents sorted by time. Words are rows of a sparse count matrix; vectors are rows of a dense one."""

    times: NDArray[np.float64]
    starts: NDArray[np.int64]  # document i has words[starts[i]:ends[i]]
    ends: NDArray[np.int64]
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
        matrix.indptr[:-1].astype(np.int64),
        matrix.indptr[1:].astype(np.int64),
        matrix.indices.astype(np.int64),
        counts,
        lengths,
        np.zeros((matrix.shape[0], 0)),
    )


def point_items(data: Any, times: ArrayLike) -> Items:
    """Documents from a matrix of real vectors."""
    if scipy.sparse.issparse(data):
        raise ArgumentError(
            "data", "is sparse, but this likelihood takes vectors", "pass a dense array: data.toarray()"
        )
    points = float_array("data", data)
    if points.ndim != 2 or points.shape[1] == 0:
        raise ArgumentError("data", f"has shape {points.shape}", "pass a two-dimensional array, one row per document")
    _check_finite("data", points, LARGEST)
    count = points.shape[0]
    none = np.zeros(count, np.int64)
    return Items(check_times(times, count), none, none.copy(), none[:0].copy(), none[:0].copy(), none.copy(), points)


def check_times(times: ArrayLike, count: int) -> NDArray[np.float64]:
    """Times as floats: one per document, finite, ascending."""
    if count == 0:
        raise ArgumentError("data", "is empty", "pass at least one document")
    checked = float_array("times", times)
    if checked.shape != (count,):
        raise ArgumentError("times", f"has shape {checked.shape} for {count} documents", "pass one time per document")
    _check_finite("times", checked, LATEST)
    if (np.diff(checked) < 0).any():
        raise ArgumentError("times", "are not sorted", "sort documents and times by time, ascending")
    return checked


def check_labels(name: str, labels: ArrayLike, count: int) -> NDArray[np.int64]:
    """Labels as whole numbers, one per document, renamed 0, 1, 2, … by first appearance."""
    array = as_array(name, labels)
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
    sparse: bool = scipy.sparse.issparse(data)
    if not sparse:
        data = float_array("data", data)
    elif data.dtype.kind not in NUMBERS:
        raise ArgumentError("data", f"has type {data.dtype}", "pass whole numbers")
    if data.ndim != 2 or data.shape[1] == 0:
        raise ArgumentError("data", f"has shape {data.shape}", "pass a two-dimensional array, one column per word")
    matrix = scipy.sparse.csr_array(
        data.astype(np.float64)
    )  # before duplicates are summed, which narrow types overflow
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    _check_finite("data", matrix.data, MOST)
    if (matrix.data < 0).any():
        raise ArgumentError("data", "has negative counts", "pass how often each word occurs, 0 or more")
    if (matrix.data != np.floor(matrix.data)).any():
        raise ArgumentError("data", "has counts that are not whole numbers", "pass how often each word occurs")
    return matrix


def _check_finite(name: str, values: NDArray[np.float64], most: float) -> None:
    if not np.isfinite(values).all():
        raise ArgumentError(name, "has values that are not finite", "remove or replace NaN and infinity")
    if (np.abs(values) > most).any():
        raise ArgumentError(name, f"has values beyond {most:g}", "use a larger unit or leave them out")


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers start, start + 1, … of each range, range after range."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def as_array(name: str, values: Any) -> NDArray[Any]:
    """An array of whatever type the values have."""
    if np.ma.isMaskedArray(values):
        raise ArgumentError(name, "is a masked array", "fill or leave out the masked values")
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(name, "is not an array of numbers", "pass a rectangular array of numbers") from error


def float_array(name: str, values: Any) -> NDArray[np.float64]:
    """A contiguous, writable copy as floats: one layout, so that kernels compile once."""
    array = as_array(name, values)
    if array.dtype.kind not in NUMBERS:
        raise ArgumentError(name, f"has type {array.dtype}", "pass a rectangular array of numbers")
    return np.array(array, dtype=np.float64, order="C")


def positive(
    name: str, value: Any, *, zero: bool = False, infinite: bool = False, least: float = 0.0, most: float = math.inf
) -> float:
    """A number as a float: above 0 (or from 0), in a range, finite unless infinity is allowed."""
    number = _as_float(value)
    inside = max(least, 0.0) <= number <= most and (number > 0 or zero) and (number < math.inf or infinite)
    if not inside:
        low = f"{least:g} or more" if least else "0 or more" if zero else "above 0"
        high = f", at most {most:g}" if most < math.inf else ", possibly infinite" if infinite else ", finite"
        raise ArgumentError(name, f"is {value!r:.40}", f"pass a number {low}{high}")
    return number


def whole(name: str, value: Any, least: int) -> int:
    """A whole number from the least on."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ArgumentError(name, f"is {value!r:.40}", f"pass a whole number, {least} or more")
    return int(value)


def _as_float(value: Any) -> float:
    """The number, or NaN for what is none or is too large to be one."""
    if isinstance(value, bool | np.bool | str | bytes):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
