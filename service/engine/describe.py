"""The threads that changed, brought up to date with the model before they are written down."""

from collections.abc import Iterable
from typing import Any

import core
from service.text import is_shown, spelled

from .models import Model, StreamSettings, moment_of
from .records import Record, Records
from .survey import survey


def describe(stream: Model, records: Records, *, words: bool) -> list[Record]:
    """Records of the threads that changed since the last call, by number. words: with strengths and words; without,
    these follow in a later call that has them."""
    records.update(survey(stream))
    if words:
        records.change_undescribed()
    changed = records.take_changed(described=words)
    if words:
        _add_words(stream, records.settings, {record.thread: record for record in changed})
    return changed


def _add_words(stream: Model, settings: StreamSettings, wanted: dict[int, Record]) -> None:
    for record in wanted.values():
        record.strength = 0.0
    for info in stream.threads():
        if info.thread in wanted:
            record = wanted[info.thread]
            record.strength = info.weight
            record.top_words = _shown(info.top_words)
            record.representative = None if info.representative is None else int(info.representative)
    if isinstance(stream, core.Windowed):
        for thread, path in stream.paths().items():
            if thread in wanted:
                wanted[thread].path = [(moment_of(settings, time), _shown(top)) for time, top in path]


def _shown(words: Iterable[Any]) -> list[str]:
    """Words as people spell them."""
    return [spelled(str(word)) for word in words if is_shown(str(word))]
