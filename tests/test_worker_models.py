"""Streams of every model through a real worker: placed, swept, settled, restarted, erased; the doctor finds nothing."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service.store import doctor, documents, paths
from service.store.database import Database
from tests.streams import (
    HOUR,
    START,
    ingest,
    made_up,
    new_document,
    new_stream,
    outcome,
    row_of,
    work_off,
    worker_settings,
    working,
)

MODELS: dict[str, dict[str, Any]] = {
    "addcrp": {"model": "addcrp", "distance": "nearest"},
    "ddcrp": {"model": "ddcrp"},
    "dpchain": {"model": "dpchain"},
    "hdp_evo": {"model": "hdp_evo", "epoch": "PT12H"},
    "evolving": {"model": "rcrp", "evolving": True, "epoch": "P1D"},
    "vectors": {"model": "ddcrp", "kind": "vectors", "dimensions": 3},
    "evolving_vectors": {"model": "rcrp", "evolving": True, "kind": "vectors", "dimensions": 3},
}
COUNT = 200


def content(name: str) -> list[documents.NewDocument]:
    if "vectors" not in name:
        return made_up(COUNT)
    rng = np.random.default_rng(2)
    points = np.eye(3)[rng.integers(0, 3, COUNT)] + rng.normal(0, 0.05, (COUNT, 3))
    return [
        new_document(f"d{i}", START + i * HOUR // 2, None, vector=struct.pack("<3d", *point))
        for i, point in enumerate(points)
    ]


@pytest.mark.parametrize("name", MODELS)
def test_a_stream_of_the_model_lives_through_restarts(name: str, sqlite_url: str, tmp_path: Path) -> None:
    """One stream goes on in one worker; its twin is loaded from labels after each batch, and both are the same."""
    database = Database(sqlite_url)
    settings = MODELS[name] | {"window": "P2D", "limits": {"window_documents": 80}}
    one, other = new_stream(database, "one", **settings), new_stream(database, "other", **settings)
    with working(worker_settings(tmp_path, sqlite_url), database) as worker:
        new = content(name)
        for begin in range(0, COUNT, 50):
            for stream_id in (one, other):
                ingest(database, stream_id, new[begin : begin + 50])
            work_off(worker)
            worker.held[other].live = None
        assert outcome(database, one) == outcome(database, other)
        with database.write() as connection:
            documents.request_erasure(connection, one, ["d3", "d150", "d199"], database.now(connection))
        work_off(worker)
        assert doctor.examine(database) == []
    found = outcome(database, one)
    states = {label[3] for label in found["labels"]}
    assert {"provisional", "settled"} <= states
    assert sum(label[3] == "provisional" for label in found["labels"]) <= 80
    if name == "evolving":
        with database.read() as connection:
            moved = paths.load(connection, one, max(found["labels"], key=lambda label: label[2])[4])
        assert moved
        assert all(words for _, words in moved)
    threads = {label[4] for label in found["labels"]}
    assert 2 <= len(threads) < COUNT / 3
    assert row_of(database, one).statistics["window"]["documents"] <= 80
    database.dispose()
