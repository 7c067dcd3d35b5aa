"""Files of any size, plain or compressed with gzip, read from an offset."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from .items import SourceError


def readable(path: Path, hint: str) -> Path:
    """The full path of a file that can be read. Raises SourceError with the hint."""
    try:
        with path.open("rb"):
            return path.resolve()
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({error.strerror}); {hint}") from error


@contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], Callable[[], int]]]:
    """The file's bytes, unpacked if its name ends with .gz, and how many bytes of the file itself are read."""
    try:
        with path.open("rb") as file:
            if path.suffix == ".gz":
                with gzip.GzipFile(fileobj=file) as unpacked:
                    yield unpacked, file.tell  # type: ignore[misc]
            else:
                yield file, file.tell
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise SourceError(f"{path} is not whole: {error}") from error
    except OSError as error:
        raise SourceError(f"{path} cannot be read on ({error.strerror})") from error
