"""User text is never markup: 200 strings that try, as titles, texts, authors, ids, labels and words."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from service.store.database import Database
from tests.api import Server, serving
from tests.browser import Chrome
from tests.many import Told, odd

DO = ("alert(1)", "window.done=1", "fetch('//x.invalid')", "document.title='done'")
SHAPES = (
    "<script>{}</script>",
    "<ScRiPt>{}</sCrIpT>",
    "<script src=//x.invalid/a.js></script>{}",
    "</script><script>{}//",
    "</title><script>{}</script>",
    "</textarea><script>{}</script>",
    "</style><script>{}</script>",
    "--><script>{}</script>",
    "<img src=x onerror={}>",
    '<img src=x onerror="{}">',
    "<img src='x' onerror='{}'>",
    "<img/src=x/onerror={}>",
    "<svg onload={}>",
    "<svg><script>{}</script></svg>",
    "<svg><animate onbegin={} attributeName=x dur=1s>",
    "<body onload={}>",
    "<iframe src=javascript:{}>",
    '<iframe srcdoc="<script>{}</script>">',
    "<object data=javascript:{}>",
    "<embed src=javascript:{}>",
    '<a href="javascript:{}">x</a>',
    "javascript:{}",
    "JaVaScRiPt:{}",
    "data:text/html,<script>{}</script>",
    "<details open ontoggle={}>",
    "<input autofocus onfocus={}>",
    "<select autofocus onfocus={}>",
    "<video><source onerror={}>",
    "<audio src=x onerror={}>",
    "<marquee onstart={}>",
    "<form action=javascript:{}><button>",
    "<isindex action=javascript:{}>",
    '<math href="javascript:{}">x</math>',
    "<base href=javascript:{}//>",
    "<link rel=stylesheet href=javascript:{}>",
    "<meta http-equiv=refresh content='0;url=javascript:{}'>",
    "<table background=javascript:{}>",
    "<div style='background:url(javascript:{})'>",
    "<style>*{{x:expression({})}}</style>",
    '" onmouseover="{}" x="',
    "' onmouseover='{}' x='",
    "`-{}-`",
    "${{{}}}",
    "{{{{{}}}}}",
    "#{{{}}}",
    "<%= {} %>",
    "';{};//",
    '";{};//',
    "\\u003cscript\\u003e{}\\u003c/script\\u003e",
    "&lt;script&gt;{}&lt;/script&gt;",
)
FOREIGN = "img, iframe, object, embed, video, audio, marquee, math, base, style, animate, script:not([src])"
PAYLOADS = [shape.format(do) for shape in SHAPES for do in DO]


def told() -> list[Told]:
    return [
        Told(f"{number}-{text.replace(' ', '/')}"[:200], f"{number} {text}", f"{text}\n{text}", f"{number} {text}")
        for number, text in enumerate(PAYLOADS)
    ]


@pytest.fixture
def server(sqlite_url: str, tmp_path: Path) -> Iterator[Server]:
    database = Database(sqlite_url)
    odd(database, told())
    with serving(database, tmp_path, sqlite_url) as running:
        yield running
    database.dispose()


def unharmed(page: Page) -> None:
    """Nothing ran, and nothing is in the page that the dashboard did not put there."""
    assert page.evaluate("[window.done ?? 0, document.scripts.length, document.styleSheets.length]") == [0, 3, 3]
    assert page.locator(FOREIGN).count() == 0
    attributes = "[...document.all].flatMap((e) => e.getAttributeNames()).filter((name) => /^on|^srcdoc$/.test(name))"
    assert page.evaluate(attributes) == []
    links = page.evaluate("[...document.querySelectorAll('a')].map((a) => a.protocol)")
    assert set(links) <= {"http:"}
    assert page.evaluate("window.violations") == []


def test_there_are_two_hundred() -> None:
    assert len(set(PAYLOADS)) >= 200


def test_labels_and_words_are_text_in_every_list(server: Server, chrome: Chrome) -> None:
    page = chrome.open(f"{server.url}/#/default/now?sort=born_at")
    rows = page.locator(".thread-row")
    for wanted in (100, 150, 200):
        page.get_by_role("button", name="Show more").click()
        expect(rows).to_have_count(wanted)
    page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(201)
    shown = set(page.locator(".thread-row .thread-link").all_text_contents())
    assert {one.label for one in told()} <= shown
    expect(page.locator(".event")).not_to_have_count(0)
    unharmed(page)
    page.goto(f"{server.url}/#/default/lifespans")
    expect(page.locator(".lives li")).to_have_count(25)
    unharmed(page)


def test_titles_and_texts_are_text_in_a_thread(server: Server, chrome: Chrome) -> None:
    page = chrome.open(f"{server.url}/#/default/threads/thr_0")
    rows = page.locator(".document-row")
    for wanted in range(60, 200, 30):
        page.get_by_role("button", name="Show more").click()
        expect(rows).to_have_count(min(wanted, 200))
    page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(200)
    assert {one.title for one in told()} == set(page.locator(".document-what .titled").all_text_contents())
    unharmed(page)


def test_every_document_and_thread_shows_its_own_text(server: Server, chrome: Chrome) -> None:
    page = chrome.open(f"{server.url}/#/default/documents/copy-0")
    script = "([hash]) => (location.hash = hash)"
    for number, one in enumerate(told()[::4]):
        page.evaluate(script, [f"#/default/documents/{_quoted(page, one.id)}"])
        expect(page.locator("h1")).to_have_text(one.title)
        assert page.locator(".text").text_content() == one.text
        page.evaluate(script, [f"#/default/threads/thr_{4 * number + 1}"])
        expect(page.locator("h1")).to_have_text(one.label)
        expect(page).to_have_title(re.compile(re.escape(one.label)))
    unharmed(page)


def test_the_timeline_and_a_search_take_them_too(server: Server, chrome: Chrome) -> None:
    page = chrome.open(f"{server.url}/#/default/timeline")
    page.locator(".timeline-foot time").first.wait_for()
    page.locator(".timeline-canvas").focus()
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    expect(page.locator(".timeline-tip strong")).not_to_be_empty()
    page.get_by_text("As a table").click()
    expect(page.locator(".timeline-table tbody tr")).to_have_count(40)
    unharmed(page)
    page.goto(f"{server.url}/#/default/now")
    page.get_by_placeholder("Search threads").fill("<script>alert(1)</script>")
    expect(page.locator(".thread-row").first).to_contain_text("<script>alert(1)</script>")
    unharmed(page)
    page.goto(f"{server.url}/#/<img src=x onerror=alert(1)>/now?search=<svg onload=alert(1)>")
    expect(page.get_by_text("There is no stream named")).to_be_visible()
    unharmed(page)


def _quoted(page: Page, text: str) -> str:
    quoted: str = page.evaluate("(text) => encodeURIComponent(text)", text)
    return quoted
