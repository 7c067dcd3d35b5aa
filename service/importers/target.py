"""Where documents go: what an import needs of a service, and that service over HTTP."""

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, Self, TypeVar
from urllib.parse import urlsplit

import httpx

T = TypeVar("T")
TIMEOUT = 120.0  # seconds
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds between two tries
PATIENCE = 600.0  # seconds of tries in vain after which an import gives up
RETRIED = (429, 502, 503, 504)


class TargetError(Exception):
    """The service cannot take the documents; the message says what to do."""


class Busy(Exception):
    """The service cannot take more just now."""

    def __init__(self, reason: str, pause: float | None = None) -> None:
        super().__init__(reason)
        self.pause = pause  # seconds, if it said


class Outcome(NamedTuple):
    """What became of a line; seq: of the document that has its id now; problem: why it was refused."""

    place: int  # in the batch
    seq: int | None
    problem: str | None


class Target(Protocol):
    """A service. Each call may raise Busy, to be called again, or TargetError."""

    key: str  # tells one service from another

    def limits(self) -> dict[str, Any]: ...
    def open_stream(self, name: str, settings: dict[str, Any]) -> dict[str, Any]: ...
    def post(self, stream: str, lines: Sequence[bytes], on_conflict: str) -> list[Outcome]: ...
    def stats(self, stream: str) -> dict[str, Any]: ...
    def largest_threads(self, stream: str, limit: int) -> list[dict[str, Any]]: ...


def patiently(call: Callable[[], T], tell: Callable[[str], None], patience: float = PATIENCE) -> T:
    """The result of a call that is repeated, later and later, while the service is busy or away."""
    pause, deadline = FIRST_PAUSE, time.monotonic() + patience
    while True:
        try:
            return call()
        except Busy as busy:
            wait = busy.pause if busy.pause is not None else pause * random.uniform(0.5, 1.0)  # noqa: S311
            if time.monotonic() + wait > deadline:
                raise TargetError(f"{busy}; run the same command again later to go on") from busy
            tell(str(busy))
            time.sleep(wait)
            pause = min(2 * pause, LONGEST_PAUSE)


class HttpTarget:
    """A service over HTTP."""

    def __init__(self, url: str, key: str | None = None) -> None:
        self.key = self.url = url.rstrip("/")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if urlsplit(self.url).scheme not in ("http", "https"):
            raise TargetError(f"{url} is not a URL; pass one such as http://127.0.0.1:8470")
        self._client = httpx.Client(base_url=self.url, headers=headers, timeout=TIMEOUT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def limits(self) -> dict[str, Any]:
        """What the service takes at once."""
        found: dict[str, Any] = self._ask("GET", "/v1/version").json()["limits"]
        return found

    def open_stream(self, name: str, settings: dict[str, Any]) -> dict[str, Any]:
        """The stream, made with the settings if it does not exist."""
        answer = self._ask("GET", f"/v1/streams/{name}", also=(404,))
        if answer.status_code == httpx.codes.NOT_FOUND:
            answer = self._ask("POST", "/v1/streams", also=(409,), json={"name": name, "settings": settings})
            if answer.status_code == httpx.codes.CONFLICT:
                answer = self._ask("GET", f"/v1/streams/{name}")
        stream: dict[str, Any] = answer.json()
        return stream

    def post(self, stream: str, lines: Sequence[bytes], on_conflict: str) -> list[Outcome]:
        """Store documents, each a line of JSON; what became of each."""
        answer = self._ask(
            "POST",
            f"/v1/streams/{stream}/documents/bulk",
            also=(400, 422),
            params={"on_conflict": on_conflict},
            content=b"\n".join(lines),
            headers={"Content-Type": "application/x-ndjson"},
        )
        body = answer.json()
        return outcomes(body.get("result", body), len(lines))

    def stats(self, stream: str) -> dict[str, Any]:
        """How the stream is doing."""
        found: dict[str, Any] = self._ask("GET", f"/v1/streams/{stream}/stats").json()
        return found

    def largest_threads(self, stream: str, limit: int) -> list[dict[str, Any]]:
        """The threads with the most documents."""
        answer = self._ask("GET", f"/v1/streams/{stream}/threads", params={"sort": "-size", "limit": limit})
        found: list[dict[str, Any]] = answer.json()["data"]
        return found

    def _ask(self, method: str, path: str, *, also: tuple[int, ...] = (), **content: Any) -> httpx.Response:
        """An answer that is good or has one of the other codes; raises Busy or TargetError otherwise."""
        try:
            answer = self._client.request(method, path, **content)
        except httpx.TransportError as error:
            raise Busy(f"{self.url} does not answer ({error or type(error).__name__})") from error
        if answer.is_success or answer.status_code in also:
            return answer
        if answer.status_code in RETRIED:
            after = answer.headers.get("Retry-After", "")
            raise Busy(f"{self.url} is busy ({_detail(answer)})", float(after) if after.isdecimal() else None)
        raise TargetError(f"{self.url} answers {answer.status_code}: {_detail(answer)}")


def outcomes(answer: dict[str, Any], lines: int) -> list[Outcome]:
    """The outcomes that an answer to a bulk request tells. Raises TargetError if it does not account for every line."""
    items = answer.get("items", [])
    if len(items) != lines:
        raise TargetError("the service does not account for every document; is it another version?")
    return [
        Outcome(item["line"] - 1, item["seq"], item["error"]["detail"] if item["status"] == "rejected" else None)
        for item in items
    ]


def _detail(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return answer.reason_phrase
