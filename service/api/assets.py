"""The dashboard's files, read once, under an address that changes with their content so that browsers may keep them."""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "web"
PAGE = "index.html"
VERSION = "{version}"  # stands in the page for the version of the files
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".jsonl": "application/x-ndjson",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class Asset:
    """A file as it is sent."""

    content: bytes
    packed: bytes  # gzip
    media_type: str
    tag: str


@dataclass(frozen=True)
class Assets:
    """All files by their path below the folder; `page` is the one that names the others."""

    version: str
    files: dict[str, Asset]
    page: Asset


@cache
def assets(folder: Path = FOLDER) -> Assets:
    """What the folder holds."""
    found = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.suffix in TYPES}
    contents = {name: path.read_bytes() for name, path in found.items()}
    version = hashlib.sha256(b"".join(name.encode() + contents[name] for name in contents)).hexdigest()[:16]
    page = contents.pop(PAGE).replace(VERSION.encode(), version.encode())
    return Assets(version, {name: _asset(name, content) for name, content in contents.items()}, _asset(PAGE, page))


def _asset(name: str, content: bytes) -> Asset:
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    return Asset(content, gzip.compress(content, 6, mtime=0), TYPES[Path(name).suffix], tag)
