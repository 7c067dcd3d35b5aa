"""A windowed stream: its labels are its state, its events are its threads, batches do not matter, memory is bounded."""

import copy
import json
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import core
from core.naming import rename, without_gaps

from .stream_player import KNOBS, Item, Player

PRIORS = {
    "tdpm": core.TDPM(0.5, core.Exponential(0.6)),
    "ddcrp": core.DDCRP(0.5, core.Exponential(0.6)),
    "addcrp": core.ADDCRP(0.5, core.Exponential(0.6)),
    "rcrp": core.RCRP(0.5, 2.0, 4),
    "dpchain": core.DPChain(0.5, 0.4),
    "hdp_evo": core.HDPEvo(0.5, 0.5, 0.4),
}
KINDS = [*PRIORS, "vectors"]
EPOCHAL = ("rcrp", "dpchain", "hdp_evo")
LIMIT = 12


def open_windowed(kind: str, seed: int, fixed: tuple[str, ...] = KNOBS, limit: int = LIMIT) -> core.Windowed:
    options: dict[str, Any] = {"window": 6.0, "seed": seed, "fixed": fixed, "limit": limit}
    if kind == "vectors":
        return core.Windowed(PRIORS["ddcrp"], core.Gaussian(1.0, 40.0), dimensions=2, **options)
    return core.Windowed(PRIORS[kind], core.DirichletMultinomial(8.0), **options)


class WindowedPlayer(Player):
    """Plays on a windowed stream, whose documents settle also by their number."""

    def __init__(self, kind: str, seed: int, fixed: tuple[str, ...] = KNOBS) -> None:
        super().__init__("rcrp" if kind in EPOCHAL else "vectors" if kind == "vectors" else "tdpm", seed, fixed)
        self.windowed = open_windowed(kind, seed, fixed)
        self.stream = self.windowed  # type: ignore[assignment]

    def add(self, batch: list[Item]) -> Any:
        placed = list(self.windowed.place(batch))
        for ranked in placed:
            if not ranked.late[0]:
                thread, chance = int(ranked.ranking.names[0, 0]), float(ranked.ranking.probability[0, 0])
                self.labels[ranked.documents[0]] = thread, int(ranked.sequence[0]), chance
        return [[column.tolist() for column in ranked.ranking] for ranked in placed]

    def remove(self, count: int) -> list[str]:
        chosen = self.rng.permutation(sorted(self.labels))[:count].tolist()
        inside = [name for name in chosen if name in self.windowed.arrivals]
        given = [(*self.items[name], self.labels[name][0]) for name in chosen if name not in inside]
        self.windowed.remove(inside)
        for name in chosen:
            del self.labels[name]
        self.windowed.remove_settled(given, self.spans())
        for kept in self.windowed.memory.window:
            self.labels[kept.id] = (kept.thread, *self.labels[kept.id][1:])
        return chosen

    def rebuild(self) -> core.Windowed:
        chain = json.loads(json.dumps(self.windowed.chain(), allow_nan=False))
        return core.Windowed.from_labels(chain, [(*self.items[name], *label) for name, label in self.labels.items()])


@pytest.mark.parametrize("fixed", [KNOBS, ()], ids=["fixed", "learned"])
@pytest.mark.parametrize("kind", KINDS)
def test_stored_labels_are_the_state(kind: str, fixed: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.window_knobs.ENOUGH", 8)
    player = WindowedPlayer(kind, 11, fixed)
    for _ in range(6):
        for _ in range(8):
            player.step()
        twin = copy.copy(player)
        twin.windowed = player.rebuild()
        twin.stream = twin.windowed  # type: ignore[assignment]
        assert twin.windowed.to_bytes() == player.windowed.to_bytes()
        assert core.Windowed.from_bytes(twin.windowed.to_bytes()).to_bytes() == player.windowed.to_bytes()
        twin.rng, twin.labels, twin.items, twin.live = copy.deepcopy(
            (player.rng, player.labels, player.items, player.live)
        )
        for _ in range(3):
            assert repr(player.step()) == repr(twin.step())
        assert player.windowed.events() == twin.windowed.events()
        assert player.windowed.threads() == twin.windowed.threads()
        asked = player.documents(2)
        assert player.windowed.predict(asked) == twin.windowed.predict(asked)
        assert twin.windowed.to_bytes() == player.windowed.to_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_folded_events_are_the_live_threads(kind: str) -> None:
    player = WindowedPlayer(kind, 5)
    for _ in range(80):
        player.step()
        player.fold()
        assert player.live == {thread.thread for thread in player.windowed.threads()}
        assert len(player.windowed.memory.window) <= LIMIT
        assert player.windowed.memory.context <= LIMIT
        sizes = dict.fromkeys(player.windowed.survey(), 0)
        for thread, _, _ in player.labels.values():
            if thread in sizes:
                sizes[thread] += 1
        assert sizes == {thread: row.size for thread, row in player.windowed.survey().items()}


@pytest.mark.parametrize("kind", KINDS)
def test_batches_do_not_matter_and_the_seed_repeats(kind: str) -> None:
    def played(size: int, seed: int = 1) -> bytes:
        player, stream = WindowedPlayer(kind, 3), open_windowed(kind, seed)
        documents = player.documents(48)
        for begin in range(0, 48, 24):
            for some in range(begin, begin + 24, size):
                list(stream.place(documents[some : some + size]))
            stream.sweep()
            stream.advance(float(stream.clock[0]))
        return stream.to_bytes()

    assert played(1) == played(8) == played(24)
    assert played(24) != played(24, seed=2)


def test_reasons_add_up_to_the_score() -> None:
    player = WindowedPlayer("ddcrp", 3)
    player.add(player.documents(20))
    stream = player.windowed
    (ranked,) = list(stream.place(player.documents(1)))
    table = ranked.ranking
    score = table.prior[0] + table.length[0] + table.gains[:-1].sum(axis=0)
    named = (table.names[0] != -1) & (table.probability[0] > 0)
    both = np.log(table.probability[0][named]) - score[named]
    assert np.ptp(both) < 1e-9  # the same constant for all
    explained = stream.explain_all([kept.id for kept in stream.memory.window])
    assert explained.ranking.names[:, 0].tolist() == stream.names().tolist()
    (answer,) = stream.predict(player.documents(1))
    assert sum(answer.threads.values()) + answer.new == pytest.approx(1)


def test_a_prediction_is_the_predictive() -> None:
    player = WindowedPlayer("addcrp", 3)
    stream = player.windowed
    player.add([("a", 0.0, ["storm", "coast"]), ("b", 1.0, ["storm", "rain"]), ("c", 2.0, ["vote", "poll"])])
    (answer,) = stream.predict([("?", 3.0, ["storm", "coast"])])
    view = stream.memory.view(stream.memory.kept)
    counts = view.data.toarray()
    asked = [[1.0 if word in ("storm", "coast") else 0.0 for word in view.words]]
    likelihood = core.DirichletMultinomial(stream.likelihood.strength, view.base)
    found = core.predictive(
        stream.prior, likelihood, np.vstack([counts, asked]), [*view.times.tolist(), 3.0], view.threads
    )
    scores = found.log_prior + found.log_likelihood
    np.testing.assert_allclose(
        [*answer.threads.values(), answer.new], np.exp(scores - logsumexp(scores)), rtol=1e-12, atol=0
    )


@pytest.mark.parametrize("kind", EPOCHAL)
def test_what_is_long_dead_is_no_answer_and_old_documents_are_explained_in_their_time(kind: str) -> None:
    """In rcrp a thread is dead after four epochs, here long before the newest document."""
    stream = core.Windowed(PRIORS[kind], core.DirichletMultinomial(8.0), window=60.0, seed=1, fixed=KNOBS, limit=100)
    list(stream.place([(f"old{n}", float(n % 2), ["storm", "coast", f"w{n}"]) for n in range(6)]))
    list(stream.place([(f"new{n}", 40.0, ["vote", "poll", f"v{n}"]) for n in range(6)]))
    stream.advance(40.0)
    (answer,) = stream.predict([("?", 40.0, ["storm", "coast"])])
    assert all(chance > 0.0 for chance in answer.threads.values())
    assert sum(answer.threads.values()) + answer.new == pytest.approx(1)
    explained = stream.explain_all([kept.id for kept in stream.memory.window]).ranking
    assert np.isfinite(explained.prior).all()
    assert (explained.probability[:, 0] > 0.1).all()


def test_threads_die_when_their_weight_has_faded() -> None:
    stream = open_windowed("ddcrp", 1)
    list(stream.place([("a", 0.0, ["storm"]), ("b", 0.0, ["storm"])]))
    (death,) = stream.advance(40.0)
    weight = 2 * np.exp(-0.6 * death.time)
    assert weight == pytest.approx(0.01 * 0.5)
    assert stream.threads() == []
    (born,) = (event.thread for event in stream.events() if event.kind == "born")
    list(stream.place([("c", 41.0, ["storm"])]))
    assert [event.thread for event in stream.events() if event.kind == "born"] == [born + 1]  # never the same name


def test_names_go_with_the_larger_part_and_with_settled_documents() -> None:
    before = np.array([5, 5, 5, 7, 7, 9])
    names, following = rename(before, np.array([0, 0, 1, 2, 2, 2]), 0, 10)
    assert (names.tolist(), following) == ([5, 5, 10, 7, 7, 7], 11)
    names, _ = rename(before, np.array([0, 1, 1, 1, 2, 2]), 1, 10)  # 5 is settled, and its group is the small one
    assert names.tolist() == [5, 7, 7, 7, 9, 9]
    assert without_gaps(np.array([3, 3, 3, 4]), np.array([0.0, 1.0, 9.0, 9.0]), 4).tolist() == [0, 0, 1, 2]


def test_bad_arguments_are_refused() -> None:
    stream = open_windowed("ddcrp", 1)
    for act in (
        lambda: stream.advance(float("nan")),
        lambda: stream.remove(["x"]),
        lambda: stream.explain_all(["x"]),
        lambda: core.Windowed.from_labels({"version": 9}, []),
        lambda: open_windowed("ddcrp", 1, limit=0),
        lambda: list(stream.place([("a", 0.0, ["w"]), ("a", 0.0, ["w"])])),
    ):
        with pytest.raises(core.ArgumentError):
            act()
