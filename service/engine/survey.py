"""Sizes, births and last documents of all threads of a stream at once."""

from typing import NamedTuple

import numpy as np

import core

from .models import Model


class Row(NamedTuple):
    """A thread that the model knows. birth, last: in core's unit of time."""

    size: int
    window_size: int
    birth: float
    last: float


def survey(stream: Model) -> dict[int, Row]:
    """All threads by ascending number, in time proportional to the window."""
    if isinstance(stream, core.Windowed):
        return {thread: Row(*row) for thread, row in stream.survey().items()}
    slots, life = stream.labelling.slots, stream.life_table()
    held = slice(int(stream.cursor[0]), stream.documents.count)
    labels, times = stream.documents["labels"][held], stream.documents["times"][held]
    birth, last = np.where(life.settled > 0, life.birth, np.inf), np.where(life.settled > 0, life.last, -np.inf)
    first_here, last_here = np.full_like(birth, np.inf), np.full_like(last, -np.inf)
    first_here[labels[::-1]] = times[::-1]
    last_here[labels] = times
    used = np.flatnonzero(slots.size)
    used = used[np.argsort(slots.names[used])]
    columns = (
        slots.size[used],
        np.bincount(labels, minlength=len(birth))[used],
        np.minimum(birth, first_here)[used],
        np.maximum(last, last_here)[used],
    )
    rows = map(Row, *(column.tolist() for column in columns))
    return dict(zip(slots.names[used].tolist(), rows, strict=True))
