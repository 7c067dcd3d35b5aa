"""Predictions, explanations, assignments; and documents at the edge of what is reasonable."""

import math
from typing import Any

import numpy as np
import pytest

import core
from core.stream import Stream

from .stream_player import KINDS, KNOBS, Player, open_stream


@pytest.mark.parametrize("kind", KINDS)
def test_asking_changes_nothing(kind: str) -> None:
    player = Player(kind, 2, ())
    assert player.stream.predict(player.documents(1))[0].new == pytest.approx(1.0)
    for _ in range(25):
        player.step()
        before = player.stream.to_bytes()
        for prediction in player.stream.predict(player.documents(3)):
            assert sum(prediction.threads.values()) + prediction.new == pytest.approx(1.0, abs=1e-9)
            assert math.isfinite(prediction.log_p)
        for name in list(player.stream.arrivals)[:3]:
            player.stream.explain(name)
        assert len(player.stream.assignments()) == len(player.stream.arrivals)
        assert player.stream.to_bytes() == before
        assert Stream.from_bytes(before).to_bytes() == before


@pytest.mark.parametrize("kind", KINDS)
def test_an_explanation_is_the_placement_of_the_last_document(kind: str) -> None:
    player = Player(kind, 4)
    player.add(player.documents(30))
    player.time += 1.0
    (placed,) = player.add(player.documents(1))
    if placed.late:
        pytest.skip("drawn too old")
    explained = player.stream.explain(placed.document)
    assert (explained.thread, explained.is_new, explained.sequence) == (placed.thread, placed.is_new, placed.sequence)
    assert explained.probability == pytest.approx(placed.probability, rel=1e-5)
    assert [c.thread for c in explained.candidates[:2]] == [c.thread for c in placed.candidates[:2]]
    for now, then in zip(explained.candidates[:2], placed.candidates[:2], strict=True):
        assert now.prior == pytest.approx(then.prior)
        assert now.words == pytest.approx(then.words)


def test_assignments_are_averages_over_the_last_labellings() -> None:
    player = Player("tdpm", 6)
    (placed,) = player.add(player.documents(1))
    (first,) = player.stream.assignments()
    assert (first.thread, first.probability) == (placed.thread, placed.probability)
    player.add([(f"x{i}", player.time, [["storm", "goal", "vote"][i % 3]]) for i in range(20)])
    for _ in range(12):
        player.stream.sweep()
    found = player.stream.assignments()
    for one in found:
        assert one.probability + sum(one.alternatives.values()) == pytest.approx(1.0)
        assert one.thread not in one.alternatives
        assert round(8 * one.probability, 9) in range(1, 9)
    assert any(one.alternatives for one in found)


def test_words_never_seen_count_as_the_base_measure_says() -> None:
    """An empty stream: the chance of a document is that of a Dirichlet-multinomial with 1000 words of equal mass."""
    stream = open_stream("tdpm")
    (prediction,) = stream.predict([("a", 0.0, ["new", "new", "other"])])
    mass = 8.0 / 1000.0
    expected = math.log(mass) + math.log(mass + 1) + math.log(mass) - sum(math.log(8.0 + j) for j in range(3))
    assert prediction.log_p == pytest.approx(expected / 3)


@pytest.mark.parametrize("time", [-1e12, -5.0, 0.0, 1e12])
@pytest.mark.parametrize("kind", ["tdpm", "logistic", "rcrp", "crp"])
def test_odd_documents_are_placed(kind: str, time: float) -> None:
    stream = open_stream(kind)
    long = {f"w{i}": 1 + i % 3 for i in range(10_000)}
    batch: list[Any] = [("empty", time, []), ("none", time, {}), ("long", time, long), ("later", time + 1e12, ["w1"])]
    placed = stream.add(batch)
    stream.sweep()
    assert all(0.0 < p.probability <= 1.0 and p.thread is not None for p in placed)
    assert all(math.isfinite(c.prior) for p in placed for c in p.candidates)
    assert Stream.from_bytes(stream.to_bytes()).to_bytes() == stream.to_bytes()


def test_an_id_names_one_document_of_the_window() -> None:
    stream = open_stream("tdpm")
    with pytest.raises(core.ArgumentError, match="'a'"):
        stream.add([("a", 0.0, ["storm"]), ("a", 0.0, ["storm"])])
    stream.add([("a", 0.0, ["storm"]), ("b", 0.0, ["storm"])])
    with pytest.raises(core.ArgumentError, match="own id"):
        stream.add([("b", 1.0, ["storm"])])
    stream.advance(10.0)
    stream.add([("b", 10.0, ["storm"])])  # the first one has left the window
    assert [one.document for one in stream.assignments()] == ["b"]


def test_late_documents_get_a_label_of_their_time() -> None:
    """A thread that was not born then is no candidate."""
    stream = open_stream("tdpm", fixed=KNOBS)
    stream.add([(f"a{i}", float(i), ["storm", "coast", "rain"] * 3) for i in range(4)])
    stream.add([(f"b{i}", 4.0 + i, ["goal", "match", "cup"] * 3) for i in range(9)])
    old, young = (thread.thread for thread in sorted(stream.threads(), key=lambda thread: thread.birth))
    (storm, goal) = stream.add([("x", 3.0, ["storm", "coast", "rain"]), ("y", 2.0, ["goal", "match", "cup"])])
    assert (storm.late, storm.thread) == (True, old)
    assert (goal.late, goal.thread, goal.is_new) == (True, None, True)
    assert young not in [c.thread for c in goal.candidates]
    for late in (storm, goal):
        assert sum(c.probability for c in late.candidates) == pytest.approx(1.0, abs=1e-9)


def test_budgets_and_batches_do_not_matter() -> None:
    """Passes cut into pieces by count give the labels of whole ones; documents come in pieces too."""
    whole, pieces = Player("tdpm", 9, ()), Player("tdpm", 9, ())
    batch = whole.documents(60)
    whole.stream.add(batch)
    for begin in range(0, 60, 7):
        pieces.stream.add(batch[begin : begin + 7])
    held = len(whole.stream.arrivals)
    for _ in range(3):
        whole.stream.sweep()
    for step in [5] * (3 * held // 5) + [3 * held % 5] * (3 * held % 5 > 0):
        pieces.stream.sweep(documents=step)
    assert whole.stream.to_bytes() == pieces.stream.to_bytes()


def test_time_budgets_go_on_where_they_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.sweeping.CHUNK", 4)
    player = Player("tdpm", 9)
    player.add(player.documents(40))
    visited: list[int] = []
    while sum(visited) < len(player.stream.arrivals):
        changes = player.stream.sweep(seconds=1e-9)
        assert changes.visited <= 4
        visited.append(changes.visited)
        monkeypatch.setattr("time.perf_counter", _clock())
    assert sum(visited) == len(player.stream.arrivals)
    assert changes.finished


def _clock() -> Any:
    """A clock on which one look at it takes a little less than the budget."""
    looks = iter(np.arange(1_000_000) * 0.6e-9)
    return lambda: float(next(looks))
