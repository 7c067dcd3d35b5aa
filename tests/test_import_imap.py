"""A folder of an IMAP server: read once, followed with IDLE, left as it is."""

import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.importers.imap import Imap, account
from service.importers.items import Item, SourceError
from service.store.spool import Spool
from tests.imap_server import PASSWORD, Server
from tests.importing import clock, items_of, message
from tests.live import COMMAND, ROOT, Live, until


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    with Spool(tmp_path / "spool.db") as opened:
        yield opened


def read(source: Imap, spool: Spool) -> list[str]:
    items: list[Item] = []
    for item in source.items(spool):
        items.append(item)
        spool.put([], [], [], position=item.position)
    return [item.found.id for item in items if item.found]


def ids(*numbers: int) -> list[str]:
    return [f"{number}@example.org" for number in numbers]


def test_a_folder_is_read_once_and_left_as_it_is(server: Server, spool: Spool) -> None:
    for number in range(40):
        server.mailbox.add(message(number))
    server.mailbox.add(b"nothing")
    source = Imap(server.url, PASSWORD, clock)
    items = list(source.items(spool))
    assert [item.found.id for item in items if item.found] == ids(*range(40))
    assert (items[40].found, items[40].place) == (None, "INBOX of ann@example.org message 41")
    assert read(source, spool)[-1:] == ids(39)
    assert read(source, spool) == []
    server.mailbox.add(message(41))
    assert read(source, spool) == ids(41)
    names = {command.partition(" ")[0] for command in server.mailbox.commands}
    assert names <= {"CAPABILITY", "LOGIN", "EXAMINE", "SEARCH", "FETCH"}
    assert all("BODY.PEEK[]" in command for command in server.mailbox.commands if command.startswith("FETCH"))
    source._close()


def test_a_folder_that_was_numbered_anew_is_read_again(server: Server, spool: Spool) -> None:
    server.mailbox.add(message(1))
    first = Imap(server.url, PASSWORD, clock)
    assert read(first, spool) == ids(1)
    first._close()
    server.mailbox.validity = 8
    second = Imap(server.url, PASSWORD, clock)
    assert read(second, spool) == ids(1)
    second._close()


def test_idle_wakes_when_a_message_comes(server: Server, spool: Spool) -> None:
    server.mailbox.add(message(1))
    source = Imap(server.url, PASSWORD, clock, follow=True)
    assert read(source, spool) == ids(1)
    threading.Timer(0.5, server.mailbox.add, [message(2)]).start()
    begin = time.monotonic()
    source.wait()
    assert time.monotonic() - begin < 30
    assert read(source, spool) == ids(2)
    source._close()


def test_a_lost_connection_is_made_again(server: Server, spool: Spool) -> None:
    server.mailbox.add(message(1))
    source = Imap(server.url, PASSWORD, clock, follow=True)
    assert read(source, spool) == ids(1)
    assert source._client
    source._client.socket().shutdown(socket.SHUT_RDWR)
    server.mailbox.add(message(2))
    found: list[str] = []
    while not found:
        source.wait()
        found = read(source, spool)
    assert found == ids(2)
    source._close()


def test_what_is_wrong_is_told(server: Server) -> None:
    with pytest.raises(SourceError, match="refuses user and password"):
        items_of(Imap(server.url, "guess", clock))
    with pytest.raises(SourceError, match="no such folder"):
        items_of(Imap(server.url.replace("INBOX", "Nothing"), PASSWORD, clock))
    with pytest.raises(SourceError, match="cannot be read"):
        items_of(Imap("imap://ann@127.0.0.1:1/INBOX", PASSWORD, clock))
    for url in ("http://x@y/z", "imaps://host/INBOX", "imaps://ann@host:port/"):
        with pytest.raises(SourceError, match="pass a URL such as"):
            account(url)
    with pytest.raises(SourceError, match="THREADLINE_IMAP_PASSWORD"):
        account("imaps://ann:secret@host/INBOX")
    assert account("imaps://ann@mail.example.org") == ("mail.example.org", 993, "ann", "INBOX", True)


def test_the_command_follows_a_folder(server: Server, tmp_path: Path) -> None:
    live = Live(tmp_path, None, "--no-worker").start()
    server.mailbox.add(message(1))
    live.environ["THREADLINE_IMAP_PASSWORD"] = PASSWORD
    command = [*COMMAND, "import", "imap", server.url, "--stream", "mail", "--url", live.address, "--follow"]
    live.client.post("/v1/streams", json={"name": "mail", "settings": {}})
    importer = subprocess.Popen(command, env=live.environ, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:

        def count() -> int:
            return int(live.client.get("/v1/streams/mail/stats").json()["accepted"])

        until(lambda: count() == 1, 60, "the first mail")
        server.mailbox.add(message(2))
        until(lambda: count() == 2, 60, "the second mail")
    finally:
        importer.kill()
        importer.wait()
        live.close()
