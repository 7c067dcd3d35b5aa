"""Every view of the dashboard, on a real service with the example inbox, in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser import Chrome, eventually
from tests.live import ROOT, Live

VIEWS = ["now", "timeline", "lifespans", "try", "stream", "threads/thr_0", "documents/m020"]
QUESTION = "Paylark refuses cards at the checkout again"
NAMELESS = """() => [...document.querySelectorAll('button, a, input, select, textarea, [role=img], [role=application]')]
  .filter((e) => e.checkVisibility() && !(e.getAttribute('aria-label') || e.innerText?.trim() || e.labels?.length
    || e.title || e.querySelector?.('.visually-hidden')))
  .map((e) => e.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    service = Live(tmp_path_factory.mktemp("views")).start()
    inbox = (ROOT / "examples" / "inbox.jsonl").read_bytes()
    headers = {"Content-Type": "application/x-ndjson"}
    service.client.post("/v1/streams/default/documents/bulk", content=inbox, headers=headers).raise_for_status()
    service.wait_quiet()
    yield service
    service.close()


def at(live: Live, place: str) -> str:
    return f"{live.address}/#/default/{place}"


def settled(page: Page) -> Page:
    """The page once nothing on it is loading."""
    page.locator("main h1").first.wait_for(state="attached")
    expect(page.locator(".skeleton")).to_have_count(0)
    return page


def test_now_lists_live_threads_strongest_first(live: Live, chrome: Chrome) -> None:
    page = settled(chrome.open(f"{live.address}/"))
    expect(page).to_have_url(re.compile(r"#/default/now$"))
    rows = page.locator(".thread-row")
    wanted = live.client.get("/v1/streams/default/threads?state=live&limit=50").json()["data"]
    expect(rows).to_have_count(len(wanted))
    assert page.locator(".thread-name .thread-link").all_inner_texts() == [thread["label"] for thread in wanted]
    expect(rows.first.locator(".spark")).to_have_attribute("aria-label", re.compile("30 days"))
    expect(rows.first).to_contain_text(str(wanted[0]["size"]))
    expect(page.locator(".event").first).to_be_visible()
    expect(page.locator(".summary")).to_contain_text("160")
    expect(page.locator(".line-live")).to_be_visible()


def test_every_thread_with_documents_has_a_name(live: Live) -> None:
    """Also one that died before the model had described it."""
    rows = live.pages("/v1/streams/default/threads")
    assert any(row["state"] == "dead" for row in rows)
    assert [row["id"] for row in rows if row["size"] and not row["label"]] == []


def test_an_address_given_while_the_page_is_still_starting_counts(live: Live, chrome: Chrome) -> None:
    page = chrome.open("about:blank")
    page.context.add_init_script("addEventListener('DOMContentLoaded', () => (location.hash = '#/default/now'))")
    page.goto(f"{live.address}/")
    expect(settled(page).locator(".thread-row").first).to_be_visible()


def test_now_filters_sorts_and_searches_by_its_address(live: Live, chrome: Chrome) -> None:
    page = settled(chrome.open(at(live, "now")))
    page.get_by_placeholder("Search threads").fill("HOLLIS")
    expect(page.locator(".thread-row")).to_have_count(1)
    page.get_by_label("State").select_option("all")
    page.get_by_label("Order").select_option("-size")
    address = eventually(
        page, lambda: (url := page.evaluate("location.href")) and "sort=-size" in url and url, "filters"
    )
    again = settled(chrome.open(address))
    expect(again.get_by_placeholder("Search threads")).to_have_value("HOLLIS")
    expect(again.get_by_label("State")).to_have_value("all")
    expect(again.get_by_label("Order")).to_have_value("-size")
    expect(again.locator(".thread-row .thread-link").first).to_contain_text("hollis")
    again.get_by_placeholder("Search threads").fill("no such word")
    again.get_by_role("button", name="Clear the filters").click()
    expect(again.locator(".thread-row")).not_to_have_count(0)


def test_a_thread_tells_its_life(live: Live, chrome: Chrome) -> None:
    page = settled(chrome.open(at(live, "now?state=all&sort=-size")))
    page.locator(".thread-row .thread-link").first.click()
    biggest = live.client.get("/v1/streams/default/threads?sort=-size&limit=1").json()["data"][0]
    settled(page)
    expect(page.locator("h1")).to_have_text(biggest["label"])
    expect(page).to_have_title(re.compile(re.escape(biggest["label"])))
    expect(page.locator(".document-row")).to_have_count(biggest["size"])
    expect(page.get_by_role("img", name=re.compile("^Strength from"))).to_be_visible()
    expect(page.locator(".word-grid th").first).not_to_be_empty()
    for name in ("Lineage", "Neighbours", "Documents"):
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    first = page.locator(".document-row time").first.get_attribute("datetime")
    page.get_by_role("button", name="Newest first").click()
    eventually(page, lambda: page.locator(".document-row time").first.get_attribute("datetime") != first, "newest")
    assert "order=newest" in page.evaluate("location.hash")


def test_a_live_thread_says_how_long_it_may_live(live: Live, chrome: Chrome) -> None:
    thread = live.client.get("/v1/streams/default/threads?state=live&limit=1").json()["data"][0]
    page = settled(chrome.open(at(live, f"threads/{thread['id']}")))
    expect(page.locator(".facts")).to_contain_text("Dies if nothing comes")
    expect(page.locator(".facts")).to_contain_text("Expected to live on")


def test_a_document_shows_its_text_thread_and_reasons(live: Live, chrome: Chrome) -> None:
    document = live.client.get("/v1/streams/default/documents/m020").json()
    why = live.client.get("/v1/streams/default/documents/m020/why").json()["candidates"]
    page = settled(chrome.open(at(live, "documents/m020")))
    expect(page.locator(".text")).to_have_text(document["text"])
    expect(page.locator(".bars li")).to_have_count(len(why))
    words = page.locator(".why th").all_inner_texts()
    assert {"size and time", "length", *(one["word"] for one in why[0]["words"][:3])} <= set(words)
    expect(page.locator(".why-fill.own").first).to_be_visible()
    expect(page.locator(".why-total")).to_contain_text(f"+{why[0]['score']:.2f}")


def test_try_it_predicts_and_can_be_shared(live: Live, chrome: Chrome) -> None:
    page = settled(chrome.open(at(live, "try")))
    page.get_by_label("Text").fill(QUESTION)
    page.get_by_role("button", name="Which thread?").click()
    expect(page.locator(".bars li").first).to_contain_text("paylark")
    expect(page.locator(".bars")).to_contain_text("A new thread")
    shares = [float(text.strip("<%")) for text in page.locator(".bars .share-value").all_inner_texts()]
    assert 95 < sum(shares) < 105
    again = chrome.open(page.evaluate("location.href"))
    expect(again.get_by_label("Text")).to_have_value(QUESTION)
    expect(again.locator(".bars li").first).to_contain_text("paylark")


def test_try_it_says_what_is_wrong(live: Live, chrome: Chrome) -> None:
    page = chrome.open(at(live, f"try?text={quote(QUESTION)}&time=2990-01-01T00:00:00Z"))
    expect(page.get_by_role("alert")).to_contain_text("time")


def test_lifespans_have_a_curve_a_distribution_and_filters(live: Live, chrome: Chrome) -> None:
    page = settled(chrome.open(at(live, "lifespans")))
    summary = live.client.get("/v1/streams/default/lifespans?least_size=1").json()["summary"]
    expect(page.locator(".facts")).to_contain_text(str(summary["threads"]))
    expect(page.get_by_role("img", name=re.compile("^Survival"))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^Ages of threads"))).to_be_visible()
    page.get_by_label("Least size").fill("5")
    page.get_by_label("Least size").blur()
    fewer = live.client.get("/v1/streams/default/lifespans?least_size=5").json()["summary"]["threads"]
    expect(page.locator(".facts dd").first).to_have_text(str(fewer))
    page.get_by_label("Search").fill("no such word")
    expect(page.get_by_text("No thread passes these filters")).to_be_visible()


def test_the_stream_tells_its_health_settings_and_what_it_learned(live: Live, chrome: Chrome) -> None:
    page = settled(chrome.open(at(live, "stream")))
    expect(page.locator(".verdict-good")).to_contain_text("All is well")
    expect(page.locator(".settings")).to_contain_text("learned")
    expect(page.locator(".facts")).to_contain_text("160")
    expect(page.get_by_role("heading", name="What the model learned")).to_be_visible()


def test_times_are_the_readers_with_utc_on_hover(live: Live, chrome: Chrome) -> None:
    page = settled(chrome.open(at(live, "documents/m001")))
    moment = page.locator(".fact time").first
    expect(moment).to_have_text(re.compile(r"09:14"))
    expect(moment).to_have_attribute("title", "2026-03-02 08:14:00 UTC")
    assert moment.get_attribute("datetime") == "2026-03-02T08:14:00.000000Z"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_every_view_fits_and_names_its_controls(live: Live, chrome: Chrome, width: int, scheme: str) -> None:
    page = chrome.open(f"{live.address}/", width=width, height=844, color_scheme=scheme)
    for view in VIEWS:
        page.goto(at(live, view))
        settled(page)
        over: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, view
        assert page.evaluate(NAMELESS) == [], view
        assert page.locator("main h1").count() == 1, view
    ink: str = page.evaluate("getComputedStyle(document.body).color")
    assert (int(re.findall(r"\d+", ink)[0]) > 128) == (scheme == "dark")


def test_the_theme_can_be_chosen_and_is_kept(live: Live, chrome: Chrome) -> None:
    page = settled(chrome.open(at(live, "now"), color_scheme="light"))
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name=re.compile("^Theme")).click(click_count=1)
    page.get_by_role("button", name="Theme: light. Change").click()
    assert page.evaluate(paper) != light
    page.reload()
    expect(page.get_by_role("button", name="Theme: dark. Change")).to_be_visible()
    assert page.evaluate(paper) != light


def test_the_keyboard_reaches_everything(live: Live, chrome: Chrome) -> None:
    page = settled(chrome.open(at(live, "now")))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "search"
    for _ in range(4):
        page.keyboard.press("Tab")
    assert "thread-link" in page.evaluate("document.activeElement.className")
    label = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(label)


def test_what_is_not_there_is_said_with_a_way_on(live: Live, chrome: Chrome) -> None:
    page = chrome.open(at(live, "threads/thr_99999"))
    expect(page.get_by_role("alert")).to_contain_text("Not found")
    page.goto(f"{live.address}/#/nowhere/now")
    page.get_by_role("link", name="default").click()
    settled(page)
    expect(page.locator(".thread-row").first).to_be_visible()
    page.goto(at(live, "nonsense"))
    page.get_by_role("link", name="See what is going on now").click()
    expect(page.locator(".thread-row").first).to_be_visible()
    page.goto(at(live, "documents/none"))
    expect(page.get_by_role("alert")).to_contain_text("Not found")


def test_pictures_of_failed_tests_are_kept(
    live: Live, chrome: Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THREADLINE_TEST_ARTEFACTS", str(tmp_path / "pictures"))
    settled(chrome.open(at(live, "now")))
    chrome.photograph("test_x[1-dark]")
    assert (tmp_path / "pictures" / "test_x-1-dark--0.png").stat().st_size > 5_000
