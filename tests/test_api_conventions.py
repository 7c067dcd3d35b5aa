"""What all operations share: one shape of refusal, request ids, safe headers, scopes, uniform 404."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.api.app import create_app
from service.store import keys
from service.store.database import Database
from tests.api import DOCUMENT, Server, assert_problem, serving, settings_for
from tests.story import tell

EMPTY = Database("sqlite:///unused.db")  # never opened
OPENAPI = create_app(settings_for(Path(), "sqlite:///unused.db"), EMPTY).openapi()
OPERATIONS = [
    (operation["operationId"], method.upper(), path, operation)
    for path, item in OPENAPI["paths"].items()
    for method, operation in item.items()
]
GUARDED = [item for item in OPERATIONS if item[3].get("security")]
IDS = {
    "{stream}": "default",
    "{document}": "mail-1",
    "{thread}": "thr_1",
    "{task}": "tsk_01K00000000000000000000000",
    "{key}": "key_01K00000000000000000000000",
}


@pytest.fixture
def server(database: Database, database_url: str, tmp_path: Path) -> Iterator[Server]:
    tell(database)
    with serving(database, tmp_path, database_url) as running:
        yield running


@pytest.fixture
def guarded(database: Database, database_url: str, tmp_path: Path) -> Iterator[Server]:
    tell(database)
    with serving(database, tmp_path, database_url, keys_required=True) as running:
        yield running


def filled(path: str, **changes: str) -> str:
    for name, value in IDS.items():
        path = path.replace(name, changes.get(name.strip("{}"), value))
    return path


def body_of(operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    return {"json": next(iter(content.values()))["example"]} if content else {}


def headers_of(operation: dict[str, Any]) -> dict[str, str]:
    content = operation.get("requestBody", {}).get("content", {})
    return {"Content-Type": next(iter(content))} if content else {}


def test_every_operation_refuses_in_the_same_shape(guarded: Server) -> None:
    for name, method, path, _ in GUARDED:
        response = guarded.client.request(method, filled(path))
        assert_problem(response, 401, "unauthenticated")
        assert response.headers["www-authenticate"].startswith("Bearer"), name


def test_every_operation_has_exactly_one_scope(guarded: Server, database: Database) -> None:
    with database.write() as connection:
        secrets = {scope: keys.create(connection, scope, [scope])[1] for scope in ("ingest", "read", "manage")}
    for name, method, path, operation in GUARDED:
        if name == "events_stream":
            continue
        opened = 0
        for secret in secrets.values():
            headers = headers_of(operation) | {"Authorization": f"Bearer {secret}"}
            response = guarded.client.request(
                method, filled(path, stream="nowhere"), headers=headers, **body_of(operation)
            )
            opened += response.status_code != 403
            if response.status_code == 403:
                assert_problem(response, 403, "forbidden")
        assert opened == 1, name


def test_revoked_expired_and_wrong_keys_are_unknown(guarded: Server, database: Database) -> None:
    with database.write() as connection:
        revoked, secret = keys.create(connection, "revoked", ["read"])
        keys.revoke(connection, revoked.id, 1)
        _, expired = keys.create(connection, "expired", ["read"], 1)
    for wrong in (secret, expired, "threadline_x", "é", secret[:-1] + "0"):
        response = guarded.client.get("/v1/streams", headers={b"Authorization": f"Bearer {wrong}".encode()})
        assert_problem(response, 401)
    assert_problem(guarded.client.get("/v1/streams", headers={"Authorization": "Basic abc"}), 401)


def test_a_key_is_checked_before_the_body_is_read(guarded: Server) -> None:
    request = b"POST /v1/streams/default/documents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    answer = guarded.raw(request + b"Content-Length: 9000000\r\nConnection: close\r\n\r\n", wait=5)
    assert answer.startswith(b"HTTP/1.1 401")


def test_keys_work_and_stop_working_within_a_second(guarded: Server, database: Database) -> None:
    with database.write() as connection:
        _, manager = keys.create(connection, "manager", ["manage"])
    headers = {"Authorization": f"Bearer {manager}"}
    made = guarded.post("/v1/keys", {"name": "reader", "scopes": ["read"]}, headers=headers).json()
    reader = {"Authorization": f"Bearer {made['secret']}"}
    assert guarded.client.get("/v1/streams", headers=reader).status_code == 200
    listed = guarded.client.get("/v1/keys", headers=headers).json()["data"]
    assert {key["name"] for key in listed} == {"manager", "reader"}
    assert made["secret"] not in str(listed)
    assert guarded.client.delete(f"/v1/keys/{made['id']}", headers=headers).status_code == 204
    guarded.app.state.gate.seen.clear()  # what a second does
    assert_problem(guarded.client.get("/v1/streams", headers=reader), 401)
    assert_problem(guarded.client.delete(f"/v1/keys/{made['id']}", headers=headers), 404)


def test_what_is_absent_looks_the_same_everywhere(server: Server) -> None:
    seen = set()
    for _, method, path, operation in OPERATIONS:
        if "{stream}" in path and operation["operationId"] != "documents_bulk":
            gone = filled(path, stream="nowhere")
            response = server.client.request(method, gone, headers=headers_of(operation), **body_of(operation))
            problem = assert_problem(response, 404)
            seen.add((problem["code"], problem["detail"]))
    assert len(seen) == 1


def test_every_answer_has_an_id_and_safe_headers(server: Server) -> None:
    for path in ("/livez", "/v1/streams", "/nowhere", "/v1/streams/default/threads", "/metrics", "/openapi.json"):
        response = server.client.get(path)
        assert re.fullmatch(r"req_[0-9A-Z]{26}", response.headers["x-request-id"])
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cross-origin-opener-policy"] == "same-origin"
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert "unsafe" not in response.headers["content-security-policy"]
        assert "access-control-allow-origin" not in response.headers


def test_a_request_id_is_kept_if_it_is_harmless(server: Server) -> None:
    kept = server.client.get("/livez", headers={"X-Request-Id": "abc-DEF_123"})
    assert kept.headers["x-request-id"] == "abc-DEF_123"
    for bad in ("a b", "x" * 65, "<script>", "a;b"):
        assert server.client.get("/livez", headers={"X-Request-Id": bad}).headers["x-request-id"].startswith("req_")


def test_writes_are_not_cached(server: Server) -> None:
    assert server.post("/v1/streams/default/documents", DOCUMENT | {"id": "n"}).headers["cache-control"] == "no-store"
    assert server.client.get("/v1/streams").headers["cache-control"] == "private, no-cache"


def test_unknown_paths_and_methods_are_problems(server: Server) -> None:
    for path in (
        "/index.html",
        "/v1",
        "/v2/streams",
        "/v1/streams/",
        "/docs",
        "/redoc",
        "/v1/streams/default/threads/thr_1/x",
    ):
        assert_problem(server.client.get(path), 404)
    response = server.client.put("/v1/streams/default")
    assert_problem(response, 405, "method_not_allowed")
    assert response.headers["allow"] == "DELETE, GET, PATCH"


def test_unknown_and_repeated_parameters_are_refused(server: Server) -> None:
    problem = assert_problem(server.client.get("/v1/streams?limt=5"), 422)
    assert problem["errors"] == [
        {
            "pointer": "#/limt",
            "code": "unknown_parameter",
            "detail": "this operation has no such parameter",
            "location": "query",
        }
    ]
    problem = assert_problem(server.client.get("/v1/streams?limit=5&limit=6"), 422)
    assert problem["errors"][0]["code"] == "repeated_parameter"


def test_limits_are_whole_numbers_from_1_to_500(server: Server) -> None:
    for limit in ("0", "501", "-1", "1.0", "1e2", "", " 5", "5 ", "٥", "0x5", "5_0", "9" * 400, "NaN", "\0"):
        problem = assert_problem(server.client.get("/v1/streams/default/documents", params={"limit": limit}), 422)
        assert problem["errors"][0]["pointer"] == "#/limit"
    assert server.client.get("/v1/streams/default/documents?limit=500").status_code == 200
