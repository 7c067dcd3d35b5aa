"""Documents: sent one by one or in batches, safely repeated, read, listed, replaced, erased."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.store import assignments, streams
from service.store.assignments import AssignmentRow
from service.store.database import Database
from tests.api import DOCUMENT, NOON, Server, assert_problem, serving
from tests.story import START, tell

URL = "/v1/streams/default/documents"


@pytest.fixture
def server(database: Database, database_url: str, tmp_path: Path) -> Iterator[Server]:
    with serving(database, tmp_path, database_url, pending_documents=20, batch_documents=10) as running:
        yield running


def accepted(server: Server) -> int:
    number: int = server.client.get("/v1/streams/default/stats").json()["accepted"]
    return number


def test_a_document_comes_back_as_it_was_sent(server: Server) -> None:
    rich = DOCUMENT | {"title": "T", "author": "A", "metadata": {"a": [1, 2.5, None, {"b": "ü\u202e"}], "n": 2**60}}
    stored = server.post(URL, rich)
    assert stored.status_code == 202
    assert stored.json() == {
        "accepted": 1,
        "duplicates": 0,
        "replaced": 0,
        "items": [{"id": "mail-1", "status": "accepted", "seq": 1, "assignment": None}],
    }
    shown = server.client.get(f"{URL}/mail-1").json()
    assert shown["time"] == "2026-03-02T12:00:00.000000Z"
    assert {name: shown[name] for name in ("id", "text", "title", "author", "metadata")} == {
        name: rich[name] for name in ("id", "text", "title", "author", "metadata")
    }
    assert (shown["state"], shown["assignment"], shown["vector"]) == ("pending", None, None)


def test_retries_are_harmless_and_conflicts_are_told(server: Server) -> None:
    for _ in range(3):
        assert server.post(URL, DOCUMENT).status_code == 202
    assert accepted(server) == 1
    problem = assert_problem(server.post(URL, DOCUMENT | {"text": "other"}), 409, "id_conflict")
    assert problem["errors"][0]["pointer"] == "#/id"
    batch = {"documents": [{"id": "new", "time": NOON, "text": "n"}, DOCUMENT | {"text": "other"}]}
    problem = assert_problem(server.post(URL, batch), 409, "id_conflict")
    assert problem["errors"][0]["pointer"] == "#/documents/1/id"
    assert_problem(server.client.get(f"{URL}/new"), 404)
    assert accepted(server) == 1


def test_an_idempotency_key_repeats_the_answer(server: Server) -> None:
    body = {"documents": [{"time": NOON, "text": "no id"}, {"time": NOON, "text": "no id either"}]}
    first = server.post(URL, body, headers={"Idempotency-Key": "k1"})
    again = server.post(URL, body, headers={"Idempotency-Key": "k1"})
    assert again.json() == first.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert accepted(server) == 2
    assert_problem(server.post(URL, DOCUMENT, headers={"Idempotency-Key": "k1"}), 422, "idempotency_key_reused")
    assert server.post(URL, body, headers={"Idempotency-Key": "k2"}).json() != first.json()
    assert_problem(server.post(URL, DOCUMENT, headers={"Idempotency-Key": "x" * 256}), 422)


def test_concurrent_requests_with_one_key_store_once(server: Server) -> None:
    server.post(URL, DOCUMENT)
    statuses: list[int] = []

    def send() -> None:
        statuses.append(server.post(URL, {"time": NOON, "text": "x"}, headers={"Idempotency-Key": "same"}).status_code)

    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(statuses) <= {202, 409}
    assert accepted(server) == 2


def test_too_many_waiting_documents_push_back(server: Server) -> None:
    for number in range(2):
        documents = [{"id": f"{number}-{n}", "time": NOON, "text": "x"} for n in range(10)]
        assert server.post(URL, {"documents": documents}).status_code == 202
    response = server.post(URL, {"time": NOON, "text": "one too many"})
    assert_problem(response, 429, "backpressure")
    assert int(response.headers["retry-after"]) > 0
    assert accepted(server) == 20
    assert server.post(URL, {"documents": documents}).json()["duplicates"] == 10


def test_a_full_disk_stops_ingest_only(database: Database, database_url: str, tmp_path: Path) -> None:
    if database.dialect != "sqlite":
        pytest.skip("PostgreSQL watches its own disk")
    tell(database)
    with serving(database, tmp_path, database_url) as server:
        full = server.app.state.context.settings.model_copy(update={"disk_reserve_mib": 1 << 40})
        server.app.state.context.settings = full
        assert_problem(server.post(URL, DOCUMENT), 507, "disk_full")
        assert_problem(server.client.put(f"{URL}/mail-1", json={"time": NOON, "text": "x"}), 507)
        assert server.client.get(f"{URL}/mail-1").status_code == 200
        assert server.client.delete(f"{URL}/mail-1").status_code == 202
        assert server.client.get("/readyz").json()["reasons"] == ["the disk is nearly full"]


def test_waiting_gives_the_thread(server: Server, database: Database) -> None:
    server.post(URL, DOCUMENT)
    late = server.post(f"{URL}?wait=assigned&timeout=0.1", {"id": "b", "time": NOON, "text": "x"})
    assert late.status_code == 202

    def place() -> None:
        time.sleep(0.3)
        with database.write() as connection:
            stream = streams.find(connection, "default")
            assert stream
            row = AssignmentRow(3, START, "provisional", 7, 0.75, 1, "{}", 1, "[]")
            assignments.place(connection, stream.id, [row])

    worker = threading.Thread(target=place)
    worker.start()
    answer = server.post(f"{URL}?wait=assigned&timeout=20", {"id": "c", "time": NOON, "text": "x"})
    worker.join()
    assert answer.status_code == 200
    assert answer.json()["items"][0]["assignment"] == {
        "thread_id": "thr_7",
        "probability": 0.75,
        "provisional": True,
        "since_version": 1,
    }
    for bad in ("wait=settled", "wait=assigned&timeout=31", "wait=assigned&timeout=inf", "timeout=-1"):
        assert_problem(server.post(f"{URL}?{bad}", DOCUMENT), 422)


def test_documents_are_listed_by_time_thread_and_state(server: Server, database: Database) -> None:
    tell(database)

    def ids(**query: Any) -> list[str]:
        response = server.client.get(URL, params=query)
        assert response.status_code == 200, response.text
        return [document["id"] for document in response.json()["data"]]

    every = ["mail-1", "mail-2", "mail-3", "mail-4", "mail-5"]
    assert ids() == every
    assert ids(order="newest") == every[::-1]
    assert ids(thread="thr_2") == ["mail-3", "mail-4"]
    assert ids(state="pending") == ["mail-5"]
    assert ids(state="provisional", thread="thr_1") == ["mail-1", "mail-2"]
    assert ids(**{"from": "2026-03-02T17:00:00Z", "to": "2026-03-02T22:00:00.000001Z"}) == ["mail-2", "mail-3"]
    page = server.client.get(URL, params={"order": "newest", "limit": 2}).json()
    assert [d["id"] for d in page["data"]] == ["mail-5", "mail-4"]
    assert ids(order="newest", limit=2, cursor=page["next_cursor"]) == ["mail-3", "mail-2"]
