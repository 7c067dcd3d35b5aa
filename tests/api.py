"""The API on a real socket, for tests: an application, a server in a thread, a client, and documents by the hand."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from service.api.app import create_app
from service.settings import Settings
from service.store.database import Database

NOON = "2026-03-02T12:00:00Z"
DOCUMENT: dict[str, Any] = {"id": "mail-1", "time": NOON, "text": "shuttle landing moved to Friday"}

PROBLEM = {"type", "title", "status", "detail", "instance", "code", "request_id", "errors"}


class Server:
    """A running API: `client` speaks to it, `app.state.context` is its inside."""

    def __init__(self, app: FastAPI, port: int) -> None:
        self.app = app
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.client = httpx.Client(base_url=self.url, timeout=60, trust_env=False)

    def post(self, path: str, body: Any, **options: Any) -> httpx.Response:
        return self.client.post(path, json=body, **options)

    def raw(self, request: bytes, *, wait: float = 10) -> bytes:
        """What the server sends back to these bytes until it closes."""
        with socket.create_connection(("127.0.0.1", self.port), wait) as s:
            s.sendall(request)
            pieces = []
            while piece := s.recv(1 << 16):
                pieces.append(piece)
            return b"".join(pieces)


def settings_for(folder: Path, url: str, **changes: Any) -> Settings:
    return Settings(data_dir=folder, database_url=url, disk_reserve_mib=0, **changes)


@contextmanager
def serving(
    database: Database, folder: Path, url: str, *, keys_required: bool = False, **changes: Any
) -> Iterator[Server]:
    """A server on a free port with these settings."""
    app = create_app(settings_for(folder, url, **changes), database, keys_required=keys_required)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        running = Server(app, listener.getsockname()[1])
        try:
            yield running
        finally:
            running.client.close()
            app.state.context.draining = True
            server.should_exit = True
            thread.join(20)


def assert_problem(response: Any, status: int, code: str | None = None) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = response.json()
    assert set(problem) >= PROBLEM
    assert problem["status"] == status
    assert problem["request_id"] == response.headers["x-request-id"]
    assert problem["type"] == f"urn:threadline:problem:{problem['code']}"
    assert code is None or problem["code"] == code, problem
    return problem
