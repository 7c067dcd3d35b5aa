"""Lifecycle events: folded, they are the live threads."""

import pytest

from .stream_player import KINDS, KNOBS, Player


@pytest.mark.parametrize("fixed", [KNOBS, ()], ids=["fixed", "learned"])
@pytest.mark.parametrize("kind", KINDS)
def test_folded_events_are_the_live_threads(kind: str, fixed: tuple[str, ...]) -> None:
    player = Player(kind, 5, fixed)
    for _ in range(120):
        player.step()
        player.fold()
        assert player.live == {thread.thread for thread in player.stream.threads()}
