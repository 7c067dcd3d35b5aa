"""The docs are true: commands run, generated pages are current, named tests and files exist."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live import COMMAND, QUIET, ROOT, Live, until

ADDRESS = "http://127.0.0.1:8470"
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
BLOCK = re.compile(r"```sh\n(.*?)```(?:\n\n```json\n(.*?)```)?", re.DOTALL)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    service = Live(tmp_path_factory.mktemp("docs")).start()
    yield service
    service.close()


def test_the_quickstart_runs(live: Live) -> None:
    blocks = BLOCK.findall((ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8"))
    assert len(blocks) >= 10
    _run_all(live, blocks)


def test_the_topics_page_runs(tmp_path: Path) -> None:
    service = Live(tmp_path).start()
    try:
        blocks = BLOCK.findall((ROOT / "docs" / "topics.md").read_text(encoding="utf-8"))
        assert len(blocks) >= 4
        _run_all(service, blocks)
        waiting = {"status": "enqueued"}, {"status": "processing"}
        until(
            lambda: not any(service.pages("/v1/tasks", **some) for some in waiting), QUIET, "the end of the tasks", 0.5
        )
        assert {task["status"] for task in service.pages("/v1/tasks")} == {"succeeded"}
    finally:
        service.close()


def test_the_readme_runs(tmp_path: Path) -> None:
    service = Live(tmp_path).start()
    try:
        blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
        assert len(blocks) >= 2
        _run_all(service, blocks)
    finally:
        service.close()


def _run_all(live: Live, blocks: list[tuple[str, str]]) -> None:
    for command, shown in blocks:
        done = subprocess.run(
            ["sh", "-ec", command.replace(ADDRESS, live.address)],  # noqa: S607
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        answer = json.loads(done.stdout)
        assert not str(answer.get("type", "")).startswith("urn:threadline:problem"), (command, answer)
        if shown:
            _same_shape(json.loads(shown), answer, command)
        if "POST" in command or "-d" in command:
            live.wait_quiet()


def _same_shape(shown: Any, real: Any, where: str) -> None:
    """All that is shown is there, of the same kind; what has few values has the same one."""
    if isinstance(shown, dict):
        assert isinstance(real, dict), where
        for name, value in shown.items():
            assert name in real, f"{where}: no {name} in {real}"
            _same_shape(value, real[name], f"{where} {name}")
    elif isinstance(shown, list):
        assert isinstance(real, list), where
        assert bool(shown) == bool(real), where
        for value in shown:
            _same_shape(value, real[0], where)
    elif shown is not None:
        assert isinstance(real, type(shown) if not isinstance(shown, float) else int | float), (where, shown, real)
        if isinstance(shown, str) and re.fullmatch(r"accepted|thread\.born|erasure|tdpm|P\d+D", shown):
            assert real == shown, where


def test_the_api_page_is_current() -> None:
    made = subprocess.run([*COMMAND, "openapi", "--markdown"], cwd=ROOT, capture_output=True, text=True, check=True)
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert made.stdout == page, "write it with `./run threadline openapi --markdown > docs/api.md`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_tests_and_files_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for file, test in re.findall(r"`(tests/\w+\.py)(?:::(\w+))?`", text):
        assert (ROOT / file).is_file(), f"{page.name} names {file}"
        assert not test or f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), (
            f"{page.name} names {file}::{test}"
        )
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (page.parent / link).exists(), f"{page.name} links to {link}"
