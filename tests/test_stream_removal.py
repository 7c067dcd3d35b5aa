"""Erasure: what is left is what would be there if the documents had never come."""

import math
from collections.abc import Callable

import pytest

import core
from core.stream import Stream

from .stream_player import KNOBS, PRIORS, Player, open_stream

DECAYS: dict[str, Callable[[float], float]] = {
    "tdpm": lambda age: math.exp(-0.6 * age),
    "logistic": lambda age: 1.0 / (1.0 + math.exp(age - 4.0)),
    "rcrp": lambda age: 0.0 if age > 4 else math.exp(-age / 2.0),
    "crp": lambda age: 1.0,
}


@pytest.mark.parametrize("kind", DECAYS)
def test_weights_and_sizes_are_those_of_the_documents_left(kind: str) -> None:
    """Documents leave from the window and from among the settled ones; words are compared with a rebuilt stream in
    the tests of chains. Members of a logistic thread are dropped when they have faded to a billionth."""
    player = Player(kind, 3)
    for _ in range(60):
        player.step()
        player.remove(1)
        now = float(player.stream.clock[0])
        now = math.floor(now) if kind == "rcrp" else now
        for thread in player.stream.threads():
            times = [player.items[name][1] for name, label in player.labels.items() if label[0] == thread.thread]
            assert (thread.size, thread.birth, thread.last) == (len(times), min(times), max(times))
            weight = sum(DECAYS[kind](now - time) for time in times)
            assert thread.weight == pytest.approx(weight, rel=1e-9, abs=1e-6 if kind == "logistic" else 1e-12)


def test_a_removed_document_leaves_predictions_as_without_it() -> None:
    """One stream never had the documents. All say the same, so placing gives the same labels."""
    with_them, without = (open_stream("tdpm", fixed=KNOBS) for _ in range(2))
    kept = [(f"k{i}", float(i), ["storm", "coast", "rain"]) for i in range(12)]
    extra = [(f"x{i}", i + 0.5, ["storm", "coast", "flood"]) for i in range(12)]
    with_them.add(sorted(kept + extra, key=lambda item: item[1]))
    without.add(kept)
    settled = [item for item in extra if item[0] not in with_them.arrivals]
    assert 0 < len(settled) < 12
    with_them.remove_settled([(*item, 0) for item in settled], {0: (0.0, 5.0)})
    with_them.remove([item[0] for item in extra if item not in settled])
    for stream in (with_them, without):
        stream.advance(12.0)
    (one,), (other,) = with_them.threads(), without.threads()
    assert one._replace(weight=other.weight) == other
    assert one.weight == pytest.approx(other.weight, rel=1e-9)
    asked = [("a", 12.0, ["storm", "rain"]), ("b", 13.0, ["flood", "vote"])]
    for p, q in zip(with_them.predict(asked), without.predict(asked), strict=True):
        assert p.new == pytest.approx(q.new, rel=1e-9)
        assert p.log_p == pytest.approx(q.log_p, rel=1e-9)


def test_the_last_document_takes_its_thread_along() -> None:
    stream = open_stream("tdpm")
    stream.add([("a", 0.0, ["storm"] * 3), ("b", 1.0, ["goal"] * 3)])
    names = {p.document: p.thread for p in stream.assignments()}
    stream.remove(["b"])
    stream.advance(7.0)
    stream.remove_settled([("a", 0.0, ["storm"] * 3, names["a"])])
    assert stream.threads() == []
    died = [(e.kind, e.thread, e.time) for e in stream.events() if e.kind == "died"]
    assert died == [("died", names["b"], 1.0), ("died", names["a"], 7.0)]


def test_what_is_not_there_is_refused() -> None:
    stream = open_stream("tdpm")
    stream.add([("a", 0.0, ["storm"]), ("b", 20.0, ["goal"])])
    before = stream.to_bytes()
    thread = stream.add([("c", 20.0, ["goal"])])[0].thread
    stream.remove(["c"])
    with pytest.raises(core.ArgumentError, match="remove_settled"):
        stream.remove(["a"])
    with pytest.raises(core.ArgumentError, match="in the window"):
        stream.remove_settled([("b", 20.0, ["goal"], thread or 0)])
    with pytest.raises(core.ArgumentError, match="never had"):
        stream.remove_settled([("a", 0.0, ["vote"], 0)])
    stream.remove_settled([("z", 0.0, ["storm"], 999)])  # long forgotten
    assert Stream.from_bytes(before).threads() == stream.threads()


def test_a_torn_thread_becomes_two() -> None:
    stream = Stream(PRIORS["rcrp"], core.DirichletMultinomial(8.0), window=99.0, seed=1, fixed=KNOBS)
    stream.add([(f"d{i}", float(4 * i), ["storm", "coast", "rain"]) for i in range(3)])
    (whole,) = stream.threads()
    stream.events()
    stream.remove(["d1"])
    (event,) = stream.events()
    assert (event.kind, event.other, event.time) == ("split", whole.thread, 8.0)
    assert {a.document: a.thread for a in stream.assignments()} == {"d0": whole.thread, "d2": event.thread}
