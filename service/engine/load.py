"""A stream's model from the database: from its snapshot if that is of the same model version, else from the labels."""

import json
from collections.abc import Iterator
from typing import Any

import structlog
import zstandard
from sqlalchemy import Connection

import core
from core.rebuild import Labelled
from service.store import assignments, chains, threads
from service.store.streams import StreamRow
from service.store.threads import ThreadRow
from service.text import learn_spellings

from .change import take_over
from .contents import stored_content
from .live import LiveStream
from .models import Model, StreamSettings, core_time, fixed_knobs, new_likelihood, new_prior, window_of
from .records import Record

LARGEST = 2**32  # bytes of a snapshot, unpacked
log = structlog.get_logger(__name__)


def load(connection: Connection, row: StreamRow) -> LiveStream:
    """The model as it was when the row was written."""
    settings = StreamSettings.read(row.settings)
    stream = _load_stream(connection, row, settings)
    take_over(stream, settings)
    numbers = sorted(stream.slot_of())
    found = threads.by_numbers(connection, row.id, numbers)
    learn_spellings((" ".join((*one.titles, *one.top_words)) for one in found), settings.text.language)
    swept = int(row.statistics.get("swept_seq", 0))
    return LiveStream(settings, stream, cursor=row.cursor, clock=row.clock, swept=swept, known=map(_record, found))


def pack_chain(stream: Model) -> bytes:
    """All that the labels do not say."""
    return zstandard.compress(json.dumps(stream.chain()).encode(), 1)


def pack_snapshot(stream: Model) -> bytes:
    """The whole model."""
    return zstandard.compress(stream.to_bytes(), 1)


def _load_stream(connection: Connection, row: StreamRow, settings: StreamSettings) -> Model:
    saved = chains.load(connection, row.id)
    if saved is None:
        return new_stream(settings)
    if saved.snapshot is not None and saved.snapshot_version == row.model_version:
        try:
            return engine_of(settings).from_bytes(zstandard.decompress(saved.snapshot, max_output_size=LARGEST))
        except (core.ArgumentError, zstandard.ZstdError, KeyError, ValueError) as error:
            log.warning("snapshot not used", stream=row.id, reason=f"{type(error).__name__}: {error}")
    chain = json.loads(zstandard.decompress(saved.chain, max_output_size=LARGEST))
    return engine_of(settings).from_labels(chain, _labelled(connection, row.id, settings, chain))


def engine_of(settings: StreamSettings) -> type[Model]:
    """The class of core that runs the model."""
    return core.Windowed if settings.windowed else core.Stream


def new_stream(settings: StreamSettings) -> Model:
    """A stream without documents."""
    more = {"limit": settings.window_documents} if settings.windowed else {}
    return engine_of(settings)(
        new_prior(settings),
        new_likelihood(settings),
        window=window_of(settings),
        seed=settings.seed,
        fixed=fixed_knobs(settings),
        dimensions=settings.dimensions,
        **more,
    )


def _labelled(
    connection: Connection, stream_id: str, settings: StreamSettings, chain: dict[str, Any]
) -> Iterator[Labelled]:
    for row in assignments.labelled(connection, stream_id, engine_of(settings).known_threads(chain)):
        content = stored_content(row.words, row.vector)
        yield Labelled(str(row.seq), core_time(settings, row.time), content, row.thread, row.seq - 1)


def _record(row: ThreadRow) -> Record:
    return Record(
        row.thread,
        row.state,
        row.born_at,
        row.last_at,
        row.size,
        row.window_size,
        row.died_at,
        row.merged_into,
        row.split_from,
    )
