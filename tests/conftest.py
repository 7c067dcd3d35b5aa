"""Databases for the tests: SQLite and PostgreSQL, one fresh and migrated for each test."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.store import migrate
from service.store.database import Database
from tests.postgres import Postgres, server


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kill-rounds", type=int, default=20, help="rounds of tests/test_kill.py on each database")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with server() as running:
        yield running


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "threadline.db"
    migrate.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    path = tmp_path / "threadline.db"
    shutil.copy(sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture
def postgres_url(postgres: Postgres) -> Iterator[str]:
    with postgres.database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    opened = Database(database_url)
    yield opened
    opened.dispose()
