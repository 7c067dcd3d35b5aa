"""Topics and comparisons over the API: asked for, followed, canceled, refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.store import jobs, tasks
from service.store.database import Database
from tests.api import Server, assert_problem, serving
from tests.story import tell

STREAM = "/v1/streams/default"
COMPARISON = {"settings": {"model": "crp"}}


@pytest.fixture
def server(database: Database, database_url: str, tmp_path: Path) -> Iterator[Server]:
    tell(database)
    with serving(database, tmp_path, database_url) as running:
        yield running


def test_a_comparison_is_a_task_with_a_result(server: Server, database: Database) -> None:
    asked = server.post(f"{STREAM}/comparisons", COMPARISON)
    assert asked.status_code == 202
    task = asked.json()
    assert (task["type"], task["status"], task["progress"]) == ("comparison", "enqueued", 0)
    assert task["details"]["settings"]["model"] == "crp"
    assert "result" not in task
    place = asked.headers["location"]
    with database.write() as connection:
        job = jobs.take(connection, "me", 10**7, database.now(connection))
        assert job
        jobs.beat(connection, job, "me", 0.5, 10**7, database.now(connection))
    assert server.client.get(place).json()["progress"] == 0.5
    example = server.client.get("/openapi.json").json()["components"]["schemas"]["Comparison"]["examples"][0]
    stored = example | {"from": 1_000_000, "to": 2_000_000}
    with database.write() as connection:
        jobs.succeed(connection, job, "me", stored)
    done = server.client.get(place).json()
    assert (done["status"], done["progress"]) == ("succeeded", 1.0)
    assert done["result"] == example | {"from": "1970-01-01T00:00:01.000000Z", "to": "1970-01-01T00:00:02.000000Z"}
    listed = server.client.get("/v1/tasks", params={"type": "comparison", "status": "succeeded"}).json()["data"]
    assert [one["id"] for one in listed] == [task["id"]]
    assert "result" not in listed[0]
    assert_problem(server.post(f"{place}/cancel", None), 409, "task_finished")


def test_what_was_found_goes_with_the_documents(server: Server, database: Database) -> None:
    place = server.post(f"{STREAM}/topics", {}).headers["location"]
    with database.write() as connection:
        job = jobs.take(connection, "me", 10**7, database.now(connection))
        assert job
        jobs.succeed(connection, job, "me", {"kind": "topics"})
        assert tasks.result(connection, job.task.id) is not None
    document = server.client.get(f"{STREAM}/documents").json()["data"][0]["id"]
    assert server.client.delete(f"{STREAM}/documents/{document}").status_code == 202
    task = server.client.get(place).json()
    assert task["result"] is None
    assert "erased" in task["error"]


def test_jobs_are_canceled_and_erasures_are_not(server: Server) -> None:
    place = server.post(f"{STREAM}/topics", {"topics": 3, "from": "2026-03-01T00:00:00Z"}).headers["location"]
    assert server.client.get(place).json()["details"]["from"] == "2026-03-01T00:00:00.000000Z"
    for _ in range(2):
        assert server.post(f"{place}/cancel", None).json()["status"] == "canceled"
    erasure = server.post(f"{STREAM}/documents/delete", {"ids": ["none"]}).json()["id"]
    assert_problem(server.post(f"/v1/tasks/{erasure}/cancel", None), 409, "not_cancelable")
    assert_problem(server.post(f"/v1/tasks/tsk_{'0' * 26}/cancel", None), 404)


def test_what_makes_no_sense_is_refused(server: Server) -> None:
    assert_problem(server.post("/v1/streams/nowhere/topics", {}), 404)
    for body in (
        {"topics": 1},
        {"topics": 201},
        {"chains": 0},
        {"from": "2026-03-02T00:00:00Z", "to": "2026-03-01T00:00:00Z"},
        {"from": 3},
        {"unknown": 1},
    ):
        assert_problem(server.post(f"{STREAM}/topics", body), 422)
    wrong: list[dict[str, Any]] = [
        {},
        {"settings": {"model": "magic"}},
        {"settings": {"kind": "vectors", "dimensions": 3}},
        {"settings": {}, "held_out": 0.9},
        {"settings": {}, "sweeps": 0},
    ]
    for bad in wrong:
        assert_problem(server.post(f"{STREAM}/comparisons", bad), 422)
    problem = assert_problem(server.post(f"{STREAM}/comparisons", {"settings": {"half_life": "x"}}), 422)
    assert problem["errors"][0]["pointer"] == "#/settings/half_life"
    server.post("/v1/streams", {"name": "points", "settings": {"kind": "vectors", "dimensions": 2}})
    assert_problem(server.post("/v1/streams/points/topics", {}), 422)


def test_a_stream_has_few_jobs_at_a_time(server: Server) -> None:
    for _ in range(8):
        assert server.post(f"{STREAM}/comparisons", COMPARISON).status_code == 202
    refused = server.post(f"{STREAM}/comparisons", COMPARISON)
    assert_problem(refused, 429, "too_many_tasks")
    assert refused.headers["retry-after"]
