"""A stream from its labels, or from bytes, goes on as if it had never stopped."""

import copy

import pytest

from .stream_player import KINDS, KNOBS, Player


@pytest.mark.parametrize("fixed", [KNOBS, ()], ids=["fixed", "learned"])
@pytest.mark.parametrize("kind", KINDS)
def test_stored_labels_are_the_state(kind: str, fixed: tuple[str, ...]) -> None:
    """At random points of a random life: the rebuilt stream is the same, and answers the same from there on."""
    player = Player(kind, 11, fixed)
    for _ in range(12):
        for _ in range(8):
            player.step()
        twin = copy.copy(player)
        twin.stream = player.rebuilt()
        assert twin.stream.to_bytes() == player.stream.to_bytes()
        twin.rng, twin.labels, twin.items, twin.live = copy.deepcopy(
            (player.rng, player.labels, player.items, player.live)
        )
        for _ in range(3):
            assert repr(player.step()) == repr(twin.step())
        assert player.stream.events() == twin.stream.events()
        assert player.stream.threads() == twin.stream.threads()
        assert player.stream.assignments() == twin.stream.assignments()
        asked = player.documents(2)
        assert player.stream.predict(asked) == twin.stream.predict(asked)
        assert twin.stream.to_bytes() == player.stream.to_bytes()
