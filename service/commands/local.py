"""A database without a server: the same checks and the same store as behind the API, and a worker in this process."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from service import times
from service.api import ingest, rows
from service.api.bulk import Bulk
from service.api.context import Context
from service.api.routers.service import limits
from service.api.schemas.streams import StreamSettings
from service.errors import Problem
from service.importers.target import Busy, Outcome, TargetError, outcomes
from service.settings import Settings
from service.store import streams, threads
from service.store.database import Database
from service.store.ingest import OnConflict
from service.store.problems import Backpressure, Conflict, DiskFull, StoreError, Unavailable
from service.store.threads import Filter


class LocalTarget:
    """The service's inside, without HTTP."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self.key = settings.database_url
        self._context = Context(settings, database, times.now, keys_required=False)

    def limits(self) -> dict[str, Any]:
        """What the service takes at once."""
        return limits(self._context.settings)

    def open_stream(self, name: str, settings: dict[str, Any]) -> dict[str, Any]:
        """The stream, made with the settings if it does not exist."""
        with _told(), self._context.database.write() as connection:
            row = streams.find(connection, name)
            if row is None:
                row = ingest.create(connection, self._context, name, StreamSettings.model_validate(settings))
            return {"id": row.id, "name": row.name}

    def post(self, stream: str, lines: Sequence[bytes], on_conflict: str) -> list[Outcome]:
        """Store documents, each a line of JSON; what became of each."""
        with _told():
            row = ingest.open_stream(self._context, stream)
            bulk = Bulk(self._context, row, "continue", cast(OnConflict, on_conflict), None)
            bulk.store(bulk.read(list(lines)))
            return outcomes(bulk.finish().model_dump(mode="json"), len(lines))

    def stats(self, stream: str) -> dict[str, Any]:
        """How the stream is doing."""
        with _told(), self._context.database.read() as connection:
            row = rows.found(streams.find(connection, stream))
            return {"accepted": row.accepted, "pending": row.pending, "late": row.statistics.get("late", 0)}

    def largest_threads(self, stream: str, limit: int) -> list[dict[str, Any]]:
        """The threads with the most documents."""
        with _told(), self._context.database.read() as connection:
            row = rows.found(streams.find(connection, stream))
            page = threads.list_page(connection, row.id, Filter(), sort="-size", limit=limit, after=None)
            return [rows.thread(thread, None).model_dump(mode="json") for thread in page]


@contextmanager
def _told() -> Iterator[None]:
    """What goes wrong, as an import knows it."""
    try:
        yield
    except Backpressure as error:
        raise Busy(str(error)) from error
    except DiskFull as error:
        raise TargetError(f"{error}; make room and run the same command again") from error
    except Unavailable as error:
        raise Busy(str(error)) from error
    except Problem as error:
        raise TargetError(error.detail) from error
    except (Conflict, StoreError) as error:
        raise TargetError(str(error)) from error


@contextmanager
def placing(settings: Settings, database: Database) -> Iterator[Callable[[], bool]]:
    """A worker beside this block, in this process; the function says whether it still runs."""
    from service.worker.loop import Worker

    worker = Worker(settings, database)
    thread = threading.Thread(target=worker.run, name="worker")
    thread.start()
    try:
        yield thread.is_alive
    finally:
        worker.stop()
        thread.join()
