"""The dashboard while things change: first run, arrivals, a restart of the service, keys."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from service.store import keys
from service.store.database import Database
from tests.api import Server, serving
from tests.browser import Chrome, eventually
from tests.live import Live
from tests.story import tell

TOPICS = ["flood river bridge water rising", "hockey goal keeper penalty final", "budget tax minister vote deficit"]


def document(number: int, day: int) -> dict[str, str]:
    words = TOPICS[number % len(TOPICS)]
    return {"id": f"live-{number}", "time": f"2026-03-{day:02d}T12:00:00Z", "title": f"About {words}", "text": words}


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    service = Live(tmp_path, port=port).start()
    yield service
    service.close()


def send(live: Live, number: int, day: int) -> None:
    """Send a document, and wait until the worker, which may only be starting, has placed it."""
    live.client.post("/v1/streams/default/documents", json=document(number, day)).raise_for_status()
    live.wait_quiet()


def test_arrivals_show_by_themselves_and_a_restart_is_survived(live: Live, chrome: Chrome) -> None:
    page = chrome.open(f"{live.address}/")
    expect(page.get_by_text("Nothing has arrived yet")).to_be_visible()
    send(live, 0, day=2)
    rows = page.locator(".thread-row")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("flood")
    expect(page.locator(".line-live")).to_be_visible()
    send(live, 1, day=3)
    expect(rows).to_have_count(2)
    expect(page.locator(".event-born").filter(has_text="hockey")).to_be_visible()

    live.stop()
    expect(page.locator(".line-waiting")).to_be_visible()
    expect(rows).to_have_count(2)  # what was there stays
    live.restart()
    expect(page.locator(".line-live")).to_be_visible()
    send(live, 2, day=4)
    expect(rows).to_have_count(3)
    expect(page.locator(".event-born").filter(has_text="budget")).to_be_visible()
    eventually(page, lambda: in_feed(page) == of_last_day(live), "a feed in which no event is missing or twice")


def in_feed(page: Page) -> list[int]:
    return [int(one.get_attribute("data-seq") or 0) for one in page.locator(".event").all()]


def of_last_day(live: Live) -> list[int]:
    """Events of the day before the stream's clock, newest first."""
    query = {"type": "thread", "order": "newest", "from": "2026-03-03T12:00:00Z"}
    return [row["seq"] for row in live.client.get("/v1/streams/default/events", params=query).json()["data"]]


def test_the_first_run_offers_a_sample(sqlite_url: str, tmp_path: Path, chrome: Chrome) -> None:
    database = Database(sqlite_url)
    with serving(database, tmp_path, sqlite_url) as server:
        page = chrome.open(server.url)
        expect(page.locator("pre")).to_contain_text(f"{server.url}/v1/streams/default/documents")
        page.get_by_role("button", name="Load the sample inbox").click()
        expect(page.get_by_text("160 documents on the way into threads")).to_be_visible()
        assert server.client.get("/v1/streams/default/stats").json()["accepted"] == 160
        page.goto(f"{server.url}/#/default/stream")
        expect(page.locator(".verdict-bad")).to_contain_text("No worker holds this stream")
        chrome.close()
    database.dispose()


@pytest.fixture
def guarded(sqlite_url: str, tmp_path: Path) -> Iterator[tuple[Server, str]]:
    """A service that wants keys, and a key that may read."""
    database = Database(sqlite_url)
    tell(database)
    with database.write() as connection:
        _, secret = keys.create(connection, "reader", ["read"])
    with serving(database, tmp_path, sqlite_url, keys_required=True) as server:
        yield server, secret
    database.dispose()


def unlock(page: Page, secret: str) -> None:
    page.get_by_label("Key").fill(secret)
    page.get_by_role("button", name="Open").click()


def test_a_key_is_asked_for_kept_in_the_tab_and_forgotten(guarded: tuple[Server, str], chrome: Chrome) -> None:
    server, secret = guarded
    page = chrome.open(f"{server.url}/#/default/now")
    unlock(page, "threadline_wrong")
    expect(page.get_by_role("alert")).to_contain_text("unknown, revoked or expired")
    unlock(page, secret)
    expect(page.locator(".thread-row")).to_have_count(2)
    expect(page.locator(".line-live")).to_be_visible()  # server-sent events carry the key too
    assert page.evaluate("[Object.values(sessionStorage), Object.values(localStorage)]") == [[secret], []]
    assert secret not in page.url
    page.reload()
    expect(page.locator(".thread-row")).to_have_count(2)
    page.get_by_role("button", name="Lock").click()
    expect(page.get_by_label("Key")).to_be_visible()
    assert page.evaluate("Object.values(sessionStorage)") == []
    chrome.close()


def test_a_service_that_does_not_answer_is_said_so(guarded: tuple[Server, str], chrome: Chrome) -> None:
    server, secret = guarded
    page = chrome.open(f"{server.url}/#/default/now")
    unlock(page, secret)
    expect(page.locator(".thread-row")).to_have_count(2)
    page.route("**/v1/**", lambda route: route.abort())
    page.get_by_role("link", name="Lifespans").click()
    expect(page.get_by_role("alert")).to_contain_text("The service does not answer")
    page.unroute("**/v1/**")
    expect(page.get_by_role("heading", name="Survival")).to_be_visible()  # by itself
    chrome.close()


def test_events_resume_after_the_last_one_seen(guarded: tuple[Server, str], chrome: Chrome) -> None:
    server, secret = guarded
    seen: list[str | None] = []
    page = chrome.open(f"{server.url}/#/default/now")

    def note(request: Request) -> None:
        if "/events/stream" in request.url:
            seen.append(request.headers.get("last-event-id"))

    page.on("request", note)
    unlock(page, secret)
    eventually(page, lambda: any(seen), "the stream of events")
    assert seen[0] == "7"
    assert all(re.fullmatch(r"\d+", one or "") for one in seen)
    chrome.close()
