"""Growing a state between kernel calls: kernels return when something is full, Python enlarges it here."""

from functools import singledispatch
from typing import Any


@singledispatch
def widen(state: Any, capacity: int) -> Any:
    """The same state with room for so many slots."""
    raise NotImplementedError(type(state))


@singledispatch
def grow(state: Any) -> Any:
    """The same state with room for more entries in its lists."""
    raise NotImplementedError(type(state))
