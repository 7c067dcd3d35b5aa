"""Exports in every shape, and mail there and back."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from service.commands.export_files import columns, write_mbox
from service.importers.mbox import Mbox
from tests.importing import clock, items_of, mbox_file
from tests.live import Live


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    service = Live(tmp_path_factory.mktemp("export"))
    path = mbox_file(service.folder / "list.mbox", range(40))
    made = service.run("import", "mbox", str(path), "--stream", "list")
    assert made.returncode == 0, made.stderr
    yield service
    service.close()


def exported(live: Live, what: str, *options: str) -> str:
    done = live.run("export", what, "--stream", "list", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("what", ["threads", "documents", "events", "lifespans"])
def test_all_shapes_say_the_same(live: Live, what: str) -> None:
    rows = [json.loads(line) for line in exported(live, what).splitlines()]
    assert rows
    assert all(row.keys() == columns(what).keys() for row in rows)
    sheet = list(csv.DictReader(io.StringIO(exported(live, what, "--format", "csv"))))
    path = live.folder / f"{what}.parquet"
    exported(live, what, "--format", "parquet", "--output", str(path))
    table: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    assert len(sheet) == len(table) == len(rows)
    for row, cells, typed in zip(rows, sheet, table, strict=True):
        for name, kind in columns(what).items():
            if kind == "time":
                told = typed[name] and typed[name].strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            else:
                told = json.loads(typed[name]) if kind == "json" and typed[name] else typed[name]
            assert told == row[name]
            assert bool(cells[name]) == (row[name] not in (None, ""))


def test_parquet_needs_a_file(live: Live) -> None:
    refused = live.run("export", "threads", "--stream", "list", "--format", "parquet")
    assert (refused.returncode, "name a file with --output" in refused.stderr) == (2, True)
    nowhere = live.run("export", "threads", "--stream", "list", "--output", str(live.folder / "no" / "x"))
    assert (nowhere.returncode, "cannot be written" in nowhere.stderr) == (2, True)
    assert live.run("export", "threads", "--stream", "none", "-o", str(live.folder / "none.jsonl")).returncode == 2
    assert not list(live.folder.glob("none*"))


def test_a_mailbox_comes_back_as_it_was_with_its_threads(live: Live) -> None:
    documents = {row["id"]: row for row in map(json.loads, exported(live, "documents").splitlines())}
    labels = {row["id"]: row["label"] for row in map(json.loads, exported(live, "threads").splitlines())}
    path = live.folder / "back.mbox"
    exported(live, "mbox", "--output", str(path))
    found = [item.found for item in items_of(Mbox(path, clock))]
    assert found == [item.found for item in items_of(Mbox(live.folder / "list.mbox", clock))]
    thread = next(iter(documents.values()))["thread_id"]
    assert f"X-Threadline-Thread: {thread}\nX-Threadline-Label: {labels[thread]}\n" in path.read_text()


def test_odd_documents_become_mails(tmp_path: Path) -> None:
    row = {
        "id": "7",
        "time": "2026-03-02T08:14:00.000000Z",
        "author": "Jürgen\r\nBcc: x@example.org",
        "title": "Größe\nX-Evil: 1 " + "lang " * 300,
        "text": "From here\n>From there\n\nFrom ann Mon Mar  2 08:14:00 2026\nend",
        "metadata": {"references": ["a@x", "b@x"], "in_reply_to": "b@x", "list_id": "l.x"},
        "thread_id": None,
        "probability": None,
        "label": None,
    }
    path = tmp_path / "x.mbox"
    with path.open("wb") as file:
        write_mbox(
            [row, row | {"id": "8", "text": None, "metadata": None, "author": None, "title": None}], file, "mbox"
        )
    first, second = (item.found for item in items_of(Mbox(path, clock)))
    assert first
    assert second
    assert (first.id, first.text, first.metadata and first.metadata["references"]) == ("7", row["text"], ["a@x", "b@x"])
    assert first.author == "Jürgen Bcc: x@example.org"
    assert first.title
    assert first.title.startswith("Größe X-Evil: 1 lang lang")
    assert (second.id, second.text, second.title) == ("8", "", None)
