"""RSS and Atom feeds, from a file or a URL; a URL is asked politely: only for news, and not too often."""

import calendar
import email.utils
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import feedparser
import httpx

from service.text.charsets import clean
from service.text.html import html_to_text

from .items import (
    LONGEST_AUTHOR,
    LONGEST_TITLE,
    Clock,
    Format,
    Found,
    Item,
    Memory,
    SourceError,
    content_id,
    fitting_id,
    short,
)

LARGEST = 32 << 20  # bytes of a feed
TIMEOUT = 30.0  # seconds
SHORTEST, LONGEST = 60.0, 86_400.0  # seconds between two requests, whatever the feed says
USUAL = 900.0  # seconds between two requests, if the feed does not say
PERIODS = {"hourly": 3_600.0, "daily": 86_400.0, "weekly": 604_800.0, "monthly": 2_592_000.0, "yearly": 31_536_000.0}
GONE = 410
AGENT = f"threadline/{version('threadline')} (feed reader; conditional requests)"


class Feed:
    """A feed. Entries that change later stay as they were first seen."""

    text_format: Format = "news"
    copies = True

    def __init__(self, source: str, clock: Clock, *, every: float | None = None) -> None:
        self.remote = source.startswith(("http://", "https://"))
        self.name = f"feed:{source if self.remote else Path(source).resolve()}"
        self.title = source if self.remote else Path(source).name
        self.suggested = (urlsplit(source).hostname or source) if self.remote else self.title
        self._source, self._clock, self._every = source, clock, every
        self.total: int | None = None
        self.pause = every or USUAL  # seconds until the next request

    def items(self, memory: Memory) -> Iterator[Item]:
        """The entries that were not there before, the oldest first."""
        told = memory.fact("position") or {}
        data, position = self._fetch(told) if self.remote else (self._read(), {})
        if data is None:
            return
        parsed = feedparser.parse(data, sanitize_html=False, resolve_relative_uris=False)
        if not parsed.get("version") and not parsed.entries:
            raise SourceError(f"{self.title} is neither RSS nor Atom")
        self._heed(parsed.feed)
        fresh = [(_mark(entry), entry) for entry in reversed(parsed.entries) if not memory.seen(_mark(entry))]
        self.total = len(fresh)
        if not fresh:
            yield Item(self.title, None, position=position)
        for done, (mark, entry) in enumerate(fresh, 1):
            last = done == len(fresh)  # the position is noted with the last entry, so that none is lost on the way
            yield self._item(entry, mark, done, position if last else None)

    def wait(self) -> None:
        """As long as the feed asks for."""
        if not self.remote:
            raise SourceError("a feed in a file cannot be followed; pass its URL")
        time.sleep(self.pause)

    def _read(self) -> bytes:
        try:
            return Path(self._source).read_bytes()
        except OSError as error:
            raise SourceError(f"{self._source} cannot be read ({error.strerror}); pass a feed's file or URL") from error

    def _fetch(self, told: dict[str, Any]) -> tuple[bytes | None, dict[str, Any]]:
        """The feed if it has changed since, and what to tell the server next time."""
        headers = {
            "User-Agent": AGENT,
            "Accept": "application/atom+xml, application/rss+xml, application/xml, */*;q=0.5",
        }
        headers |= {"If-None-Match": told["etag"]} if told.get("etag") else {}
        headers |= {"If-Modified-Since": told["modified"]} if told.get("modified") else {}
        try:
            with httpx.stream("GET", self._source, headers=headers, timeout=TIMEOUT, follow_redirects=True) as answer:
                self.pause = self._bounded(_retry_after(answer))
                if answer.status_code == GONE:
                    raise SourceError(f"{self._source} is gone for good (410)")
                if answer.status_code != httpx.codes.OK:
                    self._refused(answer)
                    return None, told
                return _limited(answer), {
                    "etag": answer.headers.get("ETag"),
                    "modified": answer.headers.get("Last-Modified"),
                }
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SourceError(f"{self._source} does not answer ({error or type(error).__name__})") from error

    def _refused(self, answer: httpx.Response) -> None:
        if answer.status_code not in (304, 429, 503):
            raise SourceError(f"{self._source} answers {answer.status_code} {answer.reason_phrase}")

    def _bounded(self, wanted: float) -> float:
        return min(max(wanted, self._every or USUAL, SHORTEST if self._every is None else 0.0), LONGEST)

    def _heed(self, feed: Any) -> None:
        """Ask no more often than the feed says it changes."""
        try:
            minutes = float(feed.get("ttl", 0))
            period = PERIODS.get(str(feed.get("sy_updateperiod", "")).strip(), 0.0)
            times = max(float(feed.get("sy_updatefrequency", 1)), 1.0)
        except ValueError:
            return
        self.pause = self._bounded(max(self.pause, 60 * minutes, period / times))

    def _item(self, entry: Any, mark: str, done: int, position: Any) -> Item:
        place = f"{self.title} entry {entry.get('id') or entry.get('link') or done}"
        title, text = _plain(entry.get("title_detail")), _text(entry)
        moment = _moment(entry) or self._clock()
        if not title and not text:
            return Item(place, None, "has neither title nor text", seen=mark, done=done, position=position)
        author, link = entry.get("author"), entry.get("link")
        found = Found(
            id=mark,
            time=min(moment, self._clock()),
            title=short(title, LONGEST_TITLE),
            author=short(author, LONGEST_AUTHOR),
            text=clean(text),
            metadata={"link": clean(link)[:2_000]} if link else None,
        )
        return Item(place, found, seen=mark, done=done, position=position)


def _mark(entry: Any) -> str:
    name = entry.get("id") or entry.get("link")
    return fitting_id(name) if name else content_id("entry", entry.get("title"), entry.get("summary"))


def _text(entry: Any) -> str:
    contents = [*entry.get("content", []), entry.get("summary_detail")]
    return max((_plain(part) for part in contents), key=len, default="")


def _plain(part: Any) -> str:
    """The text of a part of an entry, which is HTML unless it says that it is not."""
    if not part:
        return ""
    value = str(part.get("value") or "")
    return value.strip() if part.get("type") == "text/plain" and "<" not in value else html_to_text(value)


def _moment(entry: Any) -> int | None:
    """When the entry was published; None if it does not say, or says what cannot be."""
    for name in ("published_parsed", "updated_parsed", "created_parsed"):
        parts = entry.get(name)
        if parts and parts.tm_year >= 1971:
            return calendar.timegm(parts) * 1_000_000
    return None


def _limited(answer: httpx.Response) -> bytes:
    data = bytearray()
    for piece in answer.iter_bytes():
        data += piece
        if len(data) > LARGEST:
            raise SourceError(f"{answer.url} is larger than {LARGEST >> 20} MiB")
    return bytes(data)


def _retry_after(answer: httpx.Response) -> float:
    """Seconds that the server asks to be left alone: Retry-After, else the life it gives to its answer."""
    value = answer.headers.get("Retry-After", "")
    if value.isdecimal():
        return float(value)
    date = email.utils.parsedate_tz(value) if value else None
    if date:
        return max(0.0, email.utils.mktime_tz(date) - time.time())
    for directive in answer.headers.get("Cache-Control", "").split(","):
        name, _, seconds = directive.strip().partition("=")
        if name == "max-age" and seconds.isdecimal():
            return float(seconds)
    return 0.0
