"""All that a kernel works on, in one piece."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..items import Items
from ..slots import Scratch, Slots


class State(NamedTuple):
    """Documents, the slot of each, and what prior and likelihood make of that. Kernels change the arrays in place."""

    prior: Any
    likelihood: Any
    items: Items
    slots: Slots
    scratch: Scratch
    labels: NDArray[np.int64]  # slot of each document, NONE for those in no thread
