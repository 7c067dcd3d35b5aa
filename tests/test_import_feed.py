"""RSS and Atom from files and from a real HTTP server, which is asked politely."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from service.importers.feed import LONGEST, SHORTEST, USUAL, Feed
from service.importers.items import Item, SourceError
from service.store.spool import Skipped, Spool
from tests.importing import NOW, clock, items_of

ATOM = """<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Wharf news</title>
<id>urn:feed</id><updated>2026-03-03T00:00:00Z</updated>
<entry><id>urn:2</id><title>Bridge &amp; road closed</title><updated>2026-03-03T09:00:00Z</updated>
<author><name>Ann</name></author><link href="https://example.org/2"/>
<content type="html">&lt;p&gt;The river &lt;b&gt;rises&lt;/b&gt;.&lt;script&gt;x&lt;/script&gt;</content></entry>
<entry><id>urn:1</id><title>Rain</title><published>2026-03-02T09:00:00+01:00</published>
<summary>It rains.</summary></entry>
</feed>"""
RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>Wharf</title><ttl>120</ttl>
<item><guid>g1</guid><title>Rain</title><pubDate>Mon, 02 Mar 2026 08:00:00 GMT</pubDate>
<description>&lt;p&gt;It &lt;i&gt;rains&lt;/i&gt;.</description></item>
<item><title>Undated</title><link>https://example.org/x</link></item><item><guid>empty</guid></item></channel></rss>"""


def test_atom(tmp_path: Path) -> None:
    path = tmp_path / "atom.xml"
    path.write_text(ATOM, encoding="utf-8")
    first, second = (item.found for item in items_of(Feed(str(path), clock)))
    assert first
    assert second
    assert (first.id, first.title, first.text) == ("urn:1", "Rain", "It rains.")
    assert first.time == int(datetime(2026, 3, 2, 8, tzinfo=UTC).timestamp()) * 1_000_000
    assert (second.title, second.text, second.author) == ("Bridge & road closed", "The river rises.", "Ann")
    assert second.metadata == {"link": "https://example.org/2"}


def test_rss_with_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "rss.xml"
    path.write_text(RSS, encoding="utf-8")
    empty, undated, rain = items_of(Feed(str(path), clock))
    assert rain.found
    assert (rain.found.id, rain.found.text) == ("g1", "It rains.")
    assert undated.found
    assert (undated.found.id, undated.found.time) == ("https://example.org/x", NOW)
    assert (empty.found, empty.problem) == (None, "has neither title nor text")


@pytest.mark.parametrize("data", [b"", b"<html><p>no feed</html>", b"\x00\xff", b"{}"])
def test_what_is_no_feed(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.xml"
    path.write_bytes(data)
    with pytest.raises(SourceError, match="neither RSS nor Atom"):
        items_of(Feed(str(path), clock))


def test_a_broken_feed_gives_what_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_text(RSS.replace("</channel></rss>", "<item><guid>cut"), encoding="utf-8")
    assert "g1" in {item.found.id for item in items_of(Feed(str(path), clock)) if item.found}


class Site(BaseHTTPRequestHandler):
    """A feed with an ETag; what it answers and what it was asked is kept at the server."""

    def do_GET(self) -> None:
        asked: list[dict[str, str]] = self.server.asked  # type: ignore[attr-defined]
        asked.append(dict(self.headers))
        status, headers, body = self.server.answer  # type: ignore[attr-defined]
        if self.headers.get("If-None-Match") == headers.get("ETag", "-"):
            status, body = 304, b""
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def site() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        server.asked = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def read(feed: Feed, spool: Spool) -> list[Item]:
    items = list(feed.items(spool))
    facts = [item.position for item in items if item.position is not None]
    skipped: list[Skipped] = []
    spool.put([], skipped, [item.seen for item in items if item.seen], **({"position": facts[-1]} if facts else {}))
    return [item for item in items if item.found]


def test_a_url_is_asked_for_news_only(tmp_path: Path, site: ThreadingHTTPServer) -> None:
    feed = Feed(f"http://127.0.0.1:{site.server_port}/feed", clock)
    asked: list[dict[str, str]] = site.asked  # type: ignore[attr-defined]
    with Spool(tmp_path / "spool.db") as spool:
        changed = "Mon, 02 Mar 2026 10:00:00 GMT"
        site.answer = (200, {"ETag": '"1"', "Last-Modified": changed}, ATOM.encode())  # type: ignore[attr-defined]
        assert len(read(feed, spool)) == 2
        assert "If-None-Match" not in asked[0]
        assert asked[0]["User-Agent"].startswith("threadline/")
        assert read(feed, spool) == []
        assert (asked[1]["If-None-Match"], asked[1]["If-Modified-Since"]) == ('"1"', changed)
        more = ATOM.replace("</feed>", "<entry><id>urn:3</id><title>Dry</title></entry></feed>").replace(
            "rains", "rained"
        )
        site.answer = (200, {"ETag": '"2"'}, more.encode())  # type: ignore[attr-defined]
        assert [item.found.id for item in read(feed, spool) if item.found] == ["urn:3"]
        assert read(feed, spool) == []
        assert asked[3]["If-None-Match"] == '"2"'


def test_a_url_is_not_asked_too_often(site: ThreadingHTTPServer) -> None:
    address = f"http://127.0.0.1:{site.server_port}/feed"

    def pause(status: int, headers: dict[str, str], body: str, every: float | None = None) -> float:
        site.answer = (status, headers, body.encode())  # type: ignore[attr-defined]
        feed = Feed(address, clock, every=every)
        items_of(feed)
        return feed.pause

    assert pause(200, {}, ATOM) == USUAL
    assert pause(200, {}, RSS) == 120 * 60
    assert pause(200, {"Cache-Control": "public, max-age=3600"}, ATOM) == 3_600
    assert pause(429, {"Retry-After": "7200"}, "") == 7_200
    assert pause(503, {"Retry-After": "99999999"}, "") == LONGEST
    soon = format_datetime(datetime.fromtimestamp(datetime.now(UTC).timestamp() + 5_000, UTC), usegmt=True)
    assert 4_900 < pause(503, {"Retry-After": soon}, "") <= 5_000
    assert pause(200, {}, ATOM, every=0.2) == 0.2 < SHORTEST


def test_a_url_that_fails_is_told(site: ThreadingHTTPServer) -> None:
    address = f"http://127.0.0.1:{site.server_port}/feed"
    for status, words in ((404, "answers 404"), (410, "gone for good"), (500, "answers 500")):
        site.answer = (status, {}, b"")  # type: ignore[attr-defined]
        with pytest.raises(SourceError, match=words):
            items_of(Feed(address, clock))
    with pytest.raises(SourceError, match="does not answer"):
        items_of(Feed("http://127.0.0.1:1/feed", clock))
    with pytest.raises(SourceError, match="pass a feed's file or URL"):
        items_of(Feed("missing.xml", clock))
