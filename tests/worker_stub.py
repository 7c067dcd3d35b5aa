"""A worker that answers questions in a fixed way, for tests of the API alone."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from service import times
from service.store import workers
from service.store.database import Database
from service.store.workers import WorkerRow

TOKEN = "token-of-the-stub"  # noqa: S105
YEARS = 10 * 365 * 86_400 * 1_000_000


class _Ask(BaseHTTPRequestHandler):
    status = 200
    asked: list[Any] = []  # noqa: RUF012

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(question)
        one = {"threads": [{"thread": 1, "probability": 0.7}], "new": 0.2, "other": 0.1, "log_p": -6.5, "tokens": 3}
        answer = {"model_version": 3, "predictions": [one] * len(question["documents"])}
        right = self.headers["Authorization"] == f"Bearer {TOKEN}"
        body = json.dumps(answer if self.status == 200 else {"detail": "no"}).encode()
        self.send_response(self.status if right else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


@contextmanager
def stub_worker(database: Database, status: int = 200) -> Iterator[list[Any]]:
    """A worker that seems alive; yields the questions that it was asked."""
    asked: list[Any] = []
    handler = type("Ask", (_Ask,), {"status": status, "asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with database.write() as connection:
            workers.announce(connection, WorkerRow("stub", address, TOKEN, "here", 1, times.now() + YEARS, False))
        try:
            yield asked
        finally:
            server.shutdown()
