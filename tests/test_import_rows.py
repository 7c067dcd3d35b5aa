"""JSON lines and CSV: which field is which, and when that was."""

import gzip
import json
from pathlib import Path

import pytest

from service.importers.columns import Columns
from service.importers.dates import BadTime, Dates, NoOffset
from service.importers.items import Item, SourceError, fitting_id
from service.importers.jsonl import JsonLines
from service.importers.table import Table
from service.times import format_moment
from tests.importing import NoMemory, clock, items_of


def rows_of(path: Path, columns: Columns | None = None, dates: Dates | None = None) -> list[Item]:
    kind = Table if path.suffix == ".csv" else JsonLines
    return items_of(kind(path, columns or Columns(), dates or Dates(), clock))


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-03-02T08:14:00Z", "2026-03-02T08:14:00"),
        ("2026-03-02 09:14:00+01:00", "2026-03-02T08:14:00"),
        ("20260302T081400Z", "2026-03-02T08:14:00"),
        ("Mon, 2 Mar 2026 09:14:00 +0100", "2026-03-02T08:14:00"),
        (1_772_439_240, "2026-03-02T08:14:00"),
        ("1772439240", "2026-03-02T08:14:00"),
        (1_772_439_240.5, "2026-03-02T08:14:00.500"),
        ("1772439240500", "2026-03-02T08:14:00.500"),
        (1_772_439_240_500_000, "2026-03-02T08:14:00.500"),
        (1_772_439_240_500_000_000, "2026-03-02T08:14:00.500"),
    ],
)
def test_times_that_say_their_offset(written: object, moment: str) -> None:
    assert format_moment(Dates().moment(written)).startswith(moment)


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-03-02 08:14", "2026-03-02T07:14:00"),
        ("2026-03-02", "2026-03-01T23:00:00"),
        ("02.03.2026 08:14", "2026-03-02T07:14:00"),
        ("2 March 2026", "2026-03-01T23:00:00"),
        ("Mar 2, 2026", "2026-03-01T23:00:00"),
        ("2026/07/02 08:14:30", "2026-07-02T06:14:30"),
        ("Mon Mar  2 08:14:00 2026", "2026-03-02T07:14:00"),
    ],
)
def test_times_without_offset_are_of_the_zone_that_was_named(written: str, moment: str) -> None:
    assert format_moment(Dates(zone="Europe/Berlin").moment(written)).startswith(moment)
    with pytest.raises(NoOffset, match="pass --timezone"):
        Dates().moment(written)


def test_ambiguous_times_need_a_format() -> None:
    with pytest.raises(BadTime, match="--time-format"):
        Dates(zone="UTC").moment("02/03/2026")
    british = Dates("%d/%m/%Y", "UTC")
    assert format_moment(british.moment("02/03/2026")).startswith("2026-03-02")
    with pytest.raises(SourceError, match="Europe/Berlin"):
        Dates(zone="Mars/Olympus")


@pytest.mark.parametrize(
    "written", ["", None, True, "soon", "1960-01-01T00:00:00Z", "1e400", float("nan"), "9999-99-99", 1e300]
)
def test_what_is_no_time(written: object) -> None:
    with pytest.raises(BadTime):
        Dates(zone="UTC").moment(written)


def test_fields_are_told_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "tickets.csv"
    path.write_text(
        "Number;Created;Subject;Body;User\n7;2026-03-02T08:14:00Z;Broken;It is\nbroken;ann\n", encoding="utf-8"
    )
    path.write_text(
        'Number;Created;Subject;Body;User\n7;2026-03-02T08:14:00Z;Broken;"It is\nbroken";ann\n', encoding="utf-8"
    )
    (item,) = rows_of(path)
    assert item.found
    assert item.found[:5] == ("7", 1_772_439_240_000_000, "Broken", "ann", "It is\nbroken")
    assert item.place == "tickets.csv line 3"


def test_fields_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        json.dumps({"k": "x y", "meta": {"at": "2026-03-02T08:14:00Z"}, "said": "Hello", "metadata": {"a": 1}})
    )
    (item,) = rows_of(path, Columns(id="k", time="meta.at", text="said"))
    assert item.found
    assert (item.found.id, item.found.text, item.found.metadata) == (fitting_id("x y"), "Hello", {"a": 1})
    with pytest.raises(SourceError, match="no field nothing; the first row has k, meta, said"):
        rows_of(path, Columns(text="nothing"))
    with pytest.raises(SourceError, match=r"which field is the time\? Pass --time NAME"):
        rows_of(path)


def test_bad_rows_are_told_with_their_line(tmp_path: Path) -> None:
    good = {"id": 1, "time": "2026-03-02T08:14:00Z", "text": "Hello"}
    lines = [json.dumps(good), "{", "[]", "", json.dumps(good | {"text": 5}),
             json.dumps(good | {"time": "2030-01-01T00:00:00Z"}), "[" * 100_000,
             json.dumps(good | {"time": "soon"})]  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines))
    items = rows_of(path)
    assert [item.place.partition(" (")[0] for item in items] == [f"a.jsonl line {n}" for n in (1, 2, 3, 5, 6, 7, 8)]
    assert items[1].place == f"a.jsonl line 2 (offset {len(lines[0]) + 1})"
    problems = [item.problem for item in items]
    assert problems[:6] == [None, "is not JSON", "is not a JSON object", "has a text that is not a string",
                            "has a time in the future", "is not JSON"]  # fmt: skip
    assert "cannot be read; pass --time-format" in str(problems[6])


def test_rows_without_ids_get_one_from_their_content(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("date,text\n2026-03-02,Hello\n2026-03-02,Hello\n2026-03-03,Hello\n")
    found = [item.found.id for item in rows_of(path, dates=Dates(zone="UTC")) if item.found]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "cp1252"])
def test_charsets_of_tables(tmp_path: Path, charset: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("id,time,text\n1,2026-03-02T08:14:00Z,Grüße aus Köln\n".encode(charset))
    (item,) = rows_of(path)
    assert item.found
    assert item.found.text == "Grüße aus Köln"


def test_reading_goes_on_where_it_was(tmp_path: Path) -> None:
    class After(NoMemory):
        def __init__(self, position: object) -> None:
            self.position = position

        def fact(self, name: str, default: object = None) -> object:
            return self.position

    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"id": n, "time": 1_772_439_240 + n, "text": "x"}) + "\n" for n in range(5)))
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    table = tmp_path / "a.csv"
    table.write_text("id,time,text\n" + "".join(f"{n},{1_772_439_240 + n},x\n" for n in range(5)))
    for source in (
        JsonLines(path, Columns(), Dates(), clock),
        JsonLines(packed, Columns(), Dates(), clock),
        Table(table, Columns(), Dates(), clock),
    ):
        items = items_of(source)
        rest = list(source.items(After(items[2].position)))
        assert [item.found.id for item in rest if item.found] == ["3", "4"]
    with path.open("a") as file:
        file.write('{"id": "half')
    assert len(items_of(JsonLines(path, Columns(), Dates(), clock, follow=True))) == 5


def test_ids_are_made_to_fit() -> None:
    assert fitting_id("CA+x=y@mail.gmail.com") == "CA+x=y@mail.gmail.com"
    assert len({fitting_id(name) for name in ("a b", "a  b", "a_b", "é", "è", "x" * 300, "x" * 301, "")}) == 8
    assert all(len(fitting_id(name)) <= 200 and fitting_id(name).isascii() for name in ("é" * 300, " ", "x" * 300))
