"""mbox files: split in constant memory, with every message's place."""

import contextlib
import gzip
import io
import mailbox
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.importers.items import SourceError
from service.importers.mbox import Mbox, split
from tests.importing import clock, in_mbox, items_of, mbox_file, message
from tests.live import ROOT

SEPARATOR = b"From ann@example.org Mon Mar  2 08:00:00 2026\n"


def test_messages_and_their_offsets(tmp_path: Path) -> None:
    parts = [in_mbox(message(number)) for number in range(3)]
    path = tmp_path / "list.mbox"
    path.write_bytes(b"".join(parts))
    items = items_of(Mbox(path, clock))
    assert [item.found.id for item in items if item.found] == [f"{number}@example.org" for number in range(3)]
    assert [item.place for item in items] == [
        f"list.mbox offset {offset}" for offset in (0, len(parts[0]), len(parts[0]) + len(parts[1]))
    ]
    assert items[-1].position == path.stat().st_size


def test_the_library_agrees_on_what_the_messages_are(tmp_path: Path) -> None:
    path = mbox_file(tmp_path / "list.mbox", range(50))
    with contextlib.closing(mailbox.mbox(path)) as library:
        theirs = [bytes(part) for part in library]
    ours = [piece.raw for piece in split(io.BytesIO(path.read_bytes()), 0)]
    assert [one.rstrip(b"\n") for one in ours] == [one.rstrip(b"\n") for one in theirs]


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        (b"From ann@example.org Mon Mar  2 08:00:00 2026", True),
        (b"From ann at example.org  Mon Mar  2 08:00:00 2026", True),
        (b"From - Mon Mar 02 08:00:00 2026", True),
        (b"From 1234@xxx Mon Mar 02 08:00:00 +0000 2026", True),
        (b"From MAILER-DAEMON Mon Mar  2 08:00 2026", True),
        (b"From Monday on we meet at 9", False),
        (b"From here it is far", False),
        (b">From ann@example.org Mon Mar  2 08:00:00 2026", False),
    ],
)
def test_lines_that_begin_a_message(line: bytes, begins: bool) -> None:
    data = SEPARATOR + b"Subject: a\n\ntext\n\n" + line + b"\nSubject: b\n\ntext\n"
    assert len(list(split(io.BytesIO(data), 0))) == 1 + begins


@given(st.lists(st.sampled_from([b"From here", b">From here", b">>From here", b"", b"text", b"From: x"]), max_size=8))
@settings(max_examples=200)
def test_escaped_lines_come_back(lines: list[bytes]) -> None:
    raw = b"Subject: a\n\n" + b"\n".join(lines)
    escaped = b"\n".join(b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in raw.split(b"\n"))
    pieces = list(split(io.BytesIO(SEPARATOR + escaped + b"\n\n" + SEPARATOR + b"Subject: b\n\n"), 0))
    assert pieces[0].raw == raw + b"\n\n"


def test_broken_messages_are_told_with_their_offset(tmp_path: Path) -> None:
    bad = [SEPARATOR + b"no header here\n\nat all\n\n", in_mbox(message(5, minutes=60 * 24 * 365 * 20))]
    path = tmp_path / "list.mbox"
    path.write_bytes(in_mbox(message(1)) + bad[0] + in_mbox(message(2)) + bad[1].replace(b"2026\n", b"1926\n", 1))
    items = items_of(Mbox(path, clock))
    assert [item.found is None for item in items] == [False, True, False, True]
    assert items[1].place == f"list.mbox offset {len(in_mbox(message(1)))}"
    assert "headers" in str(items[1].problem)
    assert items[3].problem == "its dates lie in the future"


def test_the_separator_tells_the_time_if_nothing_else_does(tmp_path: Path) -> None:
    path = tmp_path / "list.mbox"
    path.write_bytes(SEPARATOR + b"From: ann@example.org\nSubject: undated\n\ntext\n")
    (item,) = items_of(Mbox(path, clock))
    assert item.found
    assert item.found.time == 1_772_438_400 * 1_000_000


def test_compressed_files_and_files_that_are_none(tmp_path: Path) -> None:
    plain = mbox_file(tmp_path / "list.mbox", range(5))
    packed = tmp_path / "list.mbox.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert [item.found for item in items_of(Mbox(packed, clock))] == [
        item.found for item in items_of(Mbox(plain, clock))
    ]
    packed.write_bytes(gzip.compress(plain.read_bytes())[:-9])
    with pytest.raises(SourceError, match="not whole"):
        items_of(Mbox(packed, clock))
    plain.write_bytes(b"Subject: one message\n\ntext\n")
    with pytest.raises(SourceError, match="import eml"):
        items_of(Mbox(plain, clock))
    with pytest.raises(SourceError, match="No such file"):
        Mbox(tmp_path / "missing", clock)
    plain.write_bytes(b"")
    assert items_of(Mbox(plain, clock)) == []


def test_a_message_that_is_being_written_waits(tmp_path: Path) -> None:
    path = mbox_file(tmp_path / "list.mbox", range(3))
    assert len(items_of(Mbox(path, clock, follow=True))) == 2
    os.utime(path, (time.time() - 60, time.time() - 60))
    assert len(items_of(Mbox(path, clock, follow=True))) == 3


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Ten times the mails, most of it one huge message and one endless line, in about the same memory."""
    program = """if True:
        import resource, sys
        from pathlib import Path
        from service.importers.mbox import Mbox
        from service.importers.run import Import
        from service.store.spool import Spool
        from tests.importing import Silent, clock
        class Nowhere:
            def limits(self): return {"text_characters": 100_000}
        with Spool(Path(sys.argv[2])) as spool:
            work = Import(Mbox(Path(sys.argv[1]), clock), spool, Nowhere(), "mail", Silent())
            work.read()
            print(work.counts.read, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    """

    def measured(size: int) -> tuple[int, int]:
        path, count, written = tmp_path / f"{size}.mbox", 0, 0
        with path.open("wb") as file:
            file.write(in_mbox(message(0) + b"attached " * 2_000_000))
            file.write(in_mbox(message(1) + b"x" * 18_000_000))
            while written < size << 20:
                count += 1
                written += file.write(in_mbox(message(count + 1, body="words of a long mail, line by line\n" * 200)))
        done = subprocess.run(
            [sys.executable, "-c", program, path, tmp_path / f"{size}.db"], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        read, mebibytes = map(int, done.stdout.split())
        assert read == count + 2
        return read, mebibytes

    (_, small), (_, large) = measured(4), measured(40)
    assert large < small + 16, f"{small} MiB for 4 MiB of mails, {large} MiB for 40"
