"""Imports into a real service: each document once, in order of time, whatever happens on the way."""

import contextlib
import os
import random
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from service.importers.folders import Eml, Maildir
from service.importers.mbox import Mbox
from service.importers.run import Import
from service.importers.target import Busy, HttpTarget, TargetError, patiently
from service.store.database import Database
from service.store.spool import Spool, SpoolTaken
from tests.api import Server, serving
from tests.importing import Silent, clock, import_once, in_mbox, mbox_file, message, stored
from tests.live import COMMAND, ROOT, Live, until


@pytest.fixture
def server(tmp_path: Path, sqlite_url: str) -> Iterator[Server]:
    database = Database(sqlite_url)
    with serving(database, tmp_path, sqlite_url) as running:
        yield running
    database.dispose()


@pytest.fixture
def target(server: Server) -> Iterator[HttpTarget]:
    with HttpTarget(server.url) as opened:
        yield opened


def test_an_mbox_is_imported_in_order_of_time_and_once(tmp_path: Path, server: Server, target: HttpTarget) -> None:
    numbers = list(range(700))
    random.Random(5).shuffle(numbers)  # noqa: S311
    path = mbox_file(tmp_path / "list.mbox", iter(numbers))
    path.write_bytes(path.read_bytes() + in_mbox(message(3, body="the same, as the list sent it\n")))
    counts, skipped = import_once(Mbox(path, clock), target, tmp_path / "spool.db")
    assert (counts.read, counts.new, counts.duplicates, skipped) == (701, 700, 1, [])
    rows = stored(server)
    assert [row["id"] for row in rows] == [f"{number}@example.org" for number in range(700)]
    assert rows[3]["metadata"] == {"message_id": "3@example.org"}
    counts, _ = import_once(Mbox(path, clock), target, tmp_path / "spool.db")
    assert (counts.read, counts.new, counts.duplicates) == (0, 0, 0)
    counts, _ = import_once(Mbox(path, clock), target, tmp_path / "spool.db", fresh=True)
    assert (counts.read, counts.new, counts.duplicates) == (701, 0, 701)


def test_a_mailbox_that_has_grown_gives_what_is_new(tmp_path: Path, server: Server, target: HttpTarget) -> None:
    path = mbox_file(tmp_path / "list.mbox", range(10))
    import_once(Mbox(path, clock), target, tmp_path / "spool.db")
    with path.open("ab") as file:
        file.write(in_mbox(message(10)))
    counts, _ = import_once(Mbox(path, clock), target, tmp_path / "spool.db")
    assert (counts.read, counts.new) == (1, 1)
    mbox_file(path, range(5, 12))  # the first ones were deleted, so that nothing is where it was
    counts, _ = import_once(Mbox(path, clock), target, tmp_path / "spool.db")
    assert counts.new == 1
    assert len(stored(server)) == 12


def test_a_stream_that_was_made_anew_gets_everything_again(tmp_path: Path, server: Server, target: HttpTarget) -> None:
    path = mbox_file(tmp_path / "list.mbox", range(10))
    import_once(Mbox(path, clock), target, tmp_path / "spool.db")
    assert server.client.delete("/v1/streams/mail").status_code == 202
    counts, _ = import_once(Mbox(path, clock), target, tmp_path / "spool.db")
    assert (counts.read, counts.new) == (10, 10)


def test_maildir_and_eml_files_are_read_once(tmp_path: Path, server: Server, target: HttpTarget) -> None:
    for name in ("cur", "new", "tmp", ".Sent/cur"):
        (tmp_path / "Maildir" / name).mkdir(parents=True)
    (tmp_path / "Maildir" / "new" / "1.host").write_bytes(message(1))
    (tmp_path / "Maildir" / "cur" / "2.host:2,S").write_bytes(message(2))
    (tmp_path / "Maildir" / "tmp" / "3.host").write_bytes(message(3))
    (tmp_path / "Maildir" / ".Sent" / "cur" / "4.host:2,S").write_bytes(message(4))
    counts, _ = import_once(Maildir(tmp_path / "Maildir", clock), target, tmp_path / "spool.db")
    assert counts.new == 3
    (tmp_path / "Maildir" / "new" / "1.host").rename(tmp_path / "Maildir" / "cur" / "1.host:2,RS")
    (tmp_path / "Maildir" / "new" / "5.host").write_bytes(message(5))
    counts, _ = import_once(Maildir(tmp_path / "Maildir", clock), target, tmp_path / "spool.db")
    assert (counts.read, counts.new) == (1, 1)
    (tmp_path / "tree" / "deep").mkdir(parents=True)
    (tmp_path / "tree" / "deep" / "6.eml").write_bytes(message(6))
    (tmp_path / "tree" / "bad.EML").write_bytes(b"nothing")
    counts, skipped = import_once(Eml(tmp_path / "tree", clock), target, tmp_path / "eml.db")
    assert (counts.read, counts.new) == (2, 1)
    assert skipped[0].place == "bad.EML offset 0"
    assert {row["id"] for row in stored(server)} == {f"{number}@example.org" for number in (1, 2, 4, 5, 6)}


class Cutting(httpx.HTTPTransport):
    """A connection that sometimes breaks before the request arrives, and sometimes before its answer does."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__()
        self.faults = faults

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        fault = self.faults.pop(0) if self.faults and request.method == "POST" else ""
        if fault == "before":
            raise httpx.ConnectError("cut")
        answer = super().handle_request(request)
        if fault == "after":
            answer.read()
            raise httpx.ReadError("cut")
        return answer


def test_lost_answers_are_asked_for_again_and_counted_right(
    tmp_path: Path, server: Server, target: HttpTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.importers.target.FIRST_PAUSE", 0.01)
    path = mbox_file(tmp_path / "list.mbox", range(1_200))
    target.open_stream("mail", {})
    target._client.close()
    target._client = httpx.Client(base_url=server.url, transport=Cutting(["before", "after", "after", "", "after"]))
    counts, _ = import_once(Mbox(path, clock), target, tmp_path / "spool.db")
    assert (counts.read, counts.new, counts.duplicates) == (1_200, 1_200, 0)
    assert len(stored(server)) == 1_200


def test_a_full_queue_is_waited_for(tmp_path: Path, sqlite_url: str) -> None:
    database = Database(sqlite_url)
    path, shown = mbox_file(tmp_path / "list.mbox", range(900)), Silent()
    with serving(database, tmp_path, sqlite_url, pending_documents=700) as server, HttpTarget(server.url) as target:
        with Spool(tmp_path / "spool.db") as spool:
            work = Import(Mbox(path, clock), spool, target, "mail", shown)
            work.begin(target.open_stream("mail", {})["id"], fresh=False)
            work.read()

            def drain(message: str) -> None:
                with contextlib.closing(sqlite3.connect(tmp_path / "threadline.db")) as connection, connection:
                    connection.execute("UPDATE streams SET cursor = next_seq - 1")
                shown.troubles.append(message)

            shown.trouble = drain  # type: ignore[method-assign]
            work.send()
        assert (work.counts.new, work.counts.duplicates) == (900, 0)
        assert "busy" in shown.troubles[0]
    database.dispose()


def test_what_the_service_refuses_is_told(target: HttpTarget) -> None:
    with pytest.raises(TargetError, match="answers 422"):
        target.open_stream("No Name", {})
    with HttpTarget("http://127.0.0.1:1") as nobody:
        with pytest.raises(TargetError, match="later to go on"):
            patiently(nobody.limits, lambda _: None, patience=0.0)
        with pytest.raises(Busy, match="does not answer"):
            nobody.limits()
    with pytest.raises(TargetError, match="not a URL"):
        HttpTarget("127.0.0.1:8470")


def test_two_imports_of_one_source_do_not_meet(tmp_path: Path) -> None:
    with Spool(tmp_path / "spool.db"), pytest.raises(SpoolTaken):
        Spool(tmp_path / "spool.db")


def test_kill_9_at_any_moment_loses_and_doubles_nothing(tmp_path: Path) -> None:
    live = Live(tmp_path, None, "--no-worker").start()
    try:
        path = mbox_file(tmp_path / "list.mbox", range(6_000))
        command = [*COMMAND, "import", "mbox", str(path), "--stream", "mail", "--url", live.address]
        killed = 0
        for seconds in (0.8, 1.6, 2.4, 3.2, 4.0):
            importer = subprocess.Popen(command, env=live.environ, cwd=ROOT, stdout=subprocess.DEVNULL)
            try:
                importer.wait(seconds)
            except subprocess.TimeoutExpired:
                importer.kill()
                importer.wait()
                killed += 1
        assert killed >= 2
        done = subprocess.Popen(command, env=live.environ, cwd=ROOT, stdout=subprocess.DEVNULL)
        try:
            until(lambda: _accepted(live) == 6_000, 120, "the end of the import", 0.2)
        finally:
            done.kill()
            done.wait()
        rows = live.pages("/v1/streams/mail/documents")
        assert len(rows) == 6_000
        assert {row["id"] for row in rows} == {f"{number}@example.org" for number in range(6_000)}
        assert _accepted(live) == 6_000
    finally:
        live.close()


def _accepted(live: Live) -> int:
    answer = live.client.get("/v1/streams/mail/stats")
    return int(answer.json()["accepted"]) if answer.status_code == 200 else 0


def test_import_without_a_server_places_the_documents_itself(tmp_path: Path) -> None:
    live = Live(tmp_path)
    path = mbox_file(tmp_path / "R-Devel 2026.mbox", range(60))
    path.write_bytes(path.read_bytes() + in_mbox(b"nothing\n"))
    done = live.run("import", "mbox", str(path))
    assert done.returncode == 0, done.stderr
    assert (
        "R-Devel 2026.mbox is in stream r-devel-2026:\n  read        61, from 2026-03-02 to 2026-03-02" in done.stdout
    )
    assert "  new         60\n  duplicates  0\n  skipped     1\n    R-Devel 2026.mbox offset" in done.stdout
    assert done.stdout.endswith("threadline export threads --stream r-devel-2026\n")
    threads = live.run("export", "threads", "--stream", "r-devel-2026")
    assert threads.returncode == 0
    assert threads.stdout.count("\n") >= 2
    again = live.run("import", "mbox", str(path))
    assert "  read        0\n  new         0" in again.stdout


def test_follow_brings_what_comes_later(tmp_path: Path) -> None:
    live = Live(tmp_path).start()
    path = mbox_file(tmp_path / "list.mbox", range(5))
    os.utime(path, (time.time() - 60, time.time() - 60))
    command = [*COMMAND, "import", "mbox", str(path), "--url", live.address, "--follow"]
    importer = subprocess.Popen(command, env=live.environ, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:

        def count() -> int:
            answer = live.client.get("/v1/streams/list/stats")
            return int(answer.json()["accepted"]) if answer.status_code == 200 else 0

        until(lambda: count() == 5, 120, "the first import")
        with path.open("ab") as file:
            file.write(in_mbox(message(5)))
        until(lambda: count() == 6, 60, "the new mail")
        settings = live.client.get("/v1/streams/list").json()["settings"]
        assert settings["text"]["format"] == "mail"
    finally:
        importer.kill()
        importer.communicate()
        live.close()
