"""threadline migrate: bring the database to this program's schema."""

from service import environment


def migrate() -> None:
    """Make the database or bring it up to date. Back it up first; a newer database is left alone (exit code 78)."""
    from .opening import make_data_folder, opened
    from .output import say

    settings = environment.load()
    make_data_folder(settings)
    with opened(settings, upgrade=True):
        say("The database is up to date.")
