"""The dashboard's files: right headers, complete, from nowhere else, and never making markup of text."""

import gzip
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.api.assets import FOLDER, assets
from service.api.middleware import POLICY
from service.store.database import Database
from tests.api import Server, assert_problem, serving
from tests.live import ROOT

TYPES = {"text/javascript", "text/css", "image/svg+xml", "application/x-ndjson", "text/plain"}
OWN = [
    path for path in sorted(FOLDER.rglob("*")) if path.suffix in (".js", ".css", ".html") and "vendor" not in path.parts
]


@pytest.fixture
def server(sqlite_url: str, tmp_path: Path) -> Iterator[Server]:
    opened = Database(sqlite_url)
    with serving(opened, tmp_path, sqlite_url, keys_required=True) as running:
        yield running
    opened.dispose()


def test_the_page_is_served_to_anybody_under_the_policy(server: Server) -> None:
    page = server.client.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["content-security-policy"] == POLICY
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["cache-control"] == "no-cache"
    assert server.client.get("/", headers={"If-None-Match": page.headers["etag"]}).status_code == 304
    assert server.client.head("/").status_code == 200
    assert_problem(server.client.get("/v1/streams"), 401)


def test_every_file_has_its_type_and_may_be_kept(server: Server) -> None:
    named = re.findall(r'(?:href|src)="(assets/[^"]+)"', server.client.get("/").text)
    assert len(named) == len(set(named)) > 7
    version = assets().version
    for path in [*named, *(f"assets/{version}/{name}" for name in assets().files)]:
        answer = server.client.get(f"/{path}")
        assert answer.status_code == 200, path
        assert answer.headers["content-type"].partition(";")[0] in TYPES
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["etag"] == f'"{hashlib.sha256(answer.content).hexdigest()[:32]}"'


def test_the_page_names_every_module_so_that_none_is_waited_for(server: Server) -> None:
    named = set(re.findall(r"assets/[0-9a-f]+/([^\"]+\.js)", server.client.get("/").text))
    assert named == {name for name in assets().files if name.endswith(".js")}


def test_files_travel_packed_to_those_who_can_unpack(server: Server) -> None:
    path = f"/assets/{assets().version}/vendor/d3.min.js"
    with server.client.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert gzip.decompress(raw) == (FOLDER / "vendor" / "d3.min.js").read_bytes()
    assert len(raw) < 120_000
    plain = server.client.get(path, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers


def test_a_page_from_before_an_upgrade_gets_todays_files_without_keeping_them(server: Server) -> None:
    old = server.client.get("/assets/0123456789abcdef/app.js")
    assert (old.status_code, old.headers["cache-control"]) == (200, "no-cache")


@pytest.mark.parametrize(
    "path",
    ["/v1/nothing", "/nothing", "/assets/x/nothing.js", "/assets/x/../../settings.py", "/assets/x/%2e%2e/app.py"],
)
def test_what_is_not_there_is_a_problem_as_everywhere(server: Server, path: str) -> None:
    assert_problem(server.client.get(path), 404)


def test_other_methods_are_refused(server: Server) -> None:
    assert server.client.post("/").status_code == 405


def test_the_sample_is_the_example() -> None:
    assert (FOLDER / "sample.jsonl").read_bytes() == (ROOT / "examples" / "inbox.jsonl").read_bytes()


def test_vendored_files_are_those_that_were_vendored() -> None:
    table = (FOLDER / "vendor" / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([^`]+)` .* `([0-9a-f]{64})` \|$", table, re.MULTILINE))
    assert sorted(listed) == sorted(path.name for path in (FOLDER / "vendor").glob("*.js"))
    for name, digest in listed.items():
        assert hashlib.sha256((FOLDER / "vendor" / name).read_bytes()).hexdigest() == digest
    for licence in re.findall(r"`(\S+LICENSE\.txt)`", table):
        assert (FOLDER / "vendor" / licence).is_file()


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_files_make_no_markup_of_text_and_fetch_from_nowhere_else(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|dangerously"
    assert not re.search(forbidden, text)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    if path.suffix == ".html":
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script>", text)
    for name in re.findall(r'from "(\.[^"]+)"', text):
        assert (path.parent / name).is_file(), f"{path.name} imports {name}"
