"""Documents that leave the model, come too late, or bring settings that changed."""

from pathlib import Path

import pytest

from service.durations import parse_duration
from service.store import assignments, chains, doctor, documents, streams, tasks
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

CANARY = "quetzalcoatlus"


def erase(database: Database, stream_id: str, *names: str) -> str:
    with database.write() as connection:
        return documents.request_erasure(connection, stream_id, names, database.now(connection))


def states(database: Database, stream_id: str) -> dict[str, str]:
    with database.read() as connection:
        return {a.id: a.state for a in assignments.list_page(connection, stream_id, 10**6)}


@pytest.mark.parametrize("reload", [False, True])
def test_erased_documents_leave_the_model(database: Database, database_url: str, tmp_path: Path, reload: bool) -> None:
    stream_id = new_stream(database, window="P2D")
    new = made_up(300)
    secret = [new_document(f"secret{i}", START + i * 60 * HOUR, CANARY, title=f"{CANARY} {i}") for i in (0, 1)]
    settings = worker_settings(tmp_path, database_url)
    with working(settings, database) as worker:
        ingest(database, stream_id, [secret[0], *new[:250], secret[1], *new[250:]])
        work_off(worker)
        found = states(database, stream_id)
        assert (found["secret0"], found["secret1"]) == ("settled", "provisional")
        if reload:
            worker.held[stream_id].live = None
        task = erase(database, stream_id, "secret0", "secret1", "d0", "d299", "d280")
        work_off(worker)
        assert doctor.examine(database) == []
        assert states(database, stream_id).keys() == {f"d{i}" for i in range(1, 299) if i != 280}
        ingest(database, stream_id, made_up(100, first=300, seed=2))
        work_off(worker)
    assert doctor.examine(database) == []
    with database.read() as connection:
        finished = tasks.get(connection, task)
        rows = repr(outcome(database, stream_id))
    assert finished is not None
    assert finished.status == "succeeded"
    assert CANARY not in rows


def test_after_an_erasure_labels_and_snapshot_agree(database: Database, database_url: str, tmp_path: Path) -> None:
    found = []
    for name in ("snapshot", "labels"):
        stream_id = new_stream(database, name, window="P2D")
        with working(worker_settings(tmp_path, database_url), database) as worker:
            ingest(database, stream_id, made_up(250))
            work_off(worker)
            erase(database, stream_id, "d3", "d100", "d249")
            work_off(worker)
        if name == "labels":
            with database.write() as connection:
                chains.drop_snapshot(connection, stream_id)
        with working(worker_settings(tmp_path, database_url), database) as worker:
            ingest(database, stream_id, made_up(100, first=250, seed=3))
            work_off(worker)
        found.append(outcome(database, stream_id))
    assert found[0] == found[1]
    assert doctor.examine(database) == []


def test_a_document_erased_before_it_was_placed_is_passed_over(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    stream_id = new_stream(database)
    ingest(database, stream_id, made_up(130))
    erase(database, stream_id, *(f"d{i}" for i in range(60, 70)), "d129")
    with working(worker_settings(tmp_path, database_url), database) as worker:
        work_off(worker)
    row = row_of(database, stream_id)
    assert (row.cursor, row.statistics["placed"], row.statistics["swept_seq"]) == (130, 119, 128)
    assert doctor.examine(database) == []


@pytest.mark.parametrize("spans", [{"window": "P2D"}, {"window": "P30D", "lateness": "P2D"}], ids=" ".join)
def test_late_documents_get_a_thread_and_change_nothing(
    spans: dict[str, str], database: Database, database_url: str, tmp_path: Path
) -> None:
    stream_id = new_stream(database, **spans)
    with working(worker_settings(tmp_path, database_url), database) as worker:
        ingest(database, stream_id, made_up(250))
        work_off(worker)
        before = outcome(database, stream_id)
        late = [new_document("late", START, "t0w1 t0w2 t0w3 t0w4"), new_document("later", START - HOUR, "unheard of")]
        ingest(database, stream_id, late)
        work_off(worker)
    after = outcome(database, stream_id)
    assert after["threads"] == before["threads"]
    assert after["labels"][:-2] == before["labels"]
    assert [label[3] for label in after["labels"][-2:]] == ["late", "late"]
    assert row_of(database, stream_id).statistics["late"] == 2
    assert doctor.examine(database) == []


def test_changed_settings_are_picked_up(database: Database, database_url: str, tmp_path: Path) -> None:
    stream_id = new_stream(database, window="P4D")
    new = made_up(300)
    with working(worker_settings(tmp_path, database_url), database) as worker:
        ingest(database, stream_id, new[:200])
        work_off(worker)
        with database.write() as connection:
            changed = {"window": "P1D", "seed": 7, "half_life": "PT12H", "alpha": 2.5, "strength": 80.0}
            streams.change(connection, stream_id, changed, None)
        ingest(database, stream_id, new[200:])
        work_off(worker)
        row = row_of(database, stream_id)
        assert row.clock is not None
        assert row.horizon == row.clock - parse_duration("P1D")
        found = row.statistics
        assert (found["alpha"], found["strength"]) == (2.5, 80.0)
        assert found["half_life"] == pytest.approx(12 * 3600)
    assert doctor.examine(database) == []


@pytest.mark.parametrize("model", ["crp", "rcrp"])
def test_other_models_work_too(database: Database, database_url: str, tmp_path: Path, model: str) -> None:
    stream_id = new_stream(database, model=model)
    with working(worker_settings(tmp_path, database_url), database) as worker:
        ingest(database, stream_id, made_up(150))
        work_off(worker)
    with working(worker_settings(tmp_path, database_url), database) as worker:
        ingest(database, stream_id, made_up(100, first=150))
        work_off(worker)
    assert row_of(database, stream_id).cursor == 250
    assert doctor.examine(database) == []
