"""How old a thread is for a document: three distances between a document and a thread (Wybo et al. 2012, eq. 9-11).

A thread's age at time t is, over its members before t, their mean age, the mean weighted by the kernel, or that of the
youngest. Between two members all three grow with time, so it is enough to know age and mass at the last member; only
the weighted mean under a kernel that is not memoryless needs the members.
"""

from typing import Any, NamedTuple

from ..index import Lists
from ..items import NONE, Items
from ..jit import contract
from ..kernels import Exponential, Kernel, Step, decay


class Mean(NamedTuple):
    """The mean age of the members."""


class Nearest(NamedTuple):
    """The age of the youngest member."""


class Weighted(NamedTuple):
    """The mean age, each member weighted by a memoryless kernel of its age."""


class WeightedSum(NamedTuple):
    """The same for other kernels, member by member."""


@contract
def age_joined(distance, kernel, count, age, mass, gap):  # type: ignore[no-untyped-def]
    """Age and mass of a thread right after a document joins it, so long after the last of its `count` members."""


@contract
def age_at(distance, kernel, items, members, first, position, extra, age, last, time):  # type: ignore[no-untyped-def]
    """Age at a time of the members in [first, position) with document `extra` (NONE: nobody), given the age at the time
    of the last of them."""


def distance_of(name: str, kernel: Kernel) -> Any:
    """The distance by its name."""
    if name == "weighted" and not isinstance(kernel, Exponential | Step):
        return WeightedSum()
    return {"mean": Mean(), "nearest": Nearest(), "weighted": Weighted()}[name]


@age_joined.implements(Mean)
def _mean_joined(
    distance: Mean, kernel: Kernel, count: int, age: float, mass: float, gap: float
) -> tuple[float, float]:
    return (age + gap) * count / (count + 1), 0.0


@age_joined.implements(Weighted)
def _weighted_joined(
    distance: Weighted, kernel: Kernel, count: int, age: float, mass: float, gap: float
) -> tuple[float, float]:
    faded = mass * decay(kernel, gap)
    return faded * (age + gap) / (faded + 1.0), faded + 1.0


def _joined_at_0(distance: Any, kernel: Kernel, count: int, age: float, mass: float, gap: float) -> tuple[float, float]:
    return 0.0, 0.0


age_joined.implements(Nearest)(_joined_at_0)
age_joined.implements(WeightedSum)(_joined_at_0)


def _grown(
    distance: Any,
    kernel: Kernel,
    items: Items,
    members: Lists,
    first: int,
    position: int,
    extra: int,
    age: float,
    last: float,
    time: float,
) -> float:
    return age + (time - last)


for _distance in (Mean, Nearest, Weighted):
    age_at.implements(_distance)(_grown)


@age_at.implements(WeightedSum)
def _summed(
    distance: WeightedSum,
    kernel: Kernel,
    items: Items,
    members: Lists,
    first: int,
    position: int,
    extra: int,
    age: float,
    last: float,
    time: float,
) -> float:
    """In the order of time, whoever is extra; the age of the youngest where all weights are 0."""
    total = ages = 0.0
    m = first
    while m < position or extra != NONE:
        document = extra
        if m < position and (extra == NONE or members.ids[m] < extra):
            document = members.ids[m]
            m += 1
        else:
            extra = NONE
        weight = decay(kernel, time - items.times[document])
        total += weight
        ages += weight * (time - items.times[document])
    return ages / total if total > 0.0 else time - last
