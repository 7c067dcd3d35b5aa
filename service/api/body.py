"""Request bodies: type and encoding checked first, then read in pieces with limits on bytes, expansion and time."""

import asyncio
import time
import zlib
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Protocol

import zstandard
from fastapi import Request
from starlette.concurrency import run_in_threadpool

from service.errors import Malformed, TooLarge, TooSlow, WrongMediaType
from service.settings import Settings

LINGER_S = 2.0  # how long what a refused client still sends is thrown away, so that it sees the answer
ZSTD_WINDOW = 1 << 23
ZSTD_SLICE = 128  # bytes fed at once: at most 32 blocks, so at most 4 MiB come out before the next look at the limit


class Decoder(Protocol):
    """Undoes a content encoding piece by piece."""

    def feed(self, data: bytes, limit: int) -> bytes:
        """What the data expands to; raises TooLarge beyond the limit."""
        ...

    def finish(self) -> None:
        """Raises Malformed if the end is missing."""
        ...


class Identity:
    """No encoding."""

    def feed(self, data: bytes, limit: int) -> bytes:
        """The data itself."""
        if len(data) > limit:
            raise too_large()
        return data

    def finish(self) -> None:
        """Nothing can be missing."""


class Gzip:
    """One or more gzip members."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=31)
        self._begun = False

    def feed(self, data: bytes, limit: int) -> bytes:
        """Inflates no further than the limit."""
        pieces: list[bytes] = []
        while data:
            if self._inflate.eof:
                self._inflate = zlib.decompressobj(wbits=31)
            self._begun = True
            piece = _guarded(partial(self._inflate.decompress, data, limit + 1))
            limit -= len(piece)
            if limit < 0:
                raise too_large()
            pieces.append(piece)
            data = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
        return b"".join(pieces)

    def finish(self) -> None:
        """The last member must be whole."""
        if self._begun and not self._inflate.eof:
            raise Malformed("The gzip body is cut off.", code="bad_encoding")


class Zstd:
    """One or more zstd frames."""

    def __init__(self) -> None:
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
        self._inflate = self._decompressor.decompressobj()
        self._begun = False

    def feed(self, data: bytes, limit: int) -> bytes:
        """Inflates small slices, so that the limit is passed by little."""
        pieces: list[bytes] = []
        for start in range(0, len(data), ZSTD_SLICE):
            rest = data[start : start + ZSTD_SLICE]
            while rest:
                if self._inflate.eof:
                    self._inflate = self._decompressor.decompressobj()
                self._begun = True
                piece = _guarded(partial(self._inflate.decompress, rest))
                limit -= len(piece)
                if limit < 0:
                    raise too_large()
                pieces.append(piece)
                rest = self._inflate.unused_data if self._inflate.eof else b""
        return b"".join(pieces)

    def finish(self) -> None:
        """The last frame must be whole."""
        if self._begun and not self._inflate.eof:
            raise Malformed("The zstd body is cut off.", code="bad_encoding")


DECODERS: dict[str, type[Decoder]] = {"": Identity, "identity": Identity, "gzip": Gzip, "zstd": Zstd}


def too_large() -> TooLarge:
    """The body is beyond the limit, as sent or unpacked."""
    return TooLarge("The body is larger than allowed; see limits in /v1/version.", headers={"Connection": "close"})


def _guarded(inflate: Callable[[], bytes]) -> bytes:
    try:
        return inflate()
    except (zlib.error, zstandard.ZstdError):
        raise Malformed("The body does not match its Content-Encoding.", code="bad_encoding") from None


def require_type(request: Request, *allowed: str) -> None:
    """Refuse a body of another media type."""
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    if kind.strip().lower() not in allowed or charset not in ("", "utf-8", "utf8"):
        raise WrongMediaType(f"Send {' or '.join(allowed)} in UTF-8.", headers={"Accept": ", ".join(allowed)})


def decoder_of(request: Request) -> Decoder:
    """The decoder of the request's Content-Encoding."""
    name = request.headers.get("content-encoding", "").strip().lower()
    if name not in DECODERS:
        raise WrongMediaType(
            "Content-Encoding must be gzip, zstd or identity.",
            code="unsupported_encoding",
            headers={"Accept-Encoding": "gzip, zstd"},
        )
    return DECODERS[name]()


async def received(request: Request, settings: Settings) -> AsyncIterator[bytes]:
    """The body as it comes: at most body_bytes, each wait counted against the deadline."""
    limit, waited = settings.body_bytes, 0.0
    stream = request.stream()
    while True:
        began = time.monotonic()
        try:
            async with asyncio.timeout(settings.receive_deadline_s - waited):
                piece = await anext(stream, None)
        except TimeoutError:
            raise TooSlow("The body did not arrive in time.", headers={"Connection": "close"}) from None
        waited += time.monotonic() - began
        if piece is None:
            return
        limit -= len(piece)
        if limit < 0:
            await _linger(stream)
            raise too_large()
        if piece:
            yield piece


async def read(request: Request, settings: Settings) -> bytes:
    """A whole body, decoded."""
    decoder = decoder_of(request)
    pieces, limit = [], settings.body_bytes
    async for piece in received(request, settings):
        decoded = piece if isinstance(decoder, Identity) else await run_in_threadpool(decoder.feed, piece, limit)
        limit -= len(decoded)
        pieces.append(decoded)
    decoder.finish()
    return b"".join(pieces)


async def _linger(stream: AsyncIterator[bytes]) -> None:
    try:
        async with asyncio.timeout(LINGER_S):
            async for _ in stream:
                pass
    except TimeoutError:
        return
