"""Maildir folders and trees of .eml files: one message a file."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from service.text.mime import BrokenMail

from .items import Clock, Format, Item, Memory, SourceError
from .mails import LARGEST, mail_document

POLL = 2.0  # seconds between two looks for new files
MAILDIR = ("new", "cur")  # tmp holds what is being delivered
ENDINGS = (".eml", ".emlx", ".msg.txt", ".mime")


class MessageFiles:
    """Files that hold one message each; a file is read once, whatever flags its name gets later."""

    text_format: Format = "mail"
    copies = True

    def __init__(self, folder: Path, clock: Clock) -> None:
        if not folder.is_dir():
            raise SourceError(f"{folder} is not a folder; pass {self.wanted}")
        self.folder = folder.resolve()
        self.name = f"{type(self).__name__.lower()}:{self.folder}"
        self.title = self.suggested = self.folder.name or "mail"
        self.total: int | None = None
        self._clock = clock

    wanted = "a folder of messages"

    def files(self) -> Iterator[Path]:
        """The files that hold messages."""
        raise NotImplementedError

    def mark(self, file: Path) -> str:
        """What stays the same when a message that was read is moved or flagged."""
        raise NotImplementedError

    def items(self, memory: Memory) -> Iterator[Item]:
        """The messages in files that were not there before."""
        fresh = [file for file in self.files() if not memory.seen(self.mark(file))]
        self.total = len(fresh)
        for done, file in enumerate(sorted(fresh), 1):
            yield self._item(file, done)

    def wait(self) -> None:
        """Until it is worth looking again."""
        time.sleep(POLL)

    def _item(self, file: Path, done: int) -> Item:
        place, mark = f"{file.relative_to(self.folder)} offset 0", self.mark(file)
        try:
            with file.open("rb") as data:
                raw, arrived = data.read(LARGEST), int(os.fstat(data.fileno()).st_mtime * 1e6)
            if file.suffix == ".emlx":  # Apple Mail writes the length of the message before it
                raw = raw.partition(b"\n")[2]
            return Item(place, mail_document(raw, self._clock, self.arrival(arrived)), seen=mark, done=done)
        except OSError as error:
            return Item(place, None, f"cannot be read ({error.strerror})", done=done)
        except BrokenMail as error:
            return Item(place, None, str(error), seen=mark, done=done)

    def arrival(self, modified: int) -> int | None:
        """When a message came, told by its file's time of change."""
        return modified


class Maildir(MessageFiles):
    """A Maildir, with its subfolders."""

    wanted = "a Maildir, a folder that has the folders cur and new"

    def __init__(self, folder: Path, clock: Clock) -> None:
        super().__init__(folder, clock)
        if not any((self.folder / name).is_dir() for name in MAILDIR):
            raise SourceError(f"{folder} has no folder cur or new; pass {self.wanted}")

    def files(self) -> Iterator[Path]:
        """Delivered messages of the folder and of its subfolders (Maildir++)."""
        folders = [
            self.folder,
            *(child for child in self.folder.iterdir() if child.name.startswith(".") and child.is_dir()),
        ]
        for folder in folders:
            for name in MAILDIR:
                if (folder / name).is_dir():
                    yield from (file for file in (folder / name).iterdir() if file.is_file())

    def mark(self, file: Path) -> str:
        """The unique part of the name, before the flags; it stays when the message goes from new to cur."""
        return f"{file.parent.parent.name}/{file.name.partition(':')[0]}"


class Eml(MessageFiles):
    """A tree of folders with .eml files."""

    wanted = "a folder with .eml files"

    def files(self) -> Iterator[Path]:
        """All .eml files below the folder."""
        for folder, _, names in os.walk(self.folder):
            yield from (Path(folder, name) for name in names if name.lower().endswith(ENDINGS))

    def mark(self, file: Path) -> str:
        """Path and time of change: a file that was written again is read again."""
        return f"{file.relative_to(self.folder)} {file.stat().st_mtime_ns}"

    def arrival(self, modified: int) -> int | None:
        """A copied file's time says nothing of the message's."""
        return None
