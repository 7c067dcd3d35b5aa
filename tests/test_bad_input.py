"""Bad input: a 4xx that names the place, nothing stored, the service healthy; strange input comes back as it was."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.store.database import Database
from tests.api import NOON, Server, assert_problem, serving
from tests.bad_input import BAD_TIMES, BAD_TYPES, FUTURE_TIMES, GOOD_TIMES, document, strange, torture

URL = "/v1/streams/default/documents"
JSON = {"Content-Type": "application/json"}
NDJSON = {"Content-Type": "application/x-ndjson"}


@pytest.fixture
def server(database: Database, database_url: str, tmp_path: Path) -> Iterator[Server]:
    with serving(database, tmp_path, database_url, receive_deadline_s=1) as running:
        running.post("/v1/streams", {"name": "default"})
        yield running


@pytest.fixture
def healthy(server: Server) -> Iterator[Server]:
    """The server, of which nothing may be stored and which must answer well at the end."""
    yield server
    assert server.client.get("/v1/streams/default/stats").json()["accepted"] == 0
    assert server.client.get("/readyz").status_code == 200
    assert server.post(URL, {"time": NOON, "text": "still here"}).status_code == 202


def places(response: Any, status: int = 422) -> set[str]:
    return {error["pointer"] for error in assert_problem(response, status)["errors"]}


def test_bad_times_are_refused_wherever_they_stand(healthy: Server) -> None:
    assert len(BAD_TIMES) + len(BAD_TYPES) >= 60
    for bad in (*BAD_TIMES, *BAD_TYPES, *FUTURE_TIMES):
        one = {"time": bad, "text": "x"}
        assert places(healthy.post(URL, one)) == {"#/time"} or isinstance(bad, list | dict), bad
        assert places(healthy.post(URL, {"documents": [{"time": NOON, "text": "x"}, one]})) >= {"#/documents/1/time"}
        line = json.dumps(one).encode()
        answer = healthy.client.post(f"{URL}/bulk", content=line, headers=NDJSON)
        assert answer.status_code == 422
        assert answer.json()["items"][0]["error"]["pointer"] == "#/time"


def test_bad_times_are_refused_in_queries(healthy: Server) -> None:
    for path in ("documents", "threads", "lifespans"):
        for bad in BAD_TIMES:
            response = healthy.client.get(f"/v1/streams/default/{path}", params={"from": str(bad)})
            assert places(response) == {"#/from"}, bad
        for good in (*GOOD_TIMES, *FUTURE_TIMES):
            assert healthy.client.get(f"/v1/streams/default/{path}", params={"to": good}).status_code == 200


def test_good_times_are_kept_to_the_microsecond(server: Server) -> None:
    for number, good in enumerate(GOOD_TIMES):
        assert server.post(URL, {"id": str(number), "time": good, "text": "x"}).status_code == 202, good
    shown = server.client.get(f"{URL}/6").json()["time"]
    assert shown == "2026-03-02T12:00:00.123456Z"
    assert server.client.get(f"{URL}/7").json()["time"] == "2026-03-01T12:01:00.000000Z"


def test_no_json_breaks_the_service(healthy: Server) -> None:
    bodies = torture()
    assert len(bodies) >= 300
    for body, status in bodies:
        response = healthy.client.post(URL, content=body, headers=JSON)
        problem = assert_problem(response, status)
        assert bool(problem["errors"]) == (status == 422), (body[:80], problem)
        assert len(response.content) < 10_000
        if b"\n" not in body:
            bulk = healthy.client.post(f"{URL}/bulk", content=body, headers=NDJSON)
            assert bulk.status_code in (400, 422), body[:80]


def test_faults_are_found_where_they_are(healthy: Server) -> None:
    cases = {
        "#/metadata/a/1/b": document(metadata='{"a":[1,{"b":NaN}]}'),
        "#/metadata/a~1b~0": document(metadata='{"a/b~":"\\u0000"}'),
        "#/metadata/*": document(metadata='{"\\u00e9":"\\u0000"}'),
        "#/metadata": document(metadata='{"\\u0000":1}'),
        "#/text": document()[:-1] + b',"text":"y"}',
        "#/vector/1": b'{"time":"2026-03-02T12:00:00Z","vector":[1,1e999]}',
        "#/documents/0/title": b'{"documents":[' + document(title='"\\ud800"') + b"]}",
        "#/documents/1": b'{"documents":[' + document() + b",3]}",
        "#": b"3",
    }
    for place, body in cases.items():
        assert places(healthy.client.post(URL, content=body, headers=JSON)) == {place}
    echoed = healthy.client.post(URL, content=document(title=json.dumps("SECRET" * 300)), headers=JSON)
    assert "SECRET" not in echoed.text


def test_strange_text_comes_back_as_it_was(server: Server) -> None:
    texts = strange()
    assert len(texts) >= 500
    batch = [
        {
            "id": str(n),
            "time": NOON,
            "text": t,
            "title": t[:1_000],
            "author": t[:500],
            "metadata": {t[:100]: [t[:1_000]]},
        }
        for n, t in enumerate(texts)
    ]
    for start in range(0, len(batch), 200):
        response = server.post(URL, {"documents": batch[start : start + 200]})
        assert response.status_code == 202, response.text
    shown: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while not shown or cursor["cursor"]:
        page = server.client.get(URL, params={"limit": 400, **cursor}).json()
        shown += page["data"]
        cursor = {"cursor": page["next_cursor"]}
    assert [{name: one[name] for name in batch[0] if name != "time"} for one in shown] == [
        {name: value for name, value in one.items() if name != "time"} for one in batch
    ]
    lines = b"\n".join(json.dumps(one, ensure_ascii=False).encode() for one in batch)
    again = server.client.post(f"{URL}/bulk", content=lines, headers=NDJSON)
    assert (again.status_code, again.json()["duplicates"]) == (202, len(batch))


def test_nul_and_bad_bytes_in_paths_and_queries(healthy: Server) -> None:
    for path in (
        "/v1/streams/%00",
        "/v1/streams/a%00b/threads",
        "/v1/streams/%ff",
        "/v1/streams/default/documents/%00",
        "/v1/streams/default/documents/%ED%A0%80",
        "/v1/streams/default/threads/thr_%00",
        "/v1/streams/default/threads/thr_99999999999999999999",
        "/v1/streams/default/threads?search=%00",
        "/v1/streams/default/threads?cursor=%00",
        "/v1/streams/default/events?after=%ff",
        "/v1/streams?%00=1",
        "/v1/tasks/tsk_%00",
        "/v1/tasks/" + "x" * 5_000,
        "/v1/streams/default/threads?search=" + "x" * 201,
    ):
        problem = assert_problem(healthy.client.get(path), 422)
        assert problem["errors"][0]["location"] in ("path", "query")
    assert healthy.client.get("/v1/streams/default/threads?search=%ff").status_code == 200
