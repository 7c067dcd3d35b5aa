"""migrate, keys, doctor and export on both databases, and what serve refuses."""

import csv
import io
import json
import re
import signal
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.commands.opening import network_file_system
from tests.ledger import document
from tests.live import COMMAND, ROOT, Live


@pytest.fixture
def live(tmp_path: Path, database_url: str | None) -> Iterator[Live]:
    service = Live(tmp_path, database_url)
    yield service
    service.close()


def test_keys_are_made_listed_and_revoked(live: Live) -> None:
    made = live.run("keys", "create", "laptop", "--scope", "read", "--expires", "90d")
    assert made.returncode == 0, made.stderr
    key, secret = re.search(r"^(key_\w+)  read\n(threadline_\S+)$", made.stdout, re.MULTILINE).groups()  # type: ignore[union-attr]
    listed = live.run("keys", "list").stdout
    assert key in listed
    assert "laptop" in listed
    assert secret not in listed
    assert live.run("keys", "revoke", key).stdout == f"{key} is revoked.\n"
    again = live.run("keys", "revoke", key)
    assert (again.returncode, "no active key" in again.stderr) == (2, True)


def test_a_key_opens_the_service_beyond_loopback(live: Live) -> None:
    refused = live.run("serve", "--host", "0.0.0.0")  # noqa: S104
    assert refused.returncode == 2
    assert "threadline keys create" in refused.stderr
    secret = live.run("keys", "create", "me").stdout.splitlines()[1]
    live.options = ("--host", "0.0.0.0")  # noqa: S104
    live.start()
    path = "/v1/streams/default/documents"
    assert live.client.post(path, json=document(1)).status_code == 401
    allowed = live.client.post(path, json=document(1), headers={"Authorization": f"Bearer {secret}"})
    assert allowed.status_code == 202, allowed.text


def test_export_writes_every_kind(live: Live) -> None:
    live.start()
    posted = [document(number) for number in range(30)]
    posted[0]["title"] = "=HYPERLINK(1)"
    assert live.client.post("/v1/streams/default/documents", json={"documents": posted}).status_code == 202
    live.wait_quiet()
    documents = [json.loads(line) for line in live.run("export", "documents").stdout.splitlines()]
    assert [row["id"] for row in documents] == [d["id"] for d in posted]
    assert [row["text"] for row in documents] == [d["text"] for d in posted]
    threads = [json.loads(line) for line in live.run("export", "threads").stdout.splitlines()]
    assert sum(row["size"] for row in threads) == len(posted)
    events = [json.loads(line) for line in live.run("export", "events").stdout.splitlines()]
    assert [row["seq"] for row in events] == list(range(1, len(events) + 1))
    lifespans = list(csv.DictReader(io.StringIO(live.run("export", "lifespans", "--format", "csv").stdout)))
    assert {row["thread_id"] for row in lifespans} == {row["id"] for row in threads}
    sheet = list(csv.DictReader(io.StringIO(live.run("export", "documents", "--format", "csv").stdout)))
    assert sheet[0]["title"] == "'=HYPERLINK(1)"
    missing = live.run("export", "threads", "--stream", "nothing")
    assert (missing.returncode, missing.stderr) == (2, "error: there is no stream nothing\n")


def test_doctor_finds_what_is_broken(tmp_path: Path) -> None:
    live = Live(tmp_path).start()
    try:
        posted = [document(number) for number in range(10)]
        live.client.post("/v1/streams/default/documents", json={"documents": posted})
        live.wait_quiet()
        assert live.stop() == 0
        healthy = live.run("doctor", "--json")
        assert (healthy.returncode, json.loads(healthy.stdout)) == (0, {"healthy": True, "findings": []})
        with sqlite3.connect(tmp_path / "data" / "threadline.db") as connection:
            connection.execute("UPDATE threads SET size = size + 1 WHERE thread = (SELECT min(thread) FROM threads)")
        sick = live.run("doctor")
        assert sick.returncode == 1
        assert "1 findings" in sick.stdout
    finally:
        live.close()


def test_commands_say_what_to_do_without_a_database(tmp_path: Path) -> None:
    live = Live(tmp_path)
    for words in (("doctor",), ("keys", "list"), ("export", "threads")):
        done = live.run(*words)
        assert (done.returncode, "run `threadline migrate`" in done.stderr) == (2, True), done.stderr
    unreachable = Live(tmp_path, "postgresql://nobody@127.0.0.1:1/nothing").run("migrate")
    assert unreachable.returncode == 2
    assert unreachable.stderr.startswith("error: the database does not answer")


def test_a_newer_database_is_left_alone(live: Live) -> None:
    assert live.run("migrate").returncode == 0
    _set_revision(live, "9999")
    for words in (("serve",), ("worker",), ("migrate",), ("doctor",)):
        done = live.run(*words)
        assert (done.returncode, "newer" in done.stderr) == (78, True), (words, done.stderr)


def _set_revision(live: Live, revision: str) -> None:
    from sqlalchemy import text

    from service.store.database import Database

    url = live.environ.get("THREADLINE_DATABASE_URL", f"sqlite:///{live.folder / 'data' / 'threadline.db'}")
    database = Database(url.replace("postgresql://", "postgresql+psycopg://"), pool=2)
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    database.dispose()


def test_the_data_folder_is_private_and_one_server_owns_it(tmp_path: Path) -> None:
    live = Live(tmp_path).start()
    try:
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "data" / "threadline.db").stat().st_mode) == 0o600
        second = live.run("serve")
        assert second.returncode == 2
        assert "another server uses" in second.stderr
        assert live.client.get("/readyz").status_code == 200
    finally:
        live.close()


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    first = Live(tmp_path / "one")
    (tmp_path / "one").mkdir()
    first.start()
    try:
        (tmp_path / "two").mkdir()
        second = Live(tmp_path / "two").run("serve", "--port", first.address.rpartition(":")[2])
        assert (second.returncode, "cannot listen on 127.0.0.1" in second.stderr) == (2, True), second.stderr
    finally:
        first.close()


def test_a_bad_setting_stops_every_command() -> None:
    done = subprocess.run(
        [*COMMAND, "serve"], env={"THREADLINE_PROT": "1"}, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "did you mean THREADLINE_PORT?" in done.stderr


def test_network_file_systems_are_recognised(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("/dev/sda / ext4 rw 0 0\nserver:/x /srv nfs4 rw 0 0\n/dev/sdb /srv/local xfs rw 0 0\n")
    assert network_file_system(Path("/home/me"), mounts) is None
    assert network_file_system(Path("/srv/threads"), mounts) == "nfs4"
    assert network_file_system(Path("/srv/local/threads"), mounts) is None
    assert network_file_system(Path("/srv"), tmp_path / "missing") is None


def test_interrupt_stops_as_well(tmp_path: Path) -> None:
    live = Live(tmp_path).start()
    assert live.stop(signal.SIGINT) in (0, 130)
