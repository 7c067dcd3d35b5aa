"""The one place that touches numba: shared options, contracts compiled by class, and the disk cache.

A *contract* is a function whose behaviour depends on the class of its first argument, a NamedTuple of arrays.
`implements` registers a plain Python function for a class. Plain Python calls it by class at run time; inside a
compiled kernel numba picks it by class at compile time (`overload`), so one generic sweep becomes a fused loop
for every prior x likelihood pair and its machine code can be cached on disk.
"""

import hashlib
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import numba
from numba.extending import overload

config: Any = numba.config
F = TypeVar("F", bound=Callable[..., Any])

# numpy's error model: division by zero gives inf or nan instead of an exception raised out of a kernel.
# fastmath stays off: it assumes that -inf never occurs, and scores use it.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
# Only kernels are called from Python; leaving out the others' wrappers halves the time to compile. Without numba's
# runtime a call does not count references to all arrays of a state, which took ten times as long as the work itself;
# the price is that inner functions can neither make arrays nor return any. They are always inlined: a call would copy
# the description of every array.
INNER: dict[str, Any] = {
    **OPTIONS,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
    "forceinline": True,
}


class Contract(Protocol):
    """A function with one implementation per NamedTuple class."""

    def __call__(self, *args: Any) -> Any: ...

    def implements(self, cls: type) -> Callable[[F], F]: ...


def contract(declaration: Callable[..., Any], default: Callable[..., Any] | None = None) -> Contract:
    """Turn a declaration (name and docstring, no body) into a contract; a default serves classes without their own."""
    implementations: dict[type, Callable[..., Any]] = {}

    def dispatch(*args: Any) -> Any:
        function = implementations.get(type(args[0]), default)
        if function is None:
            raise NotImplementedError(f"{declaration.__name__} of {type(args[0]).__name__}")
        return function(*args)

    def implementation_for_types(*types: Any) -> Callable[..., Any] | None:
        return implementations.get(getattr(types[0], "instance_class", type(None)), default)

    def implements(cls: type) -> Callable[[F], F]:
        def register(function: F) -> F:
            implementations[cls] = _returning_no_array(function)
            return function

        return register

    dispatch.__name__ = declaration.__name__
    dispatch.__doc__ = declaration.__doc__
    cast(Any, dispatch).implements = implements
    overload(dispatch, jit_options=cast(Any, INNER), strict=False)(implementation_for_types)
    return cast(Contract, dispatch)


def kernel(function: F) -> F:
    """Compile an outer loop, called from Python; its machine code is cached on disk."""
    return cast(F, numba.njit(cache=True, **OPTIONS)(function))


def helper(function: F) -> F:
    """Compile a function that only kernels and implementations call."""
    return cast(F, numba.njit(**INNER)(_returning_no_array(function)))


def _returning_no_array(function: F) -> F:
    """The function, unless it says that it returns an array: nobody would own that one."""
    if "NDArray" in str(function.__annotations__.get("return")):
        raise TypeError(f"{function.__name__} returns an array: only a kernel can, or write into one that is passed in")
    return function


def source_hash() -> str:
    """A digest of core's sources and of numba's version.

    Numba watches only the file of the outer function, so an edit elsewhere would run stale code.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    here = Path(__file__).parent
    for path in sorted(here.rglob("*.py")):
        digest.update(path.relative_to(here).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_directory() -> str:
    """The first writable place for compiled code: numba's setting, beside the sources, or the user's cache."""
    name = source_hash()
    first = Path(config.CACHE_DIR or Path(__file__).parent / "__pycache__" / "numba")
    for root in (first, Path("~/.cache/threadline").expanduser()):
        try:
            (root / name).mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=root / name):
                return str(root / name)
        except OSError:
            continue
    return tempfile.mkdtemp(prefix="threadline-numba-")


config.CACHE_DIR = _cache_directory()


@helper
def log_or_minus_infinity(x: float) -> float:
    """log x with log 0 = -inf, which plain Python refuses; -inf for NaN too."""
    return math.log(x) if x > 0.0 else -math.inf
