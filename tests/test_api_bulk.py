"""Bulk: exact results for every line, commits on the way, all or nothing when asked, in any encoding."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import zstandard

from service.store.database import Database
from tests.api import DOCUMENT, NOON, Server, assert_problem, serving

URL = "/v1/streams/default/documents"
NDJSON = {"Content-Type": "application/x-ndjson"}


@pytest.fixture
def server(database: Database, database_url: str, tmp_path: Path) -> Iterator[Server]:
    with serving(database, tmp_path, database_url, pending_documents=2_000, body_bytes=1 << 20) as running:
        yield running


def lines(count: int, start: int = 0) -> list[bytes]:
    return [
        json.dumps({"id": f"d{n}", "time": NOON, "text": f"text {n}"}).encode() for n in range(start, start + count)
    ]


def send(server: Server, content: Any, query: str = "", **headers: str) -> httpx.Response:
    return server.client.post(f"{URL}/bulk{query}", content=content, headers=NDJSON | headers)


def stored(server: Server) -> int:
    number: int = server.client.get("/v1/streams/default/stats").json()["accepted"]
    return number


def test_every_line_is_accounted_for(server: Server) -> None:
    server.post(URL, DOCUMENT)
    known = json.dumps(DOCUMENT).encode()
    body = [
        *lines(2),
        b"",
        b"{bad json",
        known,
        known.replace(b"shuttle", b"rocket"),
        b'{"time":"2026-03-02T12:00:00","text":"naive"}',
        b'{"time":"2026-03-02T12:00:00Z","text":"x","wat":1}',
        b"\xff",
        b"[1]",
        b'{"time":"2099-01-01T00:00:00Z","text":"far"}',
        *lines(1, 2),
    ]
    response = send(server, b"\r\n".join(body))
    assert response.status_code == 422
    answer = response.json()
    assert [answer[name] for name in ("accepted", "duplicates", "replaced", "rejected")] == [3, 1, 0, 7]
    assert answer["lines"] == 12
    rejected = {item["line"]: item["error"]["code"] for item in answer["items"] if item["status"] == "rejected"}
    assert rejected == {
        4: "not_json",
        6: "id_conflict",
        7: "bad_time",
        8: "unknown_field",
        9: "not_utf8",
        10: "model_type",
        11: "time_in_future",
    }
    assert [item["status"] for item in answer["items"][:7]] == ["rejected"] * 7
    assert {item["line"]: item["seq"] for item in answer["items"] if item["status"] == "accepted"} == {
        1: 2,
        2: 3,
        12: 4,
    }
    assert stored(server) == 4


@pytest.mark.parametrize("encoding", ["identity", "gzip", "zstd"])
def test_bulk_takes_encodings_and_is_repeatable(server: Server, encoding: str) -> None:
    content = b"\n".join(lines(1_203))
    if encoding == "gzip":
        half = len(content) // 2
        content = gzip.compress(content[:half]) + gzip.compress(content[half:])  # two members
    elif encoding == "zstd":
        half = len(content) // 2
        content = zstandard.compress(content[:half]) + zstandard.compress(content[half:])
    first = send(server, content, **{"Content-Encoding": encoding})
    assert first.status_code == 202, first.text
    answer = first.json()
    assert (answer["accepted"], answer["lines"], answer["items_truncated"]) == (1_203, 1_203, True)
    assert len(answer["items"]) == 1_000
    again = send(server, content, **{"Content-Encoding": encoding}).json()
    assert (again["accepted"], again["duplicates"]) == (0, 1_203)
    assert stored(server) == 1_203


def test_abort_is_all_or_nothing(server: Server) -> None:
    server.post(URL, DOCUMENT)
    good = lines(1_100)
    bad = send(server, b"\n".join([*good, b"nope"]), "?on_error=abort")
    assert bad.status_code == 422
    assert bad.json()["aborted"]
    assert (bad.json()["accepted"], bad.json()["rejected"]) == (0, 1)
    assert stored(server) == 1
    conflict = json.dumps(DOCUMENT | {"text": "other"}).encode()
    refused = send(server, b"\n".join([*good, conflict]), "?on_error=abort").json()
    assert [(item["line"], item["error"]["code"]) for item in refused["items"]] == [(1_101, "id_conflict")]
    assert (refused["aborted"], refused["accepted"], stored(server)) == (True, 0, 1)
    assert send(server, b"\n".join(good), "?on_error=abort").json()["accepted"] == 1_100
    assert stored(server) == 1_101


def test_known_ids_can_be_replaced_or_ignored(server: Server) -> None:
    server.post(URL, DOCUMENT)
    other = json.dumps(DOCUMENT | {"text": "other"}).encode()
    assert send(server, other, "?on_conflict=ignore").json()["duplicates"] == 1
    assert server.client.get(f"{URL}/mail-1").json()["text"] == DOCUMENT["text"]
    replaced = send(server, other, "?on_conflict=replace")
    assert (replaced.status_code, replaced.json()["replaced"]) == (202, 1)
    assert server.client.get(f"{URL}/mail-1").json()["text"] == "other"
    assert_problem(send(server, other, "?on_conflict=wat"), 422)


def test_a_key_makes_documents_without_ids_repeatable(server: Server) -> None:
    body = b"\n".join(json.dumps({"time": NOON, "text": f"t{n}"}).encode() for n in range(3))
    first = send(server, body, **{"Idempotency-Key": "k"}).json()
    again = send(server, body, **{"Idempotency-Key": "k"}).json()
    assert (first["accepted"], again["duplicates"]) == (3, 3)
    assert [item["id"] for item in first["items"]] == [item["id"] for item in again["items"]]
    assert send(server, body).json()["accepted"] == 3


def test_what_was_stored_before_a_failure_is_told(server: Server) -> None:
    problem = assert_problem(send(server, b"\n".join(lines(2_600))), 429, "backpressure")
    assert (problem["result"]["accepted"], problem["result"]["lines"]) == (2_000, 2_000)
    assert stored(server) == 2_000


def test_a_body_that_grows_too_large_says_what_is_stored(server: Server) -> None:
    long = [json.dumps({"id": f"l{n}", "time": NOON, "text": "x" * 1_500}).encode() for n in range(900)]

    def pieces() -> Iterator[bytes]:
        for line in long:
            yield line + b"\n"

    problem = assert_problem(send(server, pieces()), 413, "too_large")
    assert problem["result"]["accepted"] == 500
    assert stored(server) == 500


def test_too_long_lines_and_too_many_lines(database: Database, database_url: str, tmp_path: Path) -> None:
    with serving(database, tmp_path, database_url, line_bytes=1_024, bulk_lines=600) as server:
        long = json.dumps({"time": NOON, "text": "x" * 2_000}).encode()
        answer = send(server, b"\n".join([long, *lines(1)])).json()
        assert (answer["accepted"], answer["items"][0]["error"]["code"]) == (1, "line_too_long")
        problem = assert_problem(send(server, b"\n".join(lines(1_001, 10))), 413, "too_many_lines")
        assert problem["result"]["accepted"] == 500


def test_bodies_without_documents_are_malformed(server: Server) -> None:
    for body in (b"", b"\n\n", b"nope\nno", b"\xff\xfe"):
        assert_problem(send(server, body), 400, "not_json")
    assert_problem(server.client.post(f"{URL}/bulk", content=b"{}", headers={"Content-Type": "text/plain"}), 415)
    assert_problem(server.client.post(f"{URL}/bulk", content=b"{}"), 415)
