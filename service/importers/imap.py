"""A folder of an IMAP server; new messages are announced by the server (IDLE) and nothing in the folder is changed."""

import contextlib
import ssl
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError, LoginError

from service.text.mime import BrokenMail
from service.times import EPOCH, MICROSECOND

from .items import Clock, Format, Item, Memory, SourceError
from .mails import LARGEST, mail_document

BATCH = 16  # messages asked for at once
TIMEOUT = 60.0  # seconds
IDLE = 9 * 60  # seconds after which IDLE is begun anew, since servers and routers drop silent connections
POLL = 60.0  # seconds between two looks at a server without IDLE
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 300.0  # seconds before a lost connection is tried again
LOOPBACK = ("localhost", "127.0.0.1", "::1")
BODY = f"BODY.PEEK[]<0.{LARGEST}>"


class Account(NamedTuple):
    """Where the folder is. encrypted: from the first byte; otherwise STARTTLS, or nothing on this machine."""

    host: str
    port: int
    user: str
    folder: str
    encrypted: bool


def account(url: str) -> Account:
    """imaps://user@host/folder, taken apart. Raises SourceError."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("imap", "imaps") or not parts.hostname or not parts.username:
        raise SourceError("pass a URL such as imaps://anna%40example.org@mail.example.org/INBOX")
    if parts.password:
        raise SourceError("a password in a URL shows in lists of processes; set THREADLINE_IMAP_PASSWORD instead")
    encrypted = parts.scheme == "imaps"
    folder = unquote(parts.path.strip("/")) or "INBOX"
    return Account(parts.hostname, port or (993 if encrypted else 143), unquote(parts.username), folder, encrypted)


class Imap:
    """One folder of one account."""

    text_format: Format = "mail"
    copies = True

    def __init__(self, url: str, password: str, clock: Clock, *, follow: bool = False) -> None:
        self.account = account(url)
        self.name = f"imap:{self.account.user}@{self.account.host}:{self.account.port}/{self.account.folder}"
        self.title = f"{self.account.folder} of {self.account.user}"
        self.suggested = self.account.folder
        self.total: int | None = None
        self._password, self._clock, self._follow = password, clock, follow
        self._client: IMAPClient | None = None
        self._validity = 0
        self._pause = FIRST_PAUSE

    def items(self, memory: Memory) -> Iterator[Item]:
        """The messages that came since, in the order of arrival."""
        try:
            client = self._client or self._connect()
            validity, last = memory.fact("position") or (self._validity, 0)
            if validity != self._validity:  # the server has numbered its messages anew; known ones are recognised
                last = 0
            found = [uid for uid in sorted(client.search(["UID", f"{last + 1}:*"])) if uid > last]
            self.total = len(found)
            for start in range(0, len(found), BATCH):
                yield from self._batch(client, found[start : start + BATCH], start)
            self._pause = FIRST_PAUSE
        except LoginError as error:
            self._close()
            raise SourceError(f"{self.account.host} refuses user and password") from error
        except (IMAPClientError, OSError) as error:
            self._lost(error)

    def wait(self) -> None:
        """Until the server says that something has changed; after a lost connection, a while."""
        try:
            client = self._client
            if client is None:
                time.sleep(self._pause)
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
            elif client.has_capability("IDLE"):
                client.idle()
                client.idle_check(timeout=IDLE)
                client.idle_done()
            else:
                time.sleep(POLL)
                client.noop()
        except (IMAPClientError, OSError):
            self._close()

    def _connect(self) -> IMAPClient:
        where = self.account
        context = ssl.create_default_context()
        client = IMAPClient(where.host, where.port, ssl=where.encrypted, ssl_context=context, timeout=TIMEOUT)
        self._client = client
        if not where.encrypted and client.has_capability("STARTTLS"):
            client.starttls(context)
        elif not where.encrypted and where.host not in LOOPBACK:
            self._close()
            raise SourceError(f"{where.host} offers no encryption on port {where.port}; pass an imaps:// URL")
        client.login(where.user, self._password)
        folder = client.select_folder(where.folder, readonly=True)
        self._validity = int(folder[b"UIDVALIDITY"])
        return client

    def _batch(self, client: IMAPClient, uids: Sequence[int], before: int) -> Iterator[Item]:
        answers = client.fetch(uids, [BODY, "INTERNALDATE"])
        for done, uid in enumerate(uids, before + 1):
            if uid in answers:  # else it was deleted meanwhile
                yield self._item(uid, answers[uid], done)

    def _item(self, uid: int, answer: dict[bytes, Any], done: int) -> Item:
        raw = next((value for key, value in answer.items() if key.startswith(b"BODY[]")), None) or b""
        place, position = f"{self.title} message {uid}", [self._validity, uid]
        try:
            found = mail_document(raw, self._clock, _moment(answer.get(b"INTERNALDATE")))
        except BrokenMail as error:
            return Item(place, None, str(error), position=position, done=done)
        return Item(place, found, position=position, done=done)

    def _lost(self, error: Exception) -> None:
        """A connection that fails is told; one that is followed and has worked before is tried again."""
        self._close()
        if self._validity == 0 or not self._follow:
            raise SourceError(f"{self.account.host} cannot be read ({error}); run this again to go on") from error

    def _close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(IMAPClientError, OSError):
                client.shutdown()


def _moment(arrived: datetime | None) -> int | None:
    return None if arrived is None else (arrived.astimezone(UTC) - EPOCH) // MICROSECOND
