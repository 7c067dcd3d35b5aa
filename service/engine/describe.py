"""The threads that changed, brought up to date with the model before they are written down."""

from service.text import is_shown, spelled

from .models import Model
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
        _add_words(stream, {record.thread: record for record in changed})
    return changed


def _add_words(stream: Model, wanted: dict[int, Record]) -> None:
    for record in wanted.values():
        record.strength = 0.0
    for info in stream.threads():
        if info.thread in wanted:
            record = wanted[info.thread]
            record.strength = info.weight
            record.top_words = [spelled(str(word)) for word in info.top_words if is_shown(str(word))]
            record.representative = None if info.representative is None else int(info.representative)
