"""Server-sent events, predictions, health and metrics."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from service.store import events, streams
from service.store.database import Database
from service.store.events import NewEvent
from service.store.tables import streams as stream_table
from tests.api import DOCUMENT, NOON, Server, assert_problem, serving
from tests.story import START, tell
from tests.worker_stub import stub_worker

STREAM = "/v1/streams/default"


@pytest.fixture
def server(database: Database, database_url: str, tmp_path: Path) -> Iterator[Server]:
    tell(database)
    with serving(database, tmp_path, database_url, sse_connections=2) as running:
        yield running


def happen(database: Database) -> None:
    """One more event."""
    with database.write() as connection:
        stream = streams.find(connection, "default")
        assert stream
        following = events.append(
            connection, stream.id, stream.next_event, [NewEvent("thread.dormant", START, START, 1, None, None, 4)]
        )
        changed = update(stream_table).where(stream_table.c.id == stream.id).values(next_event=following)
        connection.execute(changed)


def follow(server: Server, count: int, **options: Any) -> list[dict[str, str]]:
    """The first events of a connection."""
    found: list[dict[str, str]] = []
    with server.client.stream("GET", f"{STREAM}/events/stream", **options) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        one: dict[str, str] = {}
        for line in response.iter_lines():
            name, _, value = line.partition(": ")
            if line and name in ("id", "event", "data"):
                one[name] = value
            elif not line and one:
                found.append(one)
                one = {}
                if len(found) == count:
                    break
    return found


def test_events_are_followed_and_resumed(server: Server, database: Database) -> None:
    every = follow(server, 7)
    assert [event["id"] for event in every] == [str(number) for number in range(1, 8)]
    assert every[3]["event"] == "thread.merged"
    assert json.loads(every[3]["data"])["other_thread_id"] == "thr_1"
    listed = server.client.get(f"{STREAM}/events").json()["data"]
    assert [json.loads(event["data"]) for event in every] == listed
    timer = threading.Timer(1.0, happen, [database])
    timer.start()
    resumed = follow(server, 3, headers={"Last-Event-ID": "5"})
    assert [event["id"] for event in resumed] == ["6", "7", "8"]
    assert [event["id"] for event in follow(server, 1, params={"after": "evt_7"})] == ["8"]
    born = follow(server, 3, params={"type": "thread.born"})
    assert [event["id"] for event in born] == ["1", "3", "5"]
    assert_problem(server.client.get(f"{STREAM}/events/stream", headers={"Last-Event-ID": "x"}), 422)
    assert_problem(server.client.get("/v1/streams/nowhere/events/stream"), 404)


def test_event_streams_are_limited_counted_and_closed(server: Server) -> None:
    context = server.app.state.context
    first, second = httpx.Client(base_url=server.url), httpx.Client(base_url=server.url)
    with first.stream("GET", f"{STREAM}/events/stream") as a, second.stream("GET", f"{STREAM}/events/stream") as b:
        lines_a, lines_b = a.iter_lines(), b.iter_lines()
        assert next(lines_a) == next(lines_b) == "retry: 3000"
        assert context.event_streams == 2
        refused = server.client.get(f"{STREAM}/events/stream")
        assert_problem(refused, 429, "too_many_streams")
        assert refused.headers["retry-after"]
    first.close()
    second.close()
    deadline = time.monotonic() + 10
    while context.event_streams and time.monotonic() < deadline:
        time.sleep(0.05)
    assert context.event_streams == 0


def test_draining_ends_event_streams(server: Server) -> None:
    with server.client.stream("GET", f"{STREAM}/events/stream") as response:
        lines = response.iter_lines()
        next(lines)
        server.app.state.context.draining = True
        assert list(lines)  # ends by itself


def test_predictions_come_from_the_worker(server: Server, database: Database) -> None:
    question = {"documents": [{"time": NOON, "text": "a"}, {"time": NOON, "title": "t", "text": "b"}], "top": 2}
    response = server.post(f"{STREAM}/predictions", question)
    assert_problem(response, 503, "no_worker")
    assert response.headers["retry-after"]
    with stub_worker(database) as asked:
        answer = server.post(f"{STREAM}/predictions", question).json()
    assert answer["model_version"] == 3
    assert len(answer["predictions"]) == 2
    one = answer["predictions"][0]
    assert one["threads"] == [{"thread_id": "thr_1", "probability": 0.7}]
    assert sum(share["probability"] for share in one["threads"]) + one["new"] + one["other"] == pytest.approx(1)
    assert asked[0]["top"] == 2
    assert asked[0]["documents"][1] == {
        "time": START,
        "title": "t",
        "text": "b",
        "vector": None,
        "author": None,
        "metadata": None,
    }
    assert server.client.get(f"{STREAM}/stats").json()["accepted"] == 5
    assert_problem(server.post(f"{STREAM}/predictions", question), 503, "no_worker")  # it is gone
    wrong: list[dict[str, Any]] = [
        {"documents": []},
        {"documents": [{"time": NOON}]},
        {"documents": [{"text": "x"}]},
        {"top": 1},
    ]
    for bad in wrong:
        assert_problem(server.post(f"{STREAM}/predictions", bad), 422)
    many = {"documents": [{"time": NOON, "text": "x"}] * 101}
    assert assert_problem(server.post(f"{STREAM}/predictions", many), 422)["errors"][0]["code"] == "too_long"


@pytest.mark.parametrize(("status", "expected"), [(404, 404), (422, 422), (503, 503), (409, 503), (500, 503)])
def test_what_a_worker_refuses_is_told(server: Server, database: Database, status: int, expected: int) -> None:
    with stub_worker(database, status):
        assert_problem(server.post(f"{STREAM}/predictions", {"documents": [{"time": NOON, "text": "a"}]}), expected)


def test_health_version_and_metrics(server: Server) -> None:
    for path in ("/livez", "/readyz"):
        assert server.client.get(path).status_code == 200
        assert server.client.head(path).status_code == 200
    limits = server.client.get("/v1/version").json()["limits"]
    assert limits["body_bytes"] == 10 << 20
    server.post(f"{STREAM}/documents", DOCUMENT | {"id": "m"})
    server.post(f"{STREAM}/documents", DOCUMENT | {"id": "m"})
    text = server.client.get("/metrics").text
    for line in (
        'threadline_ingest_documents_total{outcome="accepted",reason=""} 1.0',
        'threadline_ingest_documents_total{outcome="duplicate",reason=""} 1.0',
        "threadline_ingest_lag_documents 2.0",
        "threadline_window_documents 4.0",
        "threadline_threads_live 2.0",
        "threadline_late_documents_total ",
        "threadline_fenced_writes_total ",
        "threadline_snapshot_age_seconds ",
        "threadline_build_info{",
        'route="/v1/streams/{stream}/documents"',
    ):
        assert line in text, line
    assert "mail-1" not in text
    server.client.get("/v1/streams/default/threads/thr_1")
    assert "thr_1" not in server.client.get("/metrics").text
