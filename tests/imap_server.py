"""A small IMAP server on a real socket: one user, one folder, IDLE; enough of RFC 3501 and 2177 for a reader."""

import re
import socketserver
import threading

PASSWORD = "correct horse"  # noqa: S105
ARRIVED = '"02-Mar-2026 08:00:00 +0000"'


class Mailbox:
    """The folder: messages by uid, which rise; `changed` wakes those who wait."""

    def __init__(self) -> None:
        self.messages: dict[int, bytes] = {}
        self.validity = 7
        self.idle = True
        self.changed = threading.Condition()
        self.commands: list[str] = []

    def add(self, raw: bytes) -> None:
        with self.changed:
            self.messages[max(self.messages, default=0) + 1] = raw.replace(b"\n", b"\r\n")
            self.changed.notify_all()


class Handler(socketserver.StreamRequestHandler):
    """One connection."""

    server: "Server"

    def handle(self) -> None:
        self.say(f"* OK [CAPABILITY {self.capabilities}] ready")
        while line := self.rfile.readline().decode():
            tag, _, rest = line.strip().partition(" ")
            name, _, words = rest.partition(" ")
            if name.upper() == "UID":
                name, _, words = words.partition(" ")
            self.box.commands.append(f"{name.upper()} {words}")
            answer = getattr(self, f"do_{name.lower()}", None)
            ended = answer(tag, words) if answer else f"{tag} BAD unknown"
            self.say(ended or f"{tag} OK done")
            if name.upper() == "LOGOUT":
                return

    @property
    def box(self) -> Mailbox:
        return self.server.mailbox

    @property
    def capabilities(self) -> str:
        return "IMAP4rev1 IDLE" if self.box.idle else "IMAP4rev1"

    def say(self, line: str) -> None:
        self.wfile.write(line.encode() + b"\r\n")
        self.wfile.flush()

    def tell_count(self) -> None:
        """How many messages there are, which a server says again when it has changed since it last said so."""
        self.told = len(self.box.messages)
        self.say(f"* {self.told} EXISTS")

    def do_capability(self, _tag: str, _words: str) -> None:
        self.say(f"* CAPABILITY {self.capabilities}")

    def do_login(self, tag: str, words: str) -> str | None:
        return None if f'"{PASSWORD}"' in words else f"{tag} NO [AUTHENTICATIONFAILED] wrong"

    def do_examine(self, tag: str, words: str) -> str | None:
        if words.strip('"') != "INBOX":
            return f"{tag} NO no such folder"
        self.tell_count()
        self.say(f"* OK [UIDVALIDITY {self.box.validity}] valid")
        return f"{tag} OK [READ-ONLY] done"

    def do_search(self, _tag: str, words: str) -> None:
        found = re.search(r"(\d+):\*", words)
        first, last = int(found[1]) if found else 1, max(self.box.messages, default=0)
        uids = [uid for uid in self.box.messages if uid >= min(first, last)]  # n:* always includes the last one
        self.say(" ".join(["* SEARCH", *map(str, uids)]))

    def do_fetch(self, _tag: str, words: str) -> None:
        for number, (uid, raw) in enumerate(self.box.messages.items(), 1):
            if str(uid) in _uids(words.split()[0]):
                self.wfile.write(
                    f"* {number} FETCH (UID {uid} INTERNALDATE {ARRIVED} BODY[]<0> {{{len(raw)}}}\r\n".encode()
                )
                self.wfile.write(raw)
                self.say(")")

    def do_idle(self, _tag: str, _words: str) -> None:
        self.say("+ idling")
        stop = threading.Event()

        def announce() -> None:
            with self.box.changed:
                while not stop.is_set() and not self.box.changed.wait_for(
                    lambda: len(self.box.messages) > self.told, 0.1
                ):
                    pass
            if not stop.is_set():
                self.tell_count()

        thread = threading.Thread(target=announce)
        thread.start()
        self.rfile.readline()  # DONE
        stop.set()
        thread.join()

    def do_noop(self, _tag: str, _words: str) -> None:
        self.tell_count()

    def do_logout(self, _tag: str, _words: str) -> None:
        self.say("* BYE")


def _uids(words: str) -> set[str]:
    found: set[str] = set()
    for part in words.split(","):
        first, _, last = part.partition(":")
        found |= {str(uid) for uid in range(int(first), int(last or first) + 1)}
    return found


class Server(socketserver.ThreadingTCPServer):
    """Listens on a free port of this machine."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.mailbox = Mailbox()

    @property
    def url(self) -> str:
        return f"imap://ann%40example.org@127.0.0.1:{self.server_address[1]}/INBOX"
