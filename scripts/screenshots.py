"""Makes the pictures of the dashboard in docs/figures, from the example inbox: ./run python -m scripts.screenshots"""

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser import launched
from tests.live import ROOT, Live

PICTURES = [("dashboard-now", "now", "light"), ("dashboard-timeline", "timeline?size=2", "dark")]
SIZE = {"width": 1280, "height": 800}


def main() -> None:
    """Serve the inbox, wait until the model has rested, photograph."""
    with tempfile.TemporaryDirectory() as folder:
        service = Live(Path(folder), rest_after_s=1).start()
        try:
            _fill(service)
            with launched() as browser:
                for name, view, scheme in PICTURES:
                    _photograph(browser, f"{service.address}/#/default/{view}", name, scheme)
        finally:
            service.close()


def _fill(service: Live) -> None:
    inbox = (ROOT / "examples" / "inbox.jsonl").read_bytes()
    headers = {"Content-Type": "application/x-ndjson"}
    service.client.post("/v1/streams/default/documents/bulk", content=inbox, headers=headers).raise_for_status()
    service.wait_quiet()


def _photograph(browser: Browser, url: str, name: str, scheme: str) -> None:
    context = browser.new_context(viewport=SIZE, locale="en-GB", timezone_id="Europe/Berlin")
    page = context.new_page()
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(url)
    _settle(page)
    page.screenshot(path=ROOT / "docs" / "figures" / f"{name}.png")
    context.close()


def _settle(page: Page) -> None:
    page.locator(".thread-row .spark, .timeline-foot time").first.wait_for()
    page.wait_for_timeout(8_000)  # the model rests, bars glide to their lines


if __name__ == "__main__":
    main()
