"""Weights of a thread's members under a kernel: a short recursion when it is memoryless, plain sums otherwise.

Members are entries of sorted lists, [first, end) in time order; an entry's value is its weight w(t_m) = Σ k(t_m − t_e)
over the members e before it (tDPM eq. 2). With a memoryless kernel, k(a + b) = k(a) k(b), the effect of a document on
later members is a product of factors 1 + δ_j with δ_{j+1} = δ_j w_j / (w_j + 1), where w_j is the weight of the j-th
later member without the document; the first factor cancels against the document's own weight: w (1 + δ₁) = w + 1.
"""

import math
from typing import Any

from ..index import Lists, log_of_count
from ..items import Items
from ..jit import contract, log_or_minus_infinity
from ..kernels import Exponential, Logistic, Periodic, Step, Window, decay, horizon, log_decay
from ..sides import Sides

NEGLIGIBLE = 1e-12  # nats; what is left of a sum over later members may be dropped below this
LIGHTEST = 1e-15  # documents; what is left of a thread after erasing weighs at least this
FORGOTTEN = 1e-9  # a settled member whose influence has faded to less is dropped


@contract
def log_weight(kernel, items, members, first, position, time):  # type: ignore[no-untyped-def]
    """log w(time) from the members in [first, position)."""


@contract
def log_weight_and_future(kernel, items, members, first, position, end, i):  # type: ignore[no-untyped-def]
    """log w(t_i) from [first, position), plus the log of what i does to the weights of [position, end), not empty."""


@contract
def log_weight_and_future_within(kernel, items, members, first, position, end):  # type: ignore[no-untyped-def]
    """The same for the member at the position, as if it were not one."""


@contract
def log_floor(kernel, items, members, first, position, end):  # type: ignore[no-untyped-def]
    """A lower bound on `log_weight_and_future_within`; -inf when none is known."""


@contract
def reweigh(kernel, items, members, first, position, end):  # type: ignore[no-untyped-def]
    """Bring the values of the members in [position, end) up to date."""


@contract
def torn_without(kernel, items, members, first, position, end):  # type: ignore[no-untyped-def]
    """Whether a later member would have no weight left without the member at the position."""


@contract
def log_total_ceiling(kernel, attached):  # type: ignore[no-untyped-def]
    """An upper bound on the log of the summed weights of all slots."""


@contract
def keeps_settled(kernel, age):  # type: ignore[no-untyped-def]
    """Whether a settled member is still needed when a later one, younger by the age, settles."""


@contract
def lighten(kernel, items, members, first, end, i, left):  # type: ignore[no-untyped-def]
    """Take the weight of settled document i, given again, out of the members; left: settled documents beside it.
    Returns which member is to be deleted for that, negative for none."""


@contract
def time_to_weight(kernel, items, members, first, end, log_wanted):  # type: ignore[no-untyped-def]
    """When the weight of all members falls to e^log_wanted."""


@contract
def side_weight(kernel, items, members, first, middle, sides, s, time):  # type: ignore[no-untyped-def]
    """w(time) from the settled members in [first, middle) and the documents of side s, at least one in all."""


# Memoryless kernels: one exponential and a short recursion.


def memoryless_log_weight(kernel: Any, items: Items, members: Lists, first: int, position: int, time: float) -> float:
    last = position - 1
    age = time - items.times[members.ids[last]]
    return math.log1p(members.values[last]) + log_decay(kernel, age)


def memoryless_log_weight_and_future(
    kernel: Any, items: Items, members: Lists, first: int, position: int, end: int, i: int
) -> float:
    age = items.times[members.ids[position]] - items.times[i]
    if position > first:  # w (1 + δ₁) = w + 1
        gap = items.times[i] - items.times[members.ids[position - 1]]
        total = math.log(1.0 + decay(kernel, gap) * (1.0 + members.values[position - 1]))
    else:  # i is the birth and pays the α that the next member no longer pays, which now follows i
        total = log_decay(kernel, age)
    delta = decay(kernel, age) / (members.values[position] + 1.0)
    product = 1.0  # at most the number of later members, so it cannot overflow
    for m in range(position + 1, end):
        if delta * (end - m) < NEGLIGIBLE:
            break
        product *= 1.0 + delta
        delta *= members.values[m] / (members.values[m] + 1.0)
    return total + math.log(product)


def memoryless_log_weight_and_future_within(
    kernel: Any, items: Items, members: Lists, first: int, position: int, end: int
) -> float:
    """Weights w_j here hold i's part, a share ρ_j of them: 1 + δ_j = 1 / (1 − ρ_j), ρ_{j+1} = ρ_j w_j / (w_j + 1)."""
    total = log_floor(kernel, items, members, first, position, end)
    if position + 1 == end:
        return total
    age = items.times[members.ids[position + 1]] - items.times[members.ids[position]]
    share = decay(kernel, age) / (members.values[position + 1] + 1.0)
    product = 1.0
    for m in range(position + 2, end):
        if share * (end - m) < NEGLIGIBLE:
            break
        product *= 1.0 - share
        share *= members.values[m] / (members.values[m] + 1.0)
    return total - math.log(product)


def memoryless_log_floor(kernel: Any, items: Items, members: Lists, first: int, position: int, end: int) -> float:
    """What the document itself weighs, and what it does to the next member; those after it only gain."""
    time = items.times[members.ids[position]]
    if position == first:
        return log_decay(kernel, items.times[members.ids[position + 1]] - time)
    if position + 1 == end:
        return log_weight(kernel, items, members, first, position, time)
    return math.log(1.0 + members.values[position])


def memoryless_reweigh(kernel: Any, items: Items, members: Lists, first: int, position: int, end: int) -> None:
    for m in range(position, end):
        weight = 0.0
        if m > first:
            age = items.times[members.ids[m]] - items.times[members.ids[m - 1]]
            weight = decay(kernel, age) * (members.values[m - 1] + 1.0)
        if m > position and weight == members.values[m]:
            return  # unchanged, so all that follow are too
        members.values[m] = weight


def memoryless_torn_without(kernel: Any, items: Items, members: Lists, first: int, position: int, end: int) -> bool:
    return False


def memoryless_log_total_ceiling(kernel: Any, attached: int) -> float:
    """w Π(1 + δ_j) <= w + later members <= members, because k <= 1."""
    return log_of_count(attached)


def memoryless_keeps_settled(kernel: Any, age: float) -> bool:
    """The later one's value holds all that is known of it."""
    return False


def memoryless_lighten(kernel: Any, items: Items, members: Lists, first: int, end: int, i: int, left: int) -> int:
    """The first member stands for all that settled, 1 + value at its time; rounding must not make that negative."""
    if left == 0:
        return first
    weight = decay(kernel, items.times[members.ids[first]] - items.times[i])
    members.values[first] = max(members.values[first] - weight, LIGHTEST - 1.0)
    reweigh(kernel, items, members, first, first + 1, end)
    return -1


@time_to_weight.implements(Exponential)
def exponential_time_to_weight(
    kernel: Exponential, items: Items, members: Lists, first: int, end: int, log_wanted: float
) -> float:
    log_weight_there = math.log1p(members.values[end - 1])
    return items.times[members.ids[end - 1]] + max(log_weight_there - log_wanted, 0.0) / kernel.rate


@time_to_weight.implements(Step)
def step_time_to_weight(kernel: Step, items: Items, members: Lists, first: int, end: int, log_wanted: float) -> float:
    return math.inf


def memoryless_side_weight(
    kernel: Any, items: Items, members: Lists, first: int, middle: int, sides: Sides, s: int, time: float
) -> float:
    last = sides.size[s] - 1
    if last >= 0:
        return decay(kernel, time - items.times[sides.documents[s, last]]) * (sides.values[s, last] + 1.0)
    return decay(kernel, time - items.times[members.ids[middle - 1]]) * (members.values[middle - 1] + 1.0)


_kernel: type
for _kernel in (Exponential, Step):
    side_weight.implements(_kernel)(memoryless_side_weight)
    keeps_settled.implements(_kernel)(memoryless_keeps_settled)
    lighten.implements(_kernel)(memoryless_lighten)
    log_floor.implements(_kernel)(memoryless_log_floor)
    log_weight.implements(_kernel)(memoryless_log_weight)
    log_weight_and_future.implements(_kernel)(memoryless_log_weight_and_future)
    log_weight_and_future_within.implements(_kernel)(memoryless_log_weight_and_future_within)
    torn_without.implements(_kernel)(memoryless_torn_without)
    reweigh.implements(_kernel)(memoryless_reweigh)
    log_total_ceiling.implements(_kernel)(memoryless_log_total_ceiling)


# Other kernels: plain sums over the members.


def summed_log_weight(kernel: Any, items: Items, members: Lists, first: int, position: int, time: float) -> float:
    total = 0.0
    for m in range(first, position):
        total += decay(kernel, time - items.times[members.ids[m]])
    return log_or_minus_infinity(total)


def summed_log_weight_and_future(
    kernel: Any, items: Items, members: Lists, first: int, position: int, end: int, i: int
) -> float:
    time = items.times[i]
    if position > first:
        total = log_weight(kernel, items, members, first, position, time)
        later = position
    else:
        total = log_decay(kernel, items.times[members.ids[position]] - time)
        later = position + 1
    for m in range(later, end):
        total += math.log1p(decay(kernel, items.times[members.ids[m]] - time) / members.values[m])
    return total


def summed_log_weight_and_future_within(
    kernel: Any, items: Items, members: Lists, first: int, position: int, end: int
) -> float:
    time = items.times[members.ids[position]]
    if position > first:
        total = log_or_minus_infinity(members.values[position])
        later = position + 1
    else:
        total = log_decay(kernel, items.times[members.ids[position + 1]] - time)
        later = position + 2
    for m in range(later, end):
        without = 0.0
        for earlier in range(first, m):
            if earlier != position:
                without += decay(kernel, items.times[members.ids[m]] - items.times[members.ids[earlier]])
        total += math.log1p(decay(kernel, items.times[members.ids[m]] - time) / without)
    return total


def summed_log_floor(kernel: Any, items: Items, members: Lists, first: int, position: int, end: int) -> float:
    return -math.inf


def summed_reweigh(kernel: Any, items: Items, members: Lists, first: int, position: int, end: int) -> None:
    for m in range(position, end):
        weight = 0.0
        for earlier in range(first, m):
            weight += decay(kernel, items.times[members.ids[m]] - items.times[members.ids[earlier]])
        members.values[m] = weight


def summed_torn_without(kernel: Any, items: Items, members: Lists, first: int, position: int, end: int) -> bool:
    for m in range(max(position + 1, first + 2 if position == first else 0), end):
        alone = True
        for earlier in range(m - 1, first - 1, -1):
            age = items.times[members.ids[m]] - items.times[members.ids[earlier]]
            if earlier != position and decay(kernel, age) > 0.0:
                alone = False
                break
        if alone:
            return True
    return False


def summed_log_total_ceiling(kernel: Any, attached: int) -> float:
    return math.inf


def summed_keeps_settled(kernel: Any, age: float) -> bool:
    return decay(kernel, age) > FORGOTTEN


def summed_lighten(kernel: Any, items: Items, members: Lists, first: int, end: int, i: int, left: int) -> int:
    """A member of the same time, if one is kept and later members have weight without it."""
    for m in range(first, end):
        if items.times[members.ids[m]] == items.times[i]:
            return -1 if torn_without(kernel, items, members, first, m, end) else m
    return -1


def summed_time_to_weight(kernel: Any, items: Items, members: Lists, first: int, end: int, log_wanted: float) -> float:
    """By bisection; the weight is below it beyond the horizon."""
    low = items.times[members.ids[end - 1]]
    high = low + horizon(kernel, math.log(end - first) - log_wanted + 1.0)
    if math.isinf(high) or log_weight(kernel, items, members, first, end, low) < log_wanted:
        return high if math.isinf(high) else low
    for _ in range(60):
        middle = 0.5 * (low + high)
        if log_weight(kernel, items, members, first, end, middle) < log_wanted:
            high = middle
        else:
            low = middle
    return high


def summed_side_weight(
    kernel: Any, items: Items, members: Lists, first: int, middle: int, sides: Sides, s: int, time: float
) -> float:
    total = 0.0
    for m in range(first, middle):
        total += decay(kernel, time - items.times[members.ids[m]])
    for m in range(sides.size[s]):
        total += decay(kernel, time - items.times[sides.documents[s, m]])
    return total


for _kernel in (Window, Logistic, Periodic):
    side_weight.implements(_kernel)(summed_side_weight)
    keeps_settled.implements(_kernel)(summed_keeps_settled)
    lighten.implements(_kernel)(summed_lighten)
    time_to_weight.implements(_kernel)(summed_time_to_weight)
    log_floor.implements(_kernel)(summed_log_floor)
    log_weight.implements(_kernel)(summed_log_weight)
    log_weight_and_future.implements(_kernel)(summed_log_weight_and_future)
    log_weight_and_future_within.implements(_kernel)(summed_log_weight_and_future_within)
    torn_without.implements(_kernel)(summed_torn_without)
    reweigh.implements(_kernel)(summed_reweigh)
    log_total_ceiling.implements(_kernel)(summed_log_total_ceiling)
