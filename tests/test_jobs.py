"""Jobs: taken by one process at a time, taken up again when it dies, given up after three times, canceled at once."""

import threading
from pathlib import Path
from typing import Any

import psutil
import pytest

from service.api.schemas.topics import Topics
from service.store import documents, jobs, streams, tasks
from service.store.database import Database
from service.worker.jobs import Runner
from service.worker.loop import Worker
from tests.live import Live, until
from tests.streams import ingest, made_up, new_stream, work_off, worker_settings, working

TTL = 10_000_000  # microseconds
COMPARISON: dict[str, Any] = {"settings": {"model": "crp", "window": "P5D"}, "held_out": 0.2, "sweeps": 12}


def enqueue(database: Database, stream_id: str, kind: str = "comparison", **details: Any) -> str:
    with database.write() as connection:
        return tasks.enqueue(connection, kind, stream_id, COMPARISON | details)


def take(database: Database, owner: str, later: int = 0) -> jobs.Job | None:
    with database.write() as connection:
        return jobs.take(connection, owner, TTL, database.now(connection) + later)


def found(database: Database, task_id: str) -> tasks.TaskRow:
    with database.read() as connection:
        row = tasks.get(connection, task_id)
    assert row
    return row


def look(worker: Worker, task_id: str) -> str:
    """Let the worker see to its jobs; the task's status."""
    worker.background.look()
    return found(worker.database, task_id).status


def test_a_job_has_one_owner_until_its_lease_ends(database: Database) -> None:
    task_id = enqueue(database, new_stream(database))
    first = take(database, "a")
    assert first
    assert first.task.id == task_id
    assert take(database, "b") is None
    second = take(database, "b", TTL + 1)
    assert second
    with database.write() as connection, pytest.raises(jobs.Lost):
        jobs.beat(connection, first, "a", 0.5, TTL, 0)
    with database.write() as connection:
        jobs.give_back(connection, second, "b")
    assert found(database, task_id).status == "enqueued"
    assert take(database, "c")


def test_a_job_that_crashes_three_times_has_failed(database: Database) -> None:
    task_id = enqueue(database, new_stream(database))
    for attempt in range(3):
        assert take(database, f"crash{attempt}", attempt * (TTL + 1))
    assert take(database, "again", 3 * (TTL + 1)) is None
    row = found(database, task_id)
    assert (row.status, row.error) == ("failed", "it crashed 3 times")


def test_a_job_ends_when_documents_are_erased_or_the_stream_goes(database: Database) -> None:
    stream_id = new_stream(database)
    ingest(database, stream_id, made_up(2))
    task_id = enqueue(database, stream_id)
    job = take(database, "a")
    assert job
    with database.write() as connection:
        documents.request_erasure(connection, stream_id, ["d0"], 0)
        jobs.succeed(connection, job, "a", {"secret": "d0"})
    assert found(database, task_id).status == "failed"
    other = enqueue(database, stream_id)
    with database.write() as connection:
        streams.mark_deleted(connection, stream_id)
    assert take(database, "a") is None
    assert (found(database, other).status, found(database, other).error) == ("failed", "the stream was deleted")


def test_a_comparison_is_computed(database: Database, database_url: str, tmp_path: Path) -> None:
    stream_id = new_stream(database)
    settings = worker_settings(tmp_path, database_url)
    runner = Runner(settings, database)
    few = enqueue(database, stream_id)
    assert runner.run_one()
    assert "10 are needed" in str(found(database, few).error)
    with working(settings, database) as worker:
        ingest(database, stream_id, made_up(200))
        work_off(worker)
    task_id = enqueue(database, stream_id)
    assert runner.run_one()
    assert not runner.run_one()
    assert found(database, task_id).status == "succeeded"
    with database.read() as connection:
        result = tasks.result(connection, task_id)
    own, other = result["models"]
    assert (own["model"], other["model"]) == ("tdpm", "crp")
    assert result["held_out_documents"] == round(0.2 * result["documents"])
    assert own["held_out_per_token"] > other["held_out_per_token"]  # topics come and go, which crp cannot know
    assert 0 < result["agreement"]["nmi"] <= 1
    assert own["agreement_with_stream"]["nmi"] > 0.5


def test_a_canceled_job_stops_and_a_stopped_one_is_given_back(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream_id = new_stream(database)
    begun, go_on = threading.Event(), threading.Event()

    def compute(self: Runner, job: jobs.Job, progress: Any) -> dict[str, Any]:
        begun.set()
        while not go_on.wait(0.05):
            progress(0.5)
        return {}

    monkeypatch.setattr(Runner, "_compute", compute)
    for cancel in (True, False):
        runner = Runner(worker_settings(tmp_path, database_url), database)
        task_id = enqueue(database, stream_id)
        begun.clear()
        thread = threading.Thread(target=runner.run_one)
        thread.start()
        assert begun.wait(10)
        if cancel:
            with database.write() as connection:
                jobs.cancel(connection, found(database, task_id))
        else:
            runner.stopping.set()
        thread.join(10)
        assert not thread.is_alive()
        assert found(database, task_id).status == ("canceled" if cancel else "enqueued")


def test_a_killed_process_loses_nothing(sqlite_url: str, tmp_path: Path) -> None:
    """The process is killed while it works; another one takes the job up, and documents are placed meanwhile."""
    database = Database(sqlite_url)
    stream_id = new_stream(database)
    settings = worker_settings(tmp_path, sqlite_url)
    with working(settings, database) as worker:
        ingest(database, stream_id, made_up(200))
        work_off(worker)
        task_id = enqueue(database, stream_id, sweeps=60)
        until(lambda: look(worker, task_id) == "processing", 60, "the first start")
        child = worker.background._child
        assert child
        assert psutil.Process(child.pid).nice() >= psutil.Process().nice() + 10
        child.kill()
        child.wait()
        ingest(database, stream_id, made_up(5, first=200))
        work_off(worker)
        until(lambda: look(worker, task_id) == "succeeded", 200, "the end")
    with database.read() as connection:
        assert tasks.result(connection, task_id)["documents"] == 205
    database.dispose()


def test_a_running_service_compares_models(tmp_path: Path) -> None:
    service = Live(tmp_path).start()
    try:
        lines = (Path(__file__).parent.parent / "examples" / "inbox.jsonl").read_bytes()
        sent = {"Content-Type": "application/x-ndjson"}
        assert service.client.post("/v1/streams/default/documents/bulk", content=lines, headers=sent).status_code == 202
        service.wait_quiet()
        asked = service.client.post("/v1/streams/default/comparisons", json={"settings": {"model": "crp"}})
        place = asked.headers["location"]
        task = until(lambda: _ended(service, place), 200, "the comparison")
        assert task["status"] == "succeeded", task
        assert [model["model"] for model in task["result"]["models"]] == ["tdpm", "crp"]
    finally:
        service.close()


def _ended(service: Live, place: str) -> dict[str, Any] | None:
    task: dict[str, Any] = service.client.get(place).json()
    return task if task["finished_at"] else None


def test_topics_are_found_with_shares_and_measures(sqlite_url: str, tmp_path: Path) -> None:
    database = Database(sqlite_url)
    stream_id = new_stream(database)
    settings = worker_settings(tmp_path, sqlite_url)
    with working(settings, database) as worker:
        ingest(database, stream_id, made_up(120))
        work_off(worker)
    runner = Runner(settings, database)
    asked = {"topics": 4, "from": None, "to": None, "sweeps": 60, "chains": 1, "seed": 1}
    task_id = enqueue(database, stream_id, "topics", **asked)
    assert runner.run_one()
    assert found(database, task_id).status == "succeeded", found(database, task_id).error
    with database.read() as connection:
        result = tasks.result(connection, task_id)
    assert (result["documents"], len(result["topics"])) == (120, 4)
    assert [topic["share"] for topic in result["topics"]] == sorted(
        (t["share"] for t in result["topics"]), reverse=True
    )
    assert sum(topic["share"] for topic in result["topics"]) == pytest.approx(1, abs=1e-3)
    for topic in result["topics"]:
        words = [word["word"] for word in topic["words"]]
        assert len(words) == 10
        assert topic["intruder"] not in words
        assert -1 <= topic["coherence"] <= 1
    assert any(topic["intruder_found"] for topic in result["topics"])
    assert {row["document_id"] for row in result["shares"]} == {f"d{i}" for i in range(120)}
    assert Topics.model_validate(result)
    none = enqueue(database, stream_id, "topics", **asked | {"to": "2020-01-01T00:00:00.000000Z"})
    assert runner.run_one()
    assert "10 are needed" in str(found(database, none).error)
    database.dispose()
