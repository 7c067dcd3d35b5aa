"""The schema: up from empty, equal to the tables of the code, one line of versions, never from a newer program."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from service.store import migrate
from service.store.database import Database
from service.store.problems import SchemaAhead, SchemaBehind
from service.store.tables import metadata
from tests.postgres import Postgres


@pytest.fixture(params=["sqlite", "postgres"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database in which nothing was ever made."""
    if request.param == "sqlite":
        opened = Database(f"sqlite:///{tmp_path / 'empty.db'}")
        yield opened
        opened.dispose()
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    with postgres.database() as url:
        opened = Database(url)
        with opened.write() as connection:
            command.downgrade(migrate.config(connection), "base")
            connection.execute(text("DROP TABLE alembic_version"))
        yield opened
        opened.dispose()


def _differences(database: Database) -> list[object]:
    with database.read() as connection:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))


def test_single_head() -> None:
    assert len(ScriptDirectory.from_config(migrate.config()).get_heads()) == 1


def test_up_from_empty_equals_the_tables(empty: Database) -> None:
    with pytest.raises(SchemaBehind):
        migrate.check(empty)
    with empty.write() as connection:
        command.upgrade(migrate.config(connection), "head")
    migrate.check(empty)
    assert _differences(empty) == []


def test_up_down_up(database: Database, database_url: str) -> None:
    with database.write() as connection:
        command.downgrade(migrate.config(connection), "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]
    with pytest.raises(SchemaBehind):
        migrate.check(database)
    migrate.upgrade(database_url)
    migrate.upgrade(database_url)
    migrate.check(database)
    assert _differences(database) == []


def test_a_newer_schema_is_refused(database: Database, database_url: str) -> None:
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SchemaAhead, match="newer"):
        migrate.check(database)
    with pytest.raises(SchemaAhead):
        migrate.upgrade(database_url)


def test_a_migration_that_fails_leaves_nothing(empty: Database) -> None:
    with pytest.raises(ZeroDivisionError), empty.write() as connection:  # noqa: PT012
        command.upgrade(migrate.config(connection), "head")
        1 / 0  # noqa: B018
    with empty.read() as connection:
        assert inspect(connection).get_table_names() == []
