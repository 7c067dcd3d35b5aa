"""Opening the data folder and the database, with sentences for what can go wrong."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.settings import Settings
from service.store import migrate
from service.store.database import Database
from service.store.problems import SchemaAhead, SchemaBehind, Unavailable

from .output import CommandError, warn

EX_CONFIG = 78  # the database is newer than this program
NETWORK_FILE_SYSTEMS = re.compile(
    r"nfs\d?|cifs|smb\w*|9p|afs|ceph|glusterfs|lustre|gfs2|ocfs2|fuse\.(sshfs|rclone|s3fs|glusterfs|ceph\S*)"
)


def make_data_folder(settings: Settings) -> None:
    """The data folder and the folder of the SQLite file, for nobody else's eyes."""
    os.umask(0o077)
    file = settings.database_file
    try:
        for folder in {settings.data_dir, file.parent} if file else {settings.data_dir}:
            if not folder.exists():
                folder.mkdir(mode=0o700, parents=True)
            if file and network_file_system(folder.resolve()):
                warn(f"warning: {folder} is on a network file system; SQLite can lose data there. Use a local disk.")
    except OSError as error:
        raise CommandError(f"the data folder {settings.data_dir} cannot be made ({error.strerror})") from error


def network_file_system(folder: Path, mounts: Path = Path("/proc/mounts")) -> str | None:
    """The type of the network file system that holds the folder, if it is one and the system can tell."""
    try:
        lines = [line.split() for line in mounts.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return None
    points = [(Path(line[1].replace("\\040", " ")), line[2]) for line in lines if len(line) > 2]
    holding = [(len(point.parts), kind) for point, kind in points if folder.is_relative_to(point)]
    kind = max(holding, default=(0, ""))[1]
    return kind if NETWORK_FILE_SYSTEMS.fullmatch(kind) else None


@contextmanager
def only_server(settings: Settings) -> Iterator[None]:
    """Hold the lock of the SQLite file: one server at a time. PostgreSQL needs none."""
    if settings.database_file is None:
        yield
        return
    path = settings.database_file.with_name(settings.database_file.name + ".lock")
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise CommandError(
                f"another server uses {settings.database_file}; stop it, or set THREADLINE_DATA_DIR to another folder"
            ) from error
        yield


@contextmanager
def opened(settings: Settings, *, upgrade: bool = False) -> Iterator[Database]:
    """The database, at this program's schema."""
    try:
        if upgrade:
            migrate.upgrade(settings.database_url)
        elif settings.database_file and not settings.database_file.exists():
            raise CommandError(
                f"there is no database {settings.database_file} yet; run `threadline migrate` or `serve`"
            )
        database = Database(settings.database_url, pool=settings.database_pool)
        try:
            migrate.check(database)
            yield database
        finally:
            database.dispose()
    except SchemaAhead as error:
        raise CommandError(str(error), EX_CONFIG) from error
    except SchemaBehind as error:
        raise CommandError(f"{error}, after a backup") from error
    except Unavailable as error:
        raise CommandError(f"{error}; check THREADLINE_DATABASE_URL and the database's disk") from error
