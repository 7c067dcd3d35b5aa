"""Bringing the schema of a database to the version of this program; all in one transaction, or not at all."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from service.store.database import Database
from service.store.dialects import unhurried
from service.store.problems import SchemaAhead, SchemaBehind

SCRIPTS = Path(__file__).resolve().parents[2] / "migrations"  # beside service, in a checkout and when installed
LOCK = 7_048_437_218  # any number: the advisory lock that keeps two migrations apart on PostgreSQL


def config(connection: Connection | None = None) -> Config:
    """Alembic's configuration, for work inside the connection's transaction."""
    settings = Config()
    settings.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    settings.attributes["connection"] = connection
    return settings


def upgrade(url: str) -> None:
    """Apply all migrations that the database lacks. Raises SchemaAhead if it knows one that this program does not."""
    database = Database(url, pool=1)
    try:
        with database.write() as connection:
            unhurried(connection)
            if database.dialect == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            settings = config(connection)
            _known(ScriptDirectory.from_config(settings), _revision(connection))
            command.upgrade(settings, "head")
    finally:
        database.dispose()


def check(database: Database) -> None:
    """Raises SchemaBehind or SchemaAhead unless the database has exactly this program's schema."""
    scripts = ScriptDirectory.from_config(config())
    with database.read() as connection:
        if _known(scripts, _revision(connection)) != scripts.get_current_head():
            raise SchemaBehind


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _known(scripts: ScriptDirectory, revision: str | None) -> str | None:
    known = {script.revision for script in scripts.walk_revisions()}
    if revision is not None and revision not in known:
        raise SchemaAhead
    return revision
