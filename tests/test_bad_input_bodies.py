"""Bodies that are wrongly packed, too large or too slow: refused with an answer, and the service goes on."""

import gzip
import json
import socket
import time
import zlib
from collections.abc import Iterator

import psutil
import zstandard

from tests.api import NOON, Server, assert_problem
from tests.bad_input import document
from tests.test_bad_input import JSON, NDJSON, URL, healthy, server

__all__ = ["healthy", "server"]  # fixtures


def test_types_and_encodings_are_checked_first(healthy: Server) -> None:
    body = document()
    for kind in ("", "text/plain", "application/xml", "multipart/form-data", "application/json; charset=utf-16"):
        response = healthy.client.post(URL, content=body, headers={"Content-Type": kind} if kind else {})
        assert_problem(response, 415, "unsupported_media_type")
    for encoding in ("br", "deflate", "gzip, gzip", "zstd,gzip", "compress", "x"):
        response = healthy.client.post(URL, content=body, headers=JSON | {"Content-Encoding": encoding})
        assert_problem(response, 415, "unsupported_encoding")
        assert response.headers["accept-encoding"] == "gzip, zstd"
    packed, frame = gzip.compress(body), zstandard.compress(body)
    for encoding, bad in (
        ("gzip", body), ("gzip", packed[:-4]), ("gzip", packed + b"x"), ("gzip", frame),
        ("zstd", body), ("zstd", frame[:-2]), ("zstd", frame + b"x"), ("zstd", packed),
    ):  # fmt: skip
        response = healthy.client.post(URL, content=bad, headers=JSON | {"Content-Encoding": encoding})
        assert_problem(response, 400, "bad_encoding")


def test_encoded_bodies_are_read(server: Server) -> None:
    for encoding, pack in (("gzip", gzip.compress), ("zstd", zstandard.compress), ("identity", bytes)):
        body = pack(document(id=f'"{encoding}"'))
        response = server.client.post(URL, content=body, headers=JSON | {"Content-Encoding": encoding})
        assert response.status_code == 202, response.text


def bombs() -> dict[str, bytes]:
    """Small bodies that would become 256 MiB."""
    zeros = bytes(1 << 20)
    packer = zlib.compressobj(9, wbits=31)
    packed = b"".join(packer.compress(zeros) for _ in range(256)) + packer.flush()
    squeezer = zstandard.ZstdCompressor(level=3).compressobj()
    return {"gzip": packed, "zstd": b"".join(squeezer.compress(zeros) for _ in range(256)) + squeezer.flush()}


def test_bombs_do_not_go_off(healthy: Server) -> None:
    process = psutil.Process()
    for encoding, bomb in bombs().items():
        assert len(bomb) < 1 << 20
        before, began = process.memory_info().rss, time.monotonic()
        for path, kind in ((URL, JSON), (f"{URL}/bulk", NDJSON)):
            response = healthy.client.post(path, content=bomb, headers=kind | {"Content-Encoding": encoding})
            assert_problem(response, 413, "too_large")
        assert process.memory_info().rss - before < 64 << 20
        assert time.monotonic() - began < 20
    window = zstandard.ZstdCompressor(compression_params=zstandard.ZstdCompressionParameters(window_log=27))
    response = healthy.client.post(
        URL,
        content=window.compressobj().compress(b"") or window.compress(bytes(1 << 28))[:64],
        headers=JSON | {"Content-Encoding": "zstd"},
    )
    assert response.status_code in (400, 413)


def test_oversize_bodies_are_refused_with_an_answer(healthy: Server) -> None:
    large = document(text=json.dumps("x" * (11 << 20)))
    assert_problem(healthy.client.post(URL, content=large, headers=JSON), 413, "too_large")

    def pieces() -> Iterator[bytes]:
        for _ in range(200):
            yield b" " * (1 << 16)

    assert_problem(healthy.client.post(URL, content=pieces(), headers=JSON), 413, "too_large")
    assert_problem(healthy.post(URL, {"documents": [{"time": NOON, "text": "x"}] * 1_001}), 422)


def test_a_body_that_trickles_is_given_up(healthy: Server) -> None:
    head = f"POST {URL} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n".encode()
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", healthy.port), 20) as connection:
        connection.sendall(head + b"{")
        answer = b""
        while piece := connection.recv(1 << 16):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"receive_deadline" in answer
    assert time.monotonic() - began < 10


def test_slow_clients_do_not_hold_up_others(healthy: Server) -> None:
    head = f"POST {URL} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n".encode()
    slow = [socket.create_connection(("127.0.0.1", healthy.port), 20) for _ in range(100)]
    for connection in slow:
        connection.sendall(head)
    began = time.monotonic()
    assert healthy.client.get("/v1/streams").status_code == 200
    assert time.monotonic() - began < 5
    for connection in slow:
        connection.close()
