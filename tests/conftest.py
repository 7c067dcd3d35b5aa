"""Databases for the tests: SQLite and PostgreSQL, one fresh and migrated for each test; and a browser."""

import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from service.store import migrate
from service.store.database import Database
from tests.postgres import Postgres, server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.browser import Chrome

FAILED = pytest.StashKey[bool]()


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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let fixtures know that the test failed."""
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """For a module: while Playwright runs, its event loop occupies the main thread."""
    from tests.browser import launched

    with launched() as running:
        yield running


@pytest.fixture
def chrome(browser: "Browser", request: pytest.FixtureRequest) -> Iterator["Chrome"]:
    """Opens pages; afterwards none of them may have complained."""
    from tests.browser import Chrome

    opened = Chrome(browser)
    yield opened
    if request.node.stash.get(FAILED, False):
        opened.photograph(request.node.name)
    opened.close()
    assert opened.watched == []
