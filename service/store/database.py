"""Connections and transactions on SQLite and PostgreSQL."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, exc, make_url, text

from service import times
from service.store.problems import DiskFull, Refused, Unavailable

BUSY_MS = 5_000  # how long a write waits for another process
SCRUB_MS = 200  # how long scrub, which holds up all writers, waits for readers
WRITER_WAIT_S = 30  # how long a write waits for another thread
PRAGMAS = (
    f"PRAGMA busy_timeout={BUSY_MS}",  # first: switching to WAL may itself have to wait
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",  # an answered write survives loss of power
    "PRAGMA foreign_keys=ON",
    "PRAGMA secure_delete=ON",  # erased means overwritten
    "PRAGMA journal_size_limit=67108864",
    "PRAGMA cache_size=-65536",
    "PRAGMA temp_store=MEMORY",
)
POSTGRES_CONNECTION = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "application_name": "threadline",
}
STATEMENT_TIMEOUT = "SET statement_timeout = '30s'"
DURABLE = ("on", "remote_apply")
SQLITE_FULL = 13
POSTGRES_DISK_FULL = "53100"
AWAY = (exc.OperationalError, exc.InterfaceError, exc.InternalError)


class Database:
    """One database, shared by the threads of a process."""

    def __init__(self, url: str, *, pool: int = 10) -> None:
        self._engine = _engine(make_url(url), pool)
        self.dialect: str = self._engine.dialect.name
        self._is_sqlite = self.dialect == "sqlite"
        self._writer = threading.Lock() if self._is_sqlite else None
        snapshot = {} if self._is_sqlite else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        self._reading = self._engine.execution_options(**snapshot)
        self._writing = self._engine.execution_options(immediate=True)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One consistent view of the database; hold it briefly."""
        with _translated(), self._reading.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction: commits at the end, rolls back on any exception."""
        with _translated(), self._turn(), self._writing.begin() as connection:
            yield connection

    def now(self, connection: Connection) -> int:
        """The database's time, which all workers share; SQLite's is that of its one machine."""
        if self._is_sqlite:
            return times.now()
        clock = text("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)")
        return int(connection.execute(clock).scalar_one())

    def scrub(self) -> bool:
        """Make erased bytes leave SQLite's files; False if a reader was in the way: ask again later."""
        if not self._is_sqlite:
            return True  # VACUUM is the administrator's
        with _translated(), self._turn():
            connection = self._engine.raw_connection()
            try:
                connection.cursor().execute(f"PRAGMA busy_timeout={SCRUB_MS}")
                busy = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                connection.cursor().execute(f"PRAGMA busy_timeout={BUSY_MS}")
            finally:
                connection.close()
        return not busy

    def dispose(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._writer is None:
            yield
        elif not self._writer.acquire(timeout=WRITER_WAIT_S):
            raise Unavailable("the database is busy with other writes")
        else:
            try:
                yield
            finally:
                self._writer.release()


def _engine(url: URL, pool: int) -> Engine:
    options = {"pool_size": pool, "max_overflow": pool, "pool_timeout": 10, "hide_parameters": True}
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"check_same_thread": False}, **options)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    elif url.get_backend_name() == "postgresql":
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"), connect_args=POSTGRES_CONNECTION, pool_pre_ping=True, **options
        )
        event.listen(engine, "connect", _prepare_postgres)
    else:
        raise ValueError("the database must be sqlite:///… or postgresql+psycopg://…")
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver must not begin transactions of its own accord
    for pragma in PRAGMAS:
        connection.execute(pragma)


def _begin_sqlite(connection: Connection) -> None:
    # A read that turns into a write would fail at once when another process wrote meanwhile, so writes say so first.
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _prepare_postgres(connection: Any, _record: object) -> None:
    connection.autocommit = True
    connection.execute(STATEMENT_TIMEOUT)
    query = "SELECT current_setting('synchronous_commit'), current_setting('server_encoding')"
    durability, encoding = connection.execute(query).fetchone()
    connection.autocommit = False
    if durability not in DURABLE:
        raise Unavailable(f"PostgreSQL runs with synchronous_commit={durability}; set it to on for this database")
    if encoding != "UTF8":
        raise Unavailable(f"the PostgreSQL database has the encoding {encoding}; create it with UTF8")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except exc.TimeoutError as error:
        raise Unavailable("all connections to the database are busy") from error
    except exc.DBAPIError as error:
        if _is_full(error):
            raise DiskFull from error
        if error.connection_invalidated or isinstance(error, AWAY):
            raise Unavailable(f"the database does not answer ({type(error.orig).__name__})") from error
        raise Refused(_reason(error)) from None  # the full message may show the row, and so a document


def _reason(error: exc.DBAPIError) -> str:
    diagnosis = getattr(error.orig, "diag", None)
    return f"{type(error.orig).__name__}: {diagnosis.message_primary if diagnosis else error.orig}"


def _is_full(error: exc.DBAPIError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code == SQLITE_FULL or getattr(error.orig, "sqlstate", None) == POSTGRES_DISK_FULL
