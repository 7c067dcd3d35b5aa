"""What Python does to a state between kernel calls: enlarge it when a kernel says it is full, read what it keeps."""

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Folded(NamedTuple):
    """What a prior keeps of settled documents: by slot, at a time, how many and a value. document: number or NONE."""

    slot: NDArray[np.int64]
    document: NDArray[np.int64]
    time: NDArray[np.float64]
    documents: NDArray[np.int64]
    value: NDArray[np.float64]


@singledispatch
def folded(
    state: Any, times: NDArray[np.float64], cursor: int, limit: float, settled: Any, last: NDArray[np.float64]
) -> Folded:
    """What is kept of documents numbered below the cursor, before the time limit; by slot, how many have settled and
    the time of the last."""
    raise NotImplementedError(type(state))


@singledispatch
def widen(state: Any, capacity: int) -> Any:
    """The same state with room for so many slots."""
    raise NotImplementedError(type(state))


@singledispatch
def grow(state: Any) -> Any:
    """The same state with room for more entries in its lists."""
    raise NotImplementedError(type(state))
