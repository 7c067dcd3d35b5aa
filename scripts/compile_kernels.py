"""Compile the kernels of every model the service runs, for the build of an image: a small stream of each."""

import struct

from service.engine.contents import Arrival
from service.engine.live import BOUNDARY, LiveStream
from service.engine.load import new_stream, pack_snapshot
from service.engine.models import DAY, StreamSettings
from service.engine.predict import predict

TEXTS = ("river bridge flood", "market shares fall")
VECTORS = ((0.1, 0.9), (0.9, 0.1))


def compile_for(settings: StreamSettings) -> None:
    """Run a small stream through all that a worker does."""
    live = LiveStream(settings, new_stream(settings))
    live.place([_arrival(settings, seq) for seq in range(1, BOUNDARY + 1)])
    live.sweep(4 * BOUNDARY)
    live.take_step()
    asked = {"text": TEXTS[0]} if settings.kind == "words" else {"vector": list(VECTORS[0])}
    predict(live, [{"time": 4 * DAY, **asked}], 1)
    pack_snapshot(live.stream)


def _arrival(settings: StreamSettings, seq: int) -> Arrival:
    time = seq * DAY // 16
    if settings.kind == "words":
        return Arrival(seq, time, None, TEXTS[seq % 2], None)
    return Arrival(seq, time, None, None, struct.pack("<2d", *VECTORS[seq % 2]))


def main() -> None:
    """All models, both kinds of documents."""
    for model in ("tdpm", "rcrp", "crp"):
        compile_for(StreamSettings(model=model, window=DAY))
        compile_for(StreamSettings(model=model, kind="vectors", dimensions=2, window=DAY))


if __name__ == "__main__":
    main()
