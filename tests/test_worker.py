"""A worker and its streams: the same answers whatever the batches, the reloads and the database."""

from pathlib import Path
from typing import Any

import pytest

from service.store import chains, doctor
from service.store.database import Database
from tests.streams import ingest, made_up, new_stream, outcome, row_of, until, work_off, worker_settings, working

COUNT = 330
EXPECTED: dict[str, Any] = {}  # what the first run gave, whatever its database


def same_as_ever(found: dict[str, Any]) -> None:
    """All runs over the same documents must agree; each test process compares with its own first."""
    EXPECTED.setdefault("outcome", found)
    assert found["labels"] == EXPECTED["outcome"]["labels"]
    assert found["events"] == EXPECTED["outcome"]["events"]
    assert found["threads"] == EXPECTED["outcome"]["threads"]


def check(database: Database, stream_id: str) -> None:
    same_as_ever(outcome(database, stream_id))
    assert doctor.examine(database) == []


@pytest.mark.parametrize("batch", [COUNT, 50, 7])
def test_batches_do_not_matter(database: Database, database_url: str, tmp_path: Path, batch: int) -> None:
    stream_id = new_stream(database)
    new = made_up(COUNT)
    with working(worker_settings(tmp_path, database_url), database) as worker:
        for start in range(0, COUNT, batch):
            ingest(database, stream_id, new[start : start + batch])
            work_off(worker)
    check(database, stream_id)


@pytest.mark.parametrize("source", ["snapshot", "labels", "broken snapshot", "old snapshot"])
def test_a_reload_after_every_step_changes_nothing(
    database: Database, database_url: str, tmp_path: Path, source: str
) -> None:
    stream_id = new_stream(database)
    new = made_up(COUNT)
    for start in range(0, COUNT, 60):
        with working(worker_settings(tmp_path, database_url), database) as worker:
            ingest(database, stream_id, new[start : start + 60])
            work_off(worker)
        spoil(database, stream_id, source)
    assert row_of(database, stream_id).statistics["loads"] == -(-COUNT // 60)
    check(database, stream_id)


def spoil(database: Database, stream_id: str, source: str) -> None:
    """Do to the snapshot what the test is about; a worker that stopped has left a good one."""
    with database.write() as connection:
        saved = chains.load(connection, stream_id)
        row = row_of(database, stream_id)
        assert saved is not None
        assert saved.snapshot is not None
        assert saved.snapshot_version == row.model_version
        if source == "labels":
            chains.drop_snapshot(connection, stream_id)
        elif source == "broken snapshot":
            half = len(saved.snapshot) // 2
            broken = saved.snapshot[:half] + b"?" + saved.snapshot[half + 1 :]
            chains.save_snapshot(connection, stream_id, broken, row.cursor, row.model_version, 0)
        elif source == "old snapshot":
            chains.save_snapshot(connection, stream_id, saved.snapshot, row.cursor, row.model_version - 1, 0)


def test_a_quiet_stream_rests_once(database: Database, database_url: str, tmp_path: Path) -> None:
    stream_id = new_stream(database)
    with working(worker_settings(tmp_path, database_url, rest_after_s=0, rest_passes=2), database) as worker:
        ingest(database, stream_id, made_up(100))
        until(lambda: not worker.turn())
        row = row_of(database, stream_id)
        assert row.swept_at == row.last_arrival_at
        assert row.statistics["swept"] >= 640 + 2 * row.statistics["window"]["documents"]
        assert not worker.turn()
    assert doctor.examine(database) == []


def test_an_idle_stream_is_unloaded_and_comes_back(database: Database, database_url: str, tmp_path: Path) -> None:
    stream_id = new_stream(database)
    new = made_up(COUNT)
    with working(worker_settings(tmp_path, database_url, unload_after_s=1), database) as worker:
        ingest(database, stream_id, new[:100])
        work_off(worker)
        assert row_of(database, stream_id).lease_owner == worker.owner
        until(lambda: not worker.turn() and not worker.held)
        assert row_of(database, stream_id).lease_owner is None
        ingest(database, stream_id, new[100:])
        work_off(worker)
        assert row_of(database, stream_id).lease_owner == worker.owner
    check(database, stream_id)
