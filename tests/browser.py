"""A real Chromium for tests: found or installed, started with fixed flags, watched for whatever must not happen."""

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, expect, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
APT = "apt-get update && apt-get install -y --no-install-recommends chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ARTEFACTS = "THREADLINE_TEST_ARTEFACTS"  # folder in which screenshots of failed tests are kept
PATIENCE_MS = 20_000  # for something to show on a crowded machine
expect.set_options(timeout=PATIENCE_MS)
ADDED = (  # run before the page's own scripts: notes what the policy refused
    "window.violations = []; document.addEventListener('securitypolicyviolation',"
    " (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));"
)


def chromium() -> str:
    """The path of a Chromium; installs Debian's as root, and fails with the line to type otherwise."""
    with (Path(tempfile.gettempdir()) / "threadline-chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests in other processes want it too
        found = _found()
        if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
            environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
            subprocess.run(["sh", "-c", APT], check=False, capture_output=True, env=environ, timeout=500)  # noqa: S607
            found = _found()
    if found is None:
        pytest.fail(f"the tests of the dashboard need Chromium; as root: {APT}")
    return found


def _found() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def eventually(page: Page, condition: Callable[[], Any], what: str) -> Any:
    """The first true value of a condition about the page, which goes on living meanwhile."""
    deadline = time.monotonic() + PATIENCE_MS / 1e3
    while time.monotonic() < deadline:
        if value := condition():
            return value
        page.wait_for_timeout(50)
    raise AssertionError(f"{what} did not happen")


class Watched(list[str]):
    """What a page complained of; tests assert that it is empty."""

    def note(self, message: ConsoleMessage) -> None:
        expected = re.search(r"Failed to load resource|net::ERR", message.text)  # a refusal, which the page shows
        if message.type in ("error", "warning") and not expected:
            self.append(f"{message.type}: {message.text}")


class Chrome:
    """One browser; every page is in a context of its own, and is photographed when its test fails."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.contexts: list[BrowserContext] = []
        self.watched = Watched()

    def open(self, url: str, *, width: int = 1440, height: int = 900, **options: Any) -> Page:
        """A page at the address, as a reader in Berlin sees it."""
        settings: dict[str, Any] = {"locale": "en-GB", "timezone_id": "Europe/Berlin", "reduced_motion": "reduce"}
        context = self._browser.new_context(viewport={"width": width, "height": height}, **(settings | options))
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(ADDED)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", self.watched.note)
        page.on("pageerror", lambda error: self.watched.append(f"exception: {error}"))
        page.on("dialog", self._dismiss)
        page.goto(url)
        return page

    def _dismiss(self, dialog: Dialog) -> None:
        self.watched.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def photograph(self, name: str) -> None:
        """Keep pictures of all open pages, if a folder for them is named."""
        folder = os.environ.get(ARTEFACTS)
        for number, page in enumerate(page for context in self.contexts for page in context.pages):
            if folder:
                Path(folder).mkdir(parents=True, exist_ok=True)
                page.screenshot(path=Path(folder) / f"{re.sub(r'[^a-z0-9_]+', '-', name)}-{number}.png", full_page=True)

    def close(self) -> None:
        """Close all pages, and say what they complained of, violations of the policy among it."""
        for context in self.contexts:
            for page in context.pages:
                self.watched += [f"policy: {one}" for one in page.evaluate("window.violations || []")]
            context.close()
        self.contexts = []


@contextmanager
def launched() -> Iterator[Browser]:
    """A running browser."""
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
