"""The packed lists, the slots and the log gamma tables against plain Python models."""

import math
from bisect import bisect_left, insort
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from core.index import (
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
    with_entries,
    with_keys,
)
from core.jit import kernel
from core.slots import Slots, enter, free_slot, leave, new_slots, with_slots

# Helpers have no Python wrapper once compiled; these kernels call them.


@kernel
def find_kernel(lists: Lists, key: int, wanted: int) -> int:
    return find(lists, key, wanted)


@kernel
def insert_kernel(lists: Lists, key: int, position: int, new_id: int) -> int:
    return insert(lists, key, position, new_id)


@kernel
def delete_kernel(lists: Lists, key: int, position: int) -> None:
    delete(lists, key, position)


@kernel
def entries_kernel(lists: Lists, key: int) -> int:
    return entries_to_insert(lists, key)


@kernel
def rising_kernel(x: float, n: int) -> float:
    return log_rising(x, n)


@kernel
def gamma_kernel(table: np.ndarray, offset: float, n: int) -> float:
    return log_gamma_at(table, offset, n)


@kernel
def enter_kernel(slots: Slots, slot: int) -> None:
    enter(slots, slot)


@kernel
def leave_kernel(slots: Slots, slot: int) -> None:
    leave(slots, slot)


@kernel
def free_kernel(slots: Slots) -> int:
    return free_slot(slots)


class Checked:
    """Lists beside a model of them: key -> ascending ids, and what each entry holds."""

    def __init__(self, keys: int, entries: int) -> None:
        self.lists = new_lists(keys, entries)
        self.ids: dict[int, list[int]] = defaultdict(list)
        self.held: dict[tuple[int, int], tuple[int, float]] = {}
        self.clock = 0

    def insert(self, key: int, new_id: int) -> None:
        """Make room if there is none, insert, and mark the entry with numbers of its own."""
        while self.lists.top[0] + entries_kernel(self.lists, key) > len(self.lists.ids):
            self.lists = with_entries(self.lists)
        position = insert_kernel(self.lists, key, self.find(key, new_id), new_id)
        insort(self.ids[key], new_id)
        assert position == self.lists.start[key] + self.ids[key].index(new_id)
        assert (self.lists.counts[position], self.lists.values[position]) == (0, 0.0)
        self.clock += 1
        self.lists.counts[position], self.lists.values[position] = self.held[key, new_id] = (self.clock, self.clock / 7)

    def delete(self, key: int, old_id: int) -> None:
        delete_kernel(self.lists, key, self.find(key, old_id))
        self.ids[key].remove(old_id)
        del self.held[key, old_id]

    def find(self, key: int, wanted: int) -> int:
        position = find_kernel(self.lists, key, wanted)
        assert position == self.lists.start[key] + bisect_left(self.ids[key], wanted)
        return position

    def clear(self) -> None:
        for key, old_id in list(self.held):
            self.delete(key, old_id)

    def check(self) -> None:
        """Every list holds what the model holds; blocks in use and free blocks fill the arrays without overlap."""
        lists = self.lists
        blocks = []
        for key in range(len(lists.start)):
            start, length, capacity = lists.start[key], lists.length[key], lists.capacity[key]
            here = slice(start, start + length)
            assert lists.ids[here].tolist() == self.ids[key]
            held = list(zip(lists.counts[here].tolist(), lists.values[here].tolist(), strict=True))
            assert held == [self.held[key, i] for i in self.ids[key]]
            assert length <= capacity
            if capacity:
                blocks.append((start, start + capacity))
        for c, block in enumerate(lists.free.tolist()):
            while block >= 0:
                blocks.append((block, block + (SMALLEST << c)))
                block = lists.ids[block]
        blocks.sort()
        assert [0, *(end for _, end in blocks)] == [*(start for start, _ in blocks), lists.top[0]]
        assert lists.top[0] <= len(lists.ids)


KEYS = 5
ENTRIES = st.tuples(st.integers(0, KEYS - 1), st.integers(-3, 30))


@settings(deadline=None)
@given(st.lists(st.tuples(ENTRIES, st.integers(-5, 35)), max_size=150), st.integers(0, 40))
def test_lists_hold_what_sorted_lists_hold(steps: list[tuple[tuple[int, int], int]], entries: int) -> None:
    checked = Checked(KEYS, entries)
    for (key, entry), wanted in steps:
        if (key, entry) in checked.held:
            checked.delete(key, entry)
        else:
            checked.insert(key, entry)
        checked.find(key, wanted)
        checked.check()


@settings(deadline=None)
@given(st.lists(ENTRIES, min_size=1, max_size=80, unique=True), st.integers(1, 4))
def test_refilled_lists_take_no_new_blocks(entries: list[tuple[int, int]], rounds: int) -> None:
    checked = Checked(KEYS, 0)
    tops = set()
    for _ in range(rounds + 1):
        for key, entry in entries:
            checked.insert(key, entry)
        tops.add(int(checked.lists.top[0]))
        checked.clear()
        checked.check()
    assert len(tops) == 1


def test_emptied_block_serves_another_key() -> None:
    checked = Checked(2, 0)
    checked.insert(0, 7)
    checked.delete(0, 7)
    checked.insert(1, 8)
    assert checked.lists.top[0] == SMALLEST
    checked.check()


@settings(deadline=None)
@given(st.lists(ENTRIES, max_size=40, unique=True), st.integers(0, 9))
def test_added_keys_are_empty_and_change_no_other(entries: list[tuple[int, int]], more: int) -> None:
    checked = Checked(KEYS, 0)
    for key, entry in entries:
        checked.insert(key, entry)
    checked.lists = with_keys(checked.lists, KEYS + more)
    checked.check()
    for key in range(KEYS, KEYS + more):
        checked.insert(key, key)
    checked.check()


def test_full_list_asks_for_twice_its_block() -> None:
    checked = Checked(1, 1000)
    asked = []
    for i in range(4 * SMALLEST + 1):
        asked.append(entries_kernel(checked.lists, 0))
        checked.insert(0, i)
    assert {i: n for i, n in enumerate(asked) if n} == {0: 2, 2: 4, 4: 8, 8: 16}


X = st.floats(1e-12, 1e6)


@settings(deadline=None)
@given(X, st.integers(0, 256))
def test_log_rising_is_the_sum_of_logs(x: float, n: int) -> None:
    exact = math.fsum(math.log(x + j) for j in range(n))
    size = math.fsum(abs(math.log(x + j)) for j in range(n))
    assert rising_kernel(x, n) == pytest.approx(exact, rel=1e-14, abs=1e-14 * max(size, 1.0))


@settings(deadline=None)
@given(X, st.integers(0, 100_000))
def test_log_rising_is_a_ratio_of_gammas(x: float, n: int) -> None:
    expected = gammaln(x + n) - gammaln(x)
    size = abs(gammaln(x + n)) + abs(gammaln(x))  # what the difference cancels
    assert rising_kernel(x, n) == pytest.approx(expected, rel=1e-13, abs=1e-15 * size + 1e-14)


@pytest.mark.parametrize("n", [255, 256, 257, 258])
@pytest.mark.parametrize("x", [1e-9, 0.01, 0.5, 1.0, 37.5, 1e4])
def test_log_rising_has_no_step_between_its_formulas(x: float, n: int) -> None:
    assert rising_kernel(x, n) == pytest.approx(math.fsum(math.log(x + j) for j in range(n)), rel=1e-12)


@pytest.mark.parametrize("offset", [1e-3, 0.5, 3.0, 1e4])
def test_log_gamma_goes_on_beyond_the_table(offset: float) -> None:
    table = gamma_table(offset, 10)
    got = [gamma_kernel(table, offset, n) for n in (*range(20), 10**9)]
    assert got == pytest.approx(gammaln(np.array([*range(20), 10**9]) + offset), rel=1e-14, abs=1e-14)


@settings(deadline=None)
@given(st.lists(st.integers(0, 99), max_size=80))
def test_lowest_free_slot_is_next(choices: list[int]) -> None:
    slots = new_slots(4)
    model: dict[int, int] = {}  # slot -> documents in it
    for choice in choices:
        free = free_kernel(slots)
        if free == len(slots.size):
            slots = with_slots(slots, 2 * len(slots.size))
            assert free_kernel(slots) == free
        used = sorted(model)
        if choice < 40:  # a new thread
            slot = free
        elif choice < 50:  # a thread that is loaded into any slot
            slot = choice % len(slots.size)
        elif used:
            slot = used[choice % len(used)]
        else:
            continue
        if choice < 70:
            enter_kernel(slots, slot)
            model[slot] = model.get(slot, 0) + 1
        else:
            leave_kernel(slots, slot)
            model[slot] -= 1
            if not model[slot]:
                del model[slot]
        assert slots.size.tolist() == [model.get(s, 0) for s in range(len(slots.size))]
        assert slots.marks[1] == max(model, default=-1) + 1
        assert slots.marks[2] == len(model)
        assert free_kernel(slots) == next(s for s in range(len(slots.size) + 1) if s not in model)
