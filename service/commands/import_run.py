"""Running an import: which service takes it, what is shown meanwhile, and the summary at the end."""

import hashlib
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from service.importers.items import Source, SourceError
from service.importers.run import Import
from service.importers.target import HttpTarget, Target, TargetError, patiently
from service.settings import Settings
from service.store.spool import Spool, SpoolTaken

from .import_shown import Shown, look_at, rest, summary
from .output import CommandError, printable, say, warn

PROBE = 2.0  # seconds that a service on this machine has to answer
LOOK = 0.2  # seconds between two looks at how many documents wait
PATIENCE = 120.0  # seconds without a document placed after which the import stops waiting for somebody else's worker
STOPPED = 130  # exit code after Ctrl-C
UNFIT = re.compile(r"[^a-z0-9_-]+")
ENDINGS = re.compile(r"\.(?:gz|mbox|mbx|txt|jsonl|ndjson|json|csv|tsv|xml|rss|atom)$")


def stream_name(text: str) -> str:
    """A name for a stream after the name of what it is made from."""
    name, before = text.lower(), ""
    while name != before:
        name, before = ENDINGS.sub("", name), name
    return UNFIT.sub("-", name).strip("-_")[:64] or "imported"


def run(
    settings: Settings,
    make: Callable[[], Source],
    stream: str | None,
    url: str | None,
    key: str | None,
    *,
    fresh: bool,
    follow: bool,
) -> None:
    """Import a source into a stream, to its end or until stopped."""
    try:
        source = make()
        name = stream or stream_name(source.suggested)
        with _service(settings, url, key) as (target, placing), _spool(settings, source, target, name) as spool:
            _Run(source, target, placing, name, spool).go(fresh=fresh, follow=follow)
    except (SourceError, TargetError) as error:
        raise CommandError(str(error)) from error
    except KeyboardInterrupt:
        raise CommandError("stopped; run the same command again to go on where it was", STOPPED) from None


class _Run:
    """The steps of one import and what a person sees of them."""

    def __init__(
        self, source: Source, target: Target, placing: Callable[[], bool] | None, stream: str, spool: Spool
    ) -> None:
        self._source, self._target, self._placing = source, target, placing
        self._stream, self._spool = stream, spool

    def go(self, *, fresh: bool, follow: bool) -> None:
        with Shown() as shown:
            text = self._source.text_format
            settings = {} if text == "auto" else {"text": {"format": text}}
            stream = patiently(lambda: self._target.open_stream(self._stream, settings), shown.trouble)
            work = Import(self._source, self._spool, self._target, self._stream, shown)
            work.begin(stream["id"], fresh=fresh)
            work.read()
            work.send()
            left = 0 if follow else self._wait_for_placing(shown)
        self._say(work, left)
        work.finish()
        if follow:
            self._follow(work)

    def _wait_for_placing(self, shown: Shown) -> int:
        """Until the worker has placed everything, or does not go on; how many documents still wait."""
        total = least = self._pending(shown)
        moved = time.monotonic()
        while least and (self._placing() if self._placing else time.monotonic() - moved < PATIENCE):
            time.sleep(LOOK)
            now = self._pending(shown)
            moved = time.monotonic() if now < least else moved
            least = min(now, least)
            shown.placing(total - least, total)
        return least

    def _pending(self, shown: Shown) -> int:
        return int(patiently(lambda: self._target.stats(self._stream), shown.trouble)["pending"])

    def _say(self, work: Import, left: int) -> None:
        stats = self._target.stats(self._stream)
        say(summary(self._source.title, self._stream, work.counts, self._spool.skipped(), self._spool.path, stats))
        if left:
            say(f"\n{left} documents wait for a worker; `threadline serve` places them.")
        say("\n" + look_at(self._target.largest_threads(self._stream, 5), self._stream, _url_of(self._target)))

    def _follow(self, work: Import) -> None:
        say("\nFollowing; Ctrl-C ends it.")
        while True:
            try:
                self._source.wait()
                before = work.counts.new
                work.read()
                work.send()
                if work.counts.new > before:
                    say(f"{work.counts.new - before} new")
            except SourceError as error:
                warn(printable(f"{error}; trying again"))
                rest()


def _url_of(target: Target) -> str | None:
    return target.url if isinstance(target, HttpTarget) else None


@contextmanager
def _service(
    settings: Settings, url: str | None, key: str | None
) -> Iterator[tuple[Target, Callable[[], bool] | None]]:
    """The service that was named or runs on this machine; else its database, with a worker of our own beside it."""
    here = url or running(settings)
    if here:
        with HttpTarget(here, key) as target:
            yield target, None
        return
    from service.logs import configure

    from .local import LocalTarget, placing
    from .opening import make_data_folder, only_server, opened

    configure("warning", settings.log_format)
    make_data_folder(settings)
    with only_server(settings), opened(settings, upgrade=True) as database, placing(settings, database) as alive:
        yield LocalTarget(settings, database), alive


def running(settings: Settings) -> str | None:
    """The address of the service on this machine, if one answers there."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104
    address = f"http://{host}:{settings.port}"
    try:
        answer: Any = httpx.get(f"{address}/v1/version", timeout=PROBE, trust_env=False).json()
        return address if "limits" in answer else None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError):
        return None


@contextmanager
def _spool(settings: Settings, source: Source, target: Target, stream: str) -> Iterator[Spool]:
    from .opening import make_data_folder

    make_data_folder(settings)
    folder = settings.data_dir / "imports"
    folder.mkdir(mode=0o700, exist_ok=True)
    try:
        with Spool(spool_path(folder, source.name, target.key, stream)) as spool:
            yield spool
    except SpoolTaken as error:
        raise CommandError(f"another import of {source.title} into {stream} is running; let it end") from error


def spool_path(folder: Path, source: str, target: str, stream: str) -> Path:
    """One file for each source, service and stream."""
    return folder / f"{hashlib.sha256(f'{source} {target} {stream}'.encode()).hexdigest()[:16]}.db"
