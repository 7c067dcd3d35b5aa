"""Slow heads of requests end their connection; slow bodies and idle connections have deadlines of their own."""

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from service.commands import punctual
from service.commands.punctual import Punctual
from tests.live import until

HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n"


async def answer(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    monkeypatch.setattr(punctual, "HEAD_S", 0.5)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(answer, http=Punctual, ws="none", lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        until(lambda: server.started, 30, "start")
        yield listener.getsockname()
    finally:
        server.should_exit = True
        thread.join()


def closed_after(connection: socket.socket, trickle: bytes = b"") -> float:
    """Seconds until the server closes the connection, to which something is sent all the time."""
    connection.settimeout(0.05)
    began = time.monotonic()
    while time.monotonic() - began < 20:
        try:
            if trickle:
                connection.send(trickle)
            if connection.recv(1_000) == b"":
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - began


@pytest.mark.parametrize(("head", "trickle"), [(b"", b""), (HEAD, b""), (HEAD + b"X-Long: ", b"a")])
def test_slow_heads_are_cut_off(address: tuple[str, int], head: bytes, trickle: bytes) -> None:
    with socket.create_connection(address) as connection:
        connection.sendall(head)
        assert 0.4 < closed_after(connection, trickle) < 15


def test_the_next_request_has_a_deadline_too(address: tuple[str, int]) -> None:
    with socket.create_connection(address) as connection:
        connection.sendall(HEAD + b"\r\n")
        assert b"200 OK" in connection.recv(1_000)
        time.sleep(0.8)  # idle between requests: longer than a head may take
        connection.sendall(HEAD + b"\r\n")
        assert b"200 OK" in connection.recv(1_000)
        connection.sendall(HEAD)
        assert 0.4 < closed_after(connection, b"a") < 15


def test_a_slow_body_is_not_its_affair(address: tuple[str, int]) -> None:
    with socket.create_connection(address) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
        time.sleep(0.8)
        connection.sendall(b"b")
        assert b"200 OK" in connection.recv(1_000)
