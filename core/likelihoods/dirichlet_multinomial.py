"""Words from a multinomial with a Dirichlet prior Dir(β m), integrated out (tDPM eq. 8-12).

log p(d | f) = log Γ(F+β) − log Γ(F+β+L) + Σ_{v∈d} [log Γ(d_v+f_v+βm_v) − log Γ(f_v+βm_v)], without the multinomial
coefficient. For a thread that shares no word with d the sum is a constant of the document, so the score is
(constant) + (length term from F) + Σ over shared words of a correction: an inverted index makes the cost follow the
overlap. The correction of a word that occurs once in the document is kept beside the count in the index.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..contracts import (
    attach,
    detach,
    explain,
    gather,
    join,
    log_join,
    log_score,
    log_score_and_own,
    log_score_in,
    log_score_pool,
    log_score_untouched,
    log_score_within,
    open_sides,
    purge,
    room,
    room_to_move,
)
from ..errors import ArgumentError
from ..growth import grow, widen
from ..index import (
    SMALLEST,
    Lists,
    delete,
    entries_to_insert,
    find,
    gamma_table,
    insert,
    log_gamma_at,
    log_rising,
    new_lists,
    times_rising,
    with_entries,
    with_keys,
)
from ..items import NONE, Items, float_array, positive, word_items
from ..jit import helper, kernel
from ..pool import Pool
from ..sides import BOTH, LEFT, RIGHT, Sides
from ..slots import TABULATED, Scratch, Slots

LEAST_MASS = 1e-200  # βm of a word that occurs; the log of less could not be told from 0
SIMILAR = 64  # numbers of threads whose words' corrections are kept apart
TABLE = 1 << 12  # total words in a thread up to which log Γ comes from a table, small enough for a fast cache


STRENGTHS = (1e-8, 1e8)  # words; beyond, differences of log Γ lose their digits


@dataclass(frozen=True, eq=False)
class DirichletMultinomial:
    """strength: β, 1e-8 to 1e8 words. base: m, one probability per word of the vocabulary, uniform when None."""

    strength: float
    base: ArrayLike | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "strength", positive("strength", self.strength, least=STRENGTHS[0], most=STRENGTHS[1]))
        if self.base is None:
            return
        base = float_array("base", self.base)
        if base.ndim != 1 or not np.isfinite(base).all() or (base < 0).any() or abs(base.sum() - 1.0) > 1e-6:
            raise ArgumentError("base", "is not a probability vector", "pass one value >= 0 per word, summing to 1")
        object.__setattr__(self, "base", base / base.sum())

    def items(self, data: Any, times: ArrayLike) -> Items:
        """Documents from a count matrix."""
        items = word_items(data, times)
        base = self.base_over(data.shape[1] if hasattr(data, "shape") else np.asarray(data).shape[1])
        if len(items.words) and self.strength * base[items.words].min() < LEAST_MASS:
            raise ArgumentError("base", "is 0 for a word that occurs in data", "give every word that occurs some mass")
        return items

    def base_over(self, vocabulary: int) -> NDArray[np.float64]:
        """m over so many words."""
        if self.base is None:
            return np.full(vocabulary, 1.0 / vocabulary)
        base = np.asarray(self.base)
        if len(base) != vocabulary:
            raise ArgumentError(
                "base", f"has {len(base)} values for {vocabulary} words", "pass one value per column of data"
            )
        return base

    def start(self, items: Items, vocabulary: int, capacity: int) -> "DirichletMultinomialState":
        """The state of no document attached."""
        mass = self.strength * self.base_over(vocabulary)
        with np.errstate(divide="ignore"):
            log_mass = np.log(mass)
        return DirichletMultinomialState(
            self.strength,
            mass,
            log_mass,
            gamma_table(self.strength, TABLE),
            new_lists(vocabulary, 4 * (len(items.words) + vocabulary)),
            np.zeros(capacity, np.int64),
        )

    def log_peak(self, items: Items) -> float:
        """No document has a higher log likelihood in any thread."""
        return 0.0


class DirichletMultinomialState(NamedTuple):
    """word -> (slot, count, correction), and total words by slot."""

    strength: float
    mass: NDArray[np.float64]  # βm by word
    log_mass: NDArray[np.float64]
    log_gamma: NDArray[np.float64]  # F -> log Γ(F + β)
    postings: Lists
    total: NDArray[np.int64]  # F by slot


@widen.register
def _widen(state: DirichletMultinomialState, capacity: int) -> DirichletMultinomialState:
    return state._replace(total=np.pad(state.total, (0, capacity - len(state.total))))


@grow.register
def _grow(state: DirichletMultinomialState) -> DirichletMultinomialState:
    return state._replace(postings=with_entries(state.postings))


@room.implements(DirichletMultinomialState)
def words_room(state: DirichletMultinomialState, items: Items, i: int) -> bool:
    needed = state.postings.top[0]
    for w in range(items.starts[i], items.ends[i]):
        needed += entries_to_insert(state.postings, items.words[w])
    return needed <= len(state.postings.ids)


@room_to_move.implements(DirichletMultinomialState)
def words_room_to_move(
    state: DirichletMultinomialState, items: Items, sides: Sides, members: NDArray[np.int64], found: int
) -> bool:
    """No list becomes longer by more than one entry, or shorter, so that each takes one larger block at most."""
    needed = state.postings.top[0]
    sides.marks[3] += 1
    for m in range(found):
        for w in range(items.starts[members[m]], items.ends[members[m]]):
            word = items.words[w]
            if sides.seen[word] != sides.marks[3]:
                sides.seen[word] = sides.marks[3]
                needed += max(2 * state.postings.capacity[word], SMALLEST)
    return needed <= len(state.postings.ids)


@helper
def correction(state: DirichletMultinomialState, word: int, count: int) -> float:
    """What one occurrence of a word gains in a thread that has it count times: log (f + βm) / βm."""
    return math.log(count + state.mass[word]) - state.log_mass[word]


@attach.implements(DirichletMultinomialState)
def words_attach(state: DirichletMultinomialState, items: Items, i: int, slot: int) -> None:
    postings = state.postings
    for w in range(items.starts[i], items.ends[i]):
        word = items.words[w]
        e = find(postings, word, slot)
        if e == postings.start[word] + postings.length[word] or postings.ids[e] != slot:
            e = insert(postings, word, e, slot)
        postings.counts[e] += items.counts[w]
        postings.values[e] = correction(state, word, postings.counts[e])
    state.total[slot] += items.lengths[i]


@detach.implements(DirichletMultinomialState)
def words_detach(state: DirichletMultinomialState, items: Items, i: int, slot: int) -> None:
    postings = state.postings
    for w in range(items.starts[i], items.ends[i]):
        word = items.words[w]
        e = find(postings, word, slot)
        postings.counts[e] -= items.counts[w]
        if postings.counts[e] == 0:
            delete(postings, word, e)
        else:
            postings.values[e] = correction(state, word, postings.counts[e])
    state.total[slot] -= items.lengths[i]


@helper
def log_length(state: DirichletMultinomialState, total: int, length: int) -> float:
    """log Γ(F+β) − log Γ(F+β+L)."""
    beta = state.strength
    return log_gamma_at(state.log_gamma, beta, total) - log_gamma_at(state.log_gamma, beta, total + length)


@helper
def add_gain(scratch: Scratch, stamp: int, slot: int, gain: float, touched: int) -> int:
    """Add to what a slot gains; returns how many slots are touched now. Whether a slot is new among them cannot be
    foreseen, so there is no branch for it: a wrong guess costs a processor more than the rest."""
    new = scratch.mark[slot] != stamp
    held = scratch.sums[slot]
    scratch.mark[slot] = stamp
    scratch.slots[touched] = slot
    scratch.sums[slot] = gain if new else held + gain
    return touched + new


@helper
def touch_all(scratch: Scratch, slots: Slots) -> int:
    """Touch every slot in use, before any gain; returns how many there are."""
    touched = 0
    for slot in range(slots.marks[1]):
        scratch.sums[slot] = 0.0
        if slots.size[slot] > 0:
            scratch.mark[slot] = scratch.stamp[0]
            scratch.slots[touched] = slot
            touched += 1
    return touched


@helper
def add_gains(
    state: DirichletMultinomialState, word: int, scratch: Scratch, touched: int, dense: bool, own: int
) -> tuple[int, int]:
    """Add what one occurrence of a word gains in every thread that has it; returns how many are touched now, and where
    the own thread's entry is, if that was met. Dense: all are touched already."""
    postings, stamp = state.postings, scratch.stamp[0]
    begin, end = postings.start[word], postings.start[word] + postings.length[word]
    met = end
    if dense:
        for e in range(begin, end):
            scratch.sums[postings.ids[e]] += postings.values[e]
    else:
        for e in range(begin, end):
            met = e if postings.ids[e] == own else met
            touched = add_gain(scratch, stamp, postings.ids[e], postings.values[e], touched)
    return touched, met


@helper
def add_gains_of_many(
    state: DirichletMultinomialState, word: int, count: int, alone: float, scratch: Scratch, touched: int, dense: bool
) -> int:
    """The same for a word that the document has several times. What it gains depends on a small number, how often a
    thread has it, and is worked out once for each."""
    postings, mass, stamp = state.postings, state.mass[word], scratch.stamp[0]
    last = len(scratch.gains) - 1  # larger numbers share this place
    for n in range(last + 1):
        scratch.gains[n] = -1.0
    for e in range(postings.start[word], postings.start[word] + postings.length[word]):
        place = min(postings.counts[e], last)
        gain = scratch.gains[place]
        if gain < 0.0 or place == last:
            gain = log_rising(postings.counts[e] + mass, count) - alone
            scratch.gains[place] = gain
        if dense:
            scratch.sums[postings.ids[e]] += gain
        else:
            touched = add_gain(scratch, stamp, postings.ids[e], gain, touched)
    return touched


@helper
def shared_entries(state: DirichletMultinomialState, items: Items, i: int) -> int:
    """In how many threads document i's words are, each counted by itself."""
    shared = 0
    for w in range(items.starts[i], items.ends[i]):
        shared += state.postings.length[items.words[w]]
    return shared


@log_score_and_own.implements(DirichletMultinomialState)
def words_log_score_and_own(
    state: DirichletMultinomialState, items: Items, i: int, own: int, scratch: Scratch, slots: Slots
) -> tuple[int, float, float]:
    """Words that are in as many threads as there are hardly leave one untouched: then all are, which saves telling."""
    postings = state.postings
    scratch.stamp[0] += 1
    dense = shared_entries(state, items, i) >= slots.marks[1]
    touched = touch_all(scratch, slots) if dense else 0
    log_words = 0.0  # the sum of a thread that shares no word
    within, product = 0.0, 1.0  # log words of the own thread without i
    for w in range(items.starts[i], items.ends[i]):
        word, count = items.words[w], items.counts[w]
        met = postings.start[word] + postings.length[word]
        if count == 1:
            alone = state.log_mass[word]
            touched, met = add_gains(state, word, scratch, touched, dense, own)
        else:
            alone = log_rising(state.mass[word], count)
            touched = add_gains_of_many(state, word, count, alone, scratch, touched, dense)
        log_words += alone
        if own != NONE:
            if met == postings.start[word] + postings.length[word]:
                met = find(postings, word, own)
            within, product = times_rising(within, product, postings.counts[met] - count + state.mass[word], count)
    length = items.lengths[i]
    for c in range(touched):
        slot = scratch.slots[c]
        scratch.where[slot] = c
        scratch.scores[c] = scratch.sums[slot] + log_words + log_length(state, state.total[slot], length)
    fresh = log_words + log_length(state, 0, length)
    if own == NONE:
        return touched, fresh, -math.inf
    return touched, fresh, within + math.log(product) + log_length(state, state.total[own] - length, length)


@log_score.implements(DirichletMultinomialState)
def words_log_score(
    state: DirichletMultinomialState, items: Items, i: int, scratch: Scratch, slots: Slots
) -> tuple[int, float]:
    touched, fresh, _ = log_score_and_own(state, items, i, NONE, scratch, slots)
    return touched, fresh


@log_score_untouched.implements(DirichletMultinomialState)
def words_log_score_untouched(state: DirichletMultinomialState, items: Items, i: int, slot: int) -> float:
    return words_log_length_gain(state, items.lengths[i], slot)


@helper
def gain(state: DirichletMultinomialState, word: int, count: int, slot: int) -> float:
    """What so many occurrences of a word gain in the slot against a new thread."""
    postings = state.postings
    e = find(postings, word, slot)
    if e == postings.start[word] + postings.length[word] or postings.ids[e] != slot:
        return 0.0
    if count == 1:
        return postings.values[e]
    return log_rising(postings.counts[e] + state.mass[word], count) - log_rising(state.mass[word], count)


@log_score_in.implements(DirichletMultinomialState)
def words_log_score_in(state: DirichletMultinomialState, items: Items, i: int, slot: int) -> float:
    total = 0.0
    for w in range(items.starts[i], items.ends[i]):
        word, count = items.words[w], items.counts[w]
        total += gain(state, word, count, slot)
        total += state.log_mass[word] if count == 1 else log_rising(state.mass[word], count)
    return total + log_length(state, state.total[slot], items.lengths[i])


@log_score_within.implements(DirichletMultinomialState)
def words_log_score_within(state: DirichletMultinomialState, items: Items, i: int, slot: int) -> float:
    total, product = 0.0, 1.0
    for w in range(items.starts[i], items.ends[i]):
        word, count = items.words[w], items.counts[w]
        others = state.postings.counts[find(state.postings, word, slot)] - count
        total, product = times_rising(total, product, others + state.mass[word], count)
    return total + math.log(product) + log_length(state, state.total[slot] - items.lengths[i], items.lengths[i])


@gather.implements(DirichletMultinomialState)
def words_gather(
    state: DirichletMultinomialState, items: Items, members: NDArray[np.int64], found: int, pool: Pool
) -> None:
    together, place = pool.items, pool.place
    distinct = 0
    together.lengths[0] = 0
    for m in range(found):
        i = members[m]
        together.lengths[0] += items.lengths[i]
        for w in range(items.starts[i], items.ends[i]):
            word = items.words[w]
            if place[word] == 0:
                together.words[distinct] = word
                together.counts[distinct] = 0
                distinct += 1
                place[word] = distinct
            together.counts[place[word] - 1] += items.counts[w]
    together.ends[0] = distinct
    for w in range(distinct):
        place[together.words[w]] = 0


@log_score_pool.implements(DirichletMultinomialState)
def words_log_score_pool(
    state: DirichletMultinomialState, pool: Pool, scratch: Scratch, slots: Slots
) -> tuple[int, float]:
    """An urn knows only how often each word came: documents of one thread score like one long document."""
    return log_score(state, pool.items, 0, scratch, slots)


@explain.implements(DirichletMultinomialState)
def words_explain(
    state: DirichletMultinomialState, items: Items, i: int, slot: int, gains: NDArray[np.float64]
) -> float:
    for w in range(items.starts[i], items.ends[i]):
        gains[w - items.starts[i]] = gain(state, items.words[w], items.counts[w], slot)
    return words_log_length_gain(state, items.lengths[i], slot)


@helper
def words_log_length_gain(state: DirichletMultinomialState, length: int, slot: int) -> float:
    """What a document's length gains in the slot against a new thread; never positive."""
    return log_length(state, state.total[slot], length) - log_length(state, 0, length)


@purge.implements(DirichletMultinomialState)
def words_purge(state: DirichletMultinomialState, forgotten: NDArray[np.bool]) -> None:
    postings = state.postings
    for word in range(len(postings.start)):
        for e in range(postings.start[word] + postings.length[word] - 1, postings.start[word] - 1, -1):
            if forgotten[postings.ids[e]]:
                delete(postings, word, e)
    for slot in range(len(forgotten)):
        if forgotten[slot]:
            state.total[slot] = 0


@kernel
def recompute_corrections(state: DirichletMultinomialState) -> None:
    """Bring the corrections up to date after the masses changed. Words of as many threads mostly have the same mass, so
    the corrections of small counts are kept by that number, with the mass they belong to."""
    postings = state.postings
    masses, known = np.zeros((SIMILAR, TABULATED)), np.zeros((SIMILAR, TABULATED))
    for word in range(len(postings.start)):
        alike = postings.length[word] % SIMILAR
        for e in range(postings.start[word], postings.start[word] + postings.length[word]):
            count = postings.counts[e]
            if count >= TABULATED:
                postings.values[e] = correction(state, word, count)
                continue
            if masses[alike, count] != state.mass[word]:
                masses[alike, count] = state.mass[word]
                known[alike, count] = correction(state, word, count)
            postings.values[e] = known[alike, count]


def with_vocabulary(state: DirichletMultinomialState, words: int, mass: float) -> DirichletMultinomialState:
    """The same state with room for so many words; each new one has the given mass."""
    more = (0, words - len(state.mass))
    return state._replace(
        mass=np.pad(state.mass, more, constant_values=mass),
        log_mass=np.pad(state.log_mass, more, constant_values=math.log(mass)),
        postings=with_keys(state.postings, words),
    )


def with_masses(
    state: DirichletMultinomialState, mass: NDArray[np.float64], strength: float
) -> DirichletMultinomialState:
    """The same counts under other masses, which sum to the strength."""
    table = state.log_gamma if strength == state.strength else gamma_table(strength, TABLE)
    moved = state._replace(strength=strength, mass=mass, log_mass=np.log(mass), log_gamma=table)
    recompute_corrections(moved)
    return moved


@open_sides.implements(DirichletMultinomialState)
def words_open_sides(
    state: DirichletMultinomialState,
    items: Items,
    sides: Sides,
    members: NDArray[np.int64],
    found: int,
    labels: NDArray[np.int64],
) -> None:
    slot, settled = sides.marks[0], sides.marks[1] > 0
    sides.marks[3] += 1
    sides.total[RIGHT] = 0
    sides.total[LEFT] = state.total[slot] if settled else 0
    for m in range(found):
        i = members[m]
        counted = settled and labels[i] == slot
        if counted:
            sides.total[LEFT] -= items.lengths[i]
        for w in range(items.starts[i], items.ends[i]):
            word = items.words[w]
            if sides.seen[word] != sides.marks[3]:
                sides.seen[word] = sides.marks[3]
                sides.words[word, RIGHT] = 0
                sides.words[word, LEFT] = count_in(state, word, slot) if settled else 0
            if counted:
                sides.words[word, LEFT] -= items.counts[w]
    sides.total[BOTH] = sides.total[LEFT]
    for m in range(found):
        for w in range(items.starts[members[m]], items.ends[members[m]]):
            sides.words[items.words[w], BOTH] = sides.words[items.words[w], LEFT]


@helper
def count_in(state: DirichletMultinomialState, word: int, slot: int) -> int:
    """How often the slot has the word."""
    postings = state.postings
    e = find(postings, word, slot)
    return postings.counts[e] if e < postings.start[word] + postings.length[word] and postings.ids[e] == slot else 0


@log_join.implements(DirichletMultinomialState)
def words_log_join(state: DirichletMultinomialState, items: Items, sides: Sides, s: int, i: int) -> float:
    total, product = 0.0, 1.0
    for w in range(items.starts[i], items.ends[i]):
        word = items.words[w]
        total, product = times_rising(total, product, sides.words[word, s] + state.mass[word], items.counts[w])
    return total + math.log(product) + log_length(state, sides.total[s], items.lengths[i])


@join.implements(DirichletMultinomialState)
def words_join(state: DirichletMultinomialState, items: Items, sides: Sides, s: int, i: int) -> None:
    for w in range(items.starts[i], items.ends[i]):
        sides.words[items.words[w], s] += items.counts[w]
    sides.total[s] += items.lengths[i]
