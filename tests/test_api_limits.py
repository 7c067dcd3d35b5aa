"""A server that stops, a caller that is too fast, a database that is gone, a fault of ours."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.store.database import Database
from service.store.problems import Refused, Unavailable
from tests.api import DOCUMENT, Server, assert_problem, serving
from tests.story import tell

STREAM = "/v1/streams/default"


@pytest.fixture
def server(database: Database, database_url: str, tmp_path: Path) -> Iterator[Server]:
    tell(database)
    with serving(database, tmp_path, database_url) as running:
        yield running


def test_draining_refuses_work_but_not_health(server: Server) -> None:
    server.app.state.context.draining = True
    response = server.client.get("/v1/streams")
    assert_problem(response, 503, "draining")
    assert int(response.headers["retry-after"]) >= 1
    assert server.client.get("/livez").status_code == 200
    ready = server.client.get("/readyz")
    assert ready.status_code == 503
    assert ready.json() == {"status": "unready", "reasons": ["the server is stopping"]}
    assert server.client.head("/readyz").status_code == 503


def test_a_rate_can_be_set(database: Database, database_url: str, tmp_path: Path) -> None:
    with serving(database, tmp_path, database_url, request_rate=1) as server:
        answers = [server.client.get("/v1/streams") for _ in range(6)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert refused
        assert_problem(refused[0], 429, "rate_limited")
        assert int(refused[0].headers["retry-after"]) >= 1
        assert server.client.get("/livez").status_code == 200


def test_a_database_that_is_gone_is_told(server: Server) -> None:
    class Broken:
        def read(self) -> Any:
            raise Unavailable("gone")

        write = read

    server.app.state.context.database = Broken()
    response = server.client.get("/v1/streams")
    assert_problem(response, 503, "database")
    assert response.headers["retry-after"]
    assert_problem(server.post(f"{STREAM}/documents", DOCUMENT), 503)
    assert server.client.get("/livez").status_code == 200
    assert server.client.get("/readyz").json()["reasons"] == ["the database does not answer"]


@pytest.mark.parametrize("fault", [ZeroDivisionError("secret detail"), Refused("secret detail")])
def test_a_fault_of_ours_tells_nothing_of_it(server: Server, fault: Exception) -> None:
    class Faulty:
        def read(self) -> Any:
            raise fault

    server.app.state.context.database = Faulty()
    response = server.client.get("/v1/streams")
    assert_problem(response, 500, "internal")
    assert "secret" not in response.text
    assert response.headers["x-content-type-options"] == "nosniff"
