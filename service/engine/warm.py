"""Compiling the usual kernels before the first document comes."""

from .contents import Arrival
from .live import BOUNDARY, LiveStream
from .load import new_stream, pack_snapshot
from .models import DAY, StreamSettings
from .predict import predict


def warm_up() -> None:
    """Run a small stream of words through all that a worker does."""
    settings = StreamSettings(window=DAY)
    live = LiveStream(settings, new_stream(settings))
    texts = ("river bridge flood", "market shares fall", "river flood rises", "shares market rises")
    live.place([Arrival(seq, seq * DAY // 16, None, texts[seq % len(texts)], None) for seq in range(1, BOUNDARY + 1)])
    live.sweep(4 * BOUNDARY)
    live.take_step()
    predict(live, [{"time": 4 * DAY, "text": texts[0]}], 1)
    pack_snapshot(live.stream)
