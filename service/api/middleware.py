"""Around every request: an id, safe headers, a measured time, a refusal while draining, and a problem for any fault."""

import re
import time
from urllib.parse import unquote

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.errors import Unready
from service.ids import new_id

from . import problems
from .context import Context

SLASH = "\uf8ff"  # stands for an encoded slash inside one segment of a path; no id can contain it
REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
ALWAYS = ("/livez", "/readyz", "/metrics")  # served while draining
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
log = structlog.get_logger()


class Envelope:
    """Pure ASGI, so that it neither buffers bodies nor holds back server-sent events."""

    def __init__(self, app: ASGIApp, context: Context) -> None:
        self._app = app
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        _prepare(scope)
        began, answer = time.perf_counter(), _Answer(scope, send)
        try:
            await self._serve(scope, receive, answer)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            labels = (route, scope["method"] if route != "none" else "other", f"{answer.status // 100}xx")
            self._context.metrics.requests.labels(*labels).observe(time.perf_counter() - began)

    async def _serve(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        try:
            if self._context.draining and scope["path"] not in ALWAYS:
                raise Unready("This server is stopping; another or the next one will answer.", code="draining")
            await self._app(scope, receive, answer)
        except Exception as error:
            problem = problems.of(error)
            if problem.status == 500:
                log.exception("request failed", request_id=scope["state"]["request_id"])
            if not answer.status:
                await problems.respond(problem, scope)(scope, receive, answer)


class _Answer:
    """Sends the answer with the headers that all answers have."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.status = 0
        self._scope = scope
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self._scope["state"]["request_id"]
            headers.setdefault("Cache-Control", "private, no-cache" if self._scope["method"] == "GET" else "no-store")
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if self._scope.get("scheme") == "https":
                headers["Strict-Transport-Security"] = "max-age=31536000"
        await self._send(message)


def _prepare(scope: Scope) -> None:
    given = dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
    request_id = given if REQUEST_ID.fullmatch(given) else new_id("req")
    scope["state"] = {**scope.get("state", {}), "request_id": request_id}
    raw = scope.get("raw_path", b"").partition(b"?")[0]
    if b"%2f" in raw.lower():
        segments = raw.decode("latin-1").split("/")
        scope["path"] = "/".join(unquote(segment).replace("/", SLASH) for segment in segments)
