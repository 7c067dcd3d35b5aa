"""Questions to the models: a small HTTP server that hands each to the loop and waits for its answer."""

import hmac
import json
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

PATIENCE = 5.0  # seconds for an answer
LARGEST = 64 * 2**20  # bytes of a question


class RefusedError(Exception):
    """A question that gets no answer, with the HTTP status that says why."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class Question(NamedTuple):
    """Documents to rank in a stream as it is now; `answer` is set by the loop."""

    stream_id: str
    documents: list[dict[str, Any]]
    top: int
    answer: "Future[dict[str, Any]]"


class AskServer:
    """Listens on a free port; each question goes to `deliver` in the thread of its connection."""

    def __init__(self, host: str, deliver: Callable[[Question], None]) -> None:
        self.token = secrets.token_urlsafe(32)
        self._server = ThreadingHTTPServer((host, 0), _handler(self.token, deliver))
        self._server.daemon_threads = True
        self.address = f"http://{host}:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, name="ask", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
        self._server.server_close()


def _handler(token: str, deliver: Callable[[Question], None]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = PATIENCE
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            try:
                question = self._read()
                deliver(question)
                self._reply(200, question.answer.result(PATIENCE))
            except RefusedError as refusal:
                self._reply(refusal.status, {"detail": refusal.detail})
            except (TimeoutError, CancelledError):
                self._reply(503, {"detail": "the worker is busy; ask again"})

        def _read(self) -> Question:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or int(length) > LARGEST:
                self.close_connection = True
                raise RefusedError(413, f"send at most {LARGEST} bytes with their length")
            body = self.rfile.read(int(length))
            if not hmac.compare_digest(self.headers.get("Authorization", ""), f"Bearer {token}"):
                raise RefusedError(401, "the token is not this worker's")
            if self.path != "/ask":
                raise RefusedError(404, "only /ask is answered here")
            return _question(body)

        def _reply(self, status: int, content: dict[str, Any]) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing: the API that asks keeps the log."""

    return Handler


def _question(body: bytes) -> Question:
    try:
        fields = json.loads(body)
        return Question(str(fields["stream_id"]), list(fields["documents"]), int(fields.get("top", 5)), Future())
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise RefusedError(422, "send stream_id, documents and top as JSON") from error
