"""Sorted lists packed in flat arrays, the inverted index built on them, and tables of log gamma.

One structure serves words (word -> threads with their counts), members (thread -> documents in time order) and
epochs (thread -> epochs with their counts). Lists keep their ids ascending, so that what a list holds never
depends on the order in which it was filled: the same labels always give the same state, bit for bit.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from .items import ranges
from .jit import helper

SMALLEST = 2  # entries in the smallest block: most words are in few threads, and what is small stays in fast memory
CLASSES = 40  # block sizes are SMALLEST * 2**c
STIRLING = 1000.0  # from here on the terms of Stirling's series beyond 1 / 360x³ are below double precision
HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


class Lists(NamedTuple):
    """key -> ascending ids, each with a count and a value; blocks grow by doubling and are reused by size."""

    start: NDArray[np.int64]
    length: NDArray[np.int64]
    capacity: NDArray[np.int64]
    free: NDArray[np.int64]  # size class -> first free block or -1; a free block's `ids[start]` names the next
    top: NDArray[np.int64]  # [0]: entries in use or once used
    ids: NDArray[np.int64]
    counts: NDArray[np.int64]
    values: NDArray[np.float64]


def new_lists(keys: int, entries: int) -> Lists:
    """Empty lists for so many keys, with room for so many entries."""
    zeros = np.zeros(keys, np.int64)
    size = max(entries, SMALLEST)
    return Lists(
        zeros,
        zeros.copy(),
        zeros.copy(),
        np.full(CLASSES, -1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size),
    )


def with_entries(lists: Lists) -> Lists:
    """The same lists with room for twice as many entries."""
    return lists._replace(
        ids=np.concatenate([lists.ids, np.zeros_like(lists.ids)]),
        counts=np.concatenate([lists.counts, np.zeros_like(lists.counts)]),
        values=np.concatenate([lists.values, np.zeros_like(lists.values)]),
    )


def with_keys(lists: Lists, keys: int) -> Lists:
    """The same lists with empty ones added up to so many keys."""
    more = keys - len(lists.start)
    return lists._replace(
        start=np.pad(lists.start, (0, more)),
        length=np.pad(lists.length, (0, more)),
        capacity=np.pad(lists.capacity, (0, more)),
    )


def entries(lists: Lists) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where in the arrays the entries of all lists are, list after list, and the key of each."""
    keys = np.flatnonzero(lists.length)
    lengths = lists.length[keys]
    return ranges(lists.start[keys], lengths), np.repeat(keys, lengths)


@helper
def size_class(capacity: int) -> int:
    """c such that capacity = SMALLEST * 2**c."""
    c = 0
    while SMALLEST << c < capacity:
        c += 1
    return c


@helper
def entries_to_insert(lists: Lists, key: int) -> int:
    """Entries at the end of the arrays that one insertion into the key's list may take."""
    capacity = lists.capacity[key]
    if lists.length[key] < capacity:
        return 0
    return max(2 * capacity, SMALLEST)


@helper
def find(lists: Lists, key: int, wanted: int) -> int:
    """Where in the arrays the first id >= wanted of the key's list is (its end if there is none)."""
    low = lists.start[key]
    high = low + lists.length[key]
    while low < high:
        middle = (low + high) // 2
        if lists.ids[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@helper
def insert(lists: Lists, key: int, position: int, new_id: int) -> int:
    """Open an entry for new_id at the position (from `find`); returns where it ended up. Needs room."""
    offset = position - lists.start[key]
    if lists.length[key] == lists.capacity[key]:
        _move_to_larger_block(lists, key)
    position = lists.start[key] + offset
    end = lists.start[key] + lists.length[key]
    for e in range(end, position, -1):
        lists.ids[e] = lists.ids[e - 1]
        lists.counts[e] = lists.counts[e - 1]
        lists.values[e] = lists.values[e - 1]
    lists.ids[position] = new_id
    lists.counts[position] = 0
    lists.values[position] = 0.0
    lists.length[key] += 1
    return position


@helper
def delete(lists: Lists, key: int, position: int) -> None:
    """Close the entry at the position; an emptied list gives its block back."""
    lists.length[key] -= 1
    end = lists.start[key] + lists.length[key]
    for e in range(position, end):
        lists.ids[e] = lists.ids[e + 1]
        lists.counts[e] = lists.counts[e + 1]
        lists.values[e] = lists.values[e + 1]
    if lists.length[key] == 0:
        _release(lists, lists.start[key], lists.capacity[key])
        lists.capacity[key] = 0


@helper
def _release(lists: Lists, start: int, capacity: int) -> None:
    c = size_class(capacity)
    lists.ids[start] = lists.free[c]
    lists.free[c] = start


@helper
def _move_to_larger_block(lists: Lists, key: int) -> None:
    old_start, old_capacity = lists.start[key], lists.capacity[key]
    capacity = max(2 * old_capacity, SMALLEST)
    c = size_class(capacity)
    start = lists.free[c]
    if start >= 0:
        lists.free[c] = lists.ids[start]
    else:
        start = lists.top[0]
        lists.top[0] += capacity
    for e in range(lists.length[key]):
        lists.ids[start + e] = lists.ids[old_start + e]
        lists.counts[start + e] = lists.counts[old_start + e]
        lists.values[start + e] = lists.values[old_start + e]
    lists.start[key] = start
    lists.capacity[key] = capacity
    if old_capacity > 0:
        _release(lists, old_start, old_capacity)


def gamma_table(offset: float, size: int) -> NDArray[np.float64]:
    """log Γ(n + offset) for n = 0 … size - 1."""
    return np.asarray(gammaln(np.arange(size) + offset))


@helper
def log_gamma_at(table: NDArray[np.float64], offset: float, n: int) -> float:
    """log Γ(n + offset) from the table, or computed when n is beyond it: where Stirling's series is exact, by that."""
    if n < len(table):
        return table[n]
    x = n + offset
    if x < STIRLING:
        return math.lgamma(x)
    return (x - 0.5) * math.log(x) - x + HALF_LOG_2PI + 1.0 / (12.0 * x) - 1.0 / (360.0 * x * x * x)


LOGS = np.log(np.maximum(np.arange(4096), 1))


@helper
def log_of_count(n: int) -> float:
    """log max(n, 1) of a number of documents, from a table where it is small."""
    return LOGS[n] if n < len(LOGS) else math.log(n)


@helper
def log_rising(x: float, n: int) -> float:
    """log Γ(x + n) − log Γ(x): by products of eight for small n, which neither overflow nor cancel."""
    if n > 256:
        return math.lgamma(x + n) - math.lgamma(x)
    total = 0.0
    product = 1.0
    for j in range(n):
        product *= x + j
        if j & 7 == 7:
            total += math.log(product)
            product = 1.0
    return total + math.log(product)


@helper
def times_rising(total: float, product: float, x: float, n: int) -> tuple[float, float]:
    """total + log product with log Γ(x + n) − log Γ(x) added, in the same form: one log serves many factors."""
    if n > 1:
        return total + log_rising(x, n), product
    product *= x
    if 1e-100 < product < 1e100:
        return total, product
    return total + math.log(product), 1.0
