"""The web server of one API process, and the worker it looks after."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from fastapi import FastAPI

from service.api.app import create_app
from service.settings import Settings
from service.store.database import Database
from service.worker.supervise import Supervisor

from .output import CommandError
from .punctual import Punctual

HEADER_BYTES = 64 << 10  # request line and headers
KEEP_ALIVE = 75  # seconds that an idle connection is kept
BACKLOG = 2_048  # connections waiting to be accepted


class Server(uvicorn.Server):
    """Says where it listens once it does, and begins to stop everything when a signal comes."""

    def __init__(self, config: uvicorn.Config, listening: Callable[[], None], stopping: Callable[[], None]) -> None:
        super().__init__(config)
        self._listening = listening
        self._stopping = stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._listening()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stopping()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle the signals while it runs; uvicorn would raise them again at the end, before the worker is stopped."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def run(
    settings: Settings,
    database: Database,
    *,
    keys_required: bool,
    child: list[str] | None,
    listening: Callable[[str], None],
) -> None:
    """Serve until a signal; the child, if any, is restarted when it dies and stopped at the end."""
    app = create_app(settings, database, keys_required=keys_required)
    supervisor = Supervisor(child) if child else None
    end_of_child = threading.Event()

    def stopping() -> None:
        app.state.context.draining = True
        end_of_child.set()

    with _bind(settings) as listener, _looked_after(supervisor, end_of_child):
        host, port = listener.getsockname()[:2]
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        Server(_config(app, settings), lambda: listening(address), stopping).run(sockets=[listener])


@contextmanager
def _looked_after(supervisor: Supervisor | None, end: threading.Event) -> Iterator[None]:
    """Run the child until the event, and at the latest until the end of the block."""
    if supervisor is None:
        yield
        return

    def look_after() -> None:
        supervisor.start()
        end.wait()
        supervisor.stop()

    thread = threading.Thread(target=look_after, name="child")
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def _bind(settings: Settings) -> socket.socket:
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        return socket.create_server((settings.host, settings.port), family=found[0][0], backlog=BACKLOG)
    except OSError as error:
        raise CommandError(
            f"cannot listen on {settings.host} port {settings.port} ({error.strerror}); choose another"
        ) from error


def _config(app: FastAPI, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Punctual,  # h11, which bounds the size of headers, with a bound on their time
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        limit_concurrency=settings.connections,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(settings.stop_s),
        h11_max_incomplete_event_size=HEADER_BYTES,
    )
