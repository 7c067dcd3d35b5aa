"""Ids, moments and durations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service import durations, ids, times

HOUR = 3_600_000_000


def test_ids_sort_in_the_order_they_were_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [ids.new_id("str") for _ in range(2_000)]
    monkeypatch.setattr("time.time_ns", lambda: 0)  # the clock is set back
    made += [ids.new_id("str") for _ in range(10)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert all(len(one) == 30 and one.startswith("str_0") for one in made)


@pytest.mark.parametrize("text", ["thr_", "thr_01", "thr_-1", "thr_1 ", "thr_１", "1", "evt_1", "thr_" + "9" * 19])
def test_other_texts_are_no_thread_ids(text: str) -> None:
    assert ids.parse_thread_id(text) is None


def test_numbered_ids() -> None:
    assert ids.parse_thread_id(ids.thread_id(12)) == 12
    assert ids.parse_thread_id("thr_0") == 0
    assert ids.event_id(7) == "evt_7"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01t01:00:00.5+01:00", 500_000),
        ("1969-12-31T23:59:00-00:01", 0),
        ("2000-02-29T00:00:00.1234567z", 951_782_400_123_456),
        ("9999-12-31T23:59:59.999999Z", times.LAST),
    ],
)
def test_moments(text: str, moment: int) -> None:
    assert times.parse_moment(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-03-02",
        "2026-03-02T08:14:00",
        "2026-03-02 08:14:00Z",
        "2026-03-02T08:14Z",
        "2026-02-29T00:00:00Z",
        "2026-03-02T24:00:00Z",
        "2026-03-02T08:14:60Z",
        "2026-03-02T08:14:00+24:00",
        "2026-03-02T08:14:00+0100",
        "0001-01-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-23:59",
        "20000000000",
        "infinity",
        "２026-03-02T08:14:00Z",
        "2026-03-02T08:14:00Z\n",
    ],
)
def test_other_texts_are_no_moments(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(must|has)"):
        times.parse_moment(text)


@given(st.integers(0, times.LAST))
def test_moments_round_trip(moment: int) -> None:
    assert times.parse_moment(times.format_moment(moment)) == moment


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("3d", 72),
        ("12h", 12),
        ("1.5h", 1.5),
        ("90m", 1.5),
        ("PT36H", 36),
        ("P30D", 720),
        ("P1W", 168),
        ("P1DT1H30M", 25.5),
    ],
)
def test_durations(text: str, hours: float) -> None:
    assert durations.parse_duration(text) == hours * HOUR


@pytest.mark.parametrize(
    "text", ["", "P", "PT", "P1M", "P1Y", "-3d", "3 d", "3", "1e3h", "P1DT", "101000d", "nan", "٣d"]
)
def test_other_texts_are_no_durations(text: str) -> None:
    with pytest.raises(ValueError, match=r"^must"):
        durations.parse_duration(text)


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (72 * HOUR, "P3D"),
        (12 * HOUR, "PT12H"),
        (36 * HOUR, "P1DT12H"),
        (90_500_000, "PT1M30.5S"),
        (0, "PT0S"),
        (1, "PT0.000001S"),
    ],
)
def test_durations_are_shown_as_iso(length: int, text: str) -> None:
    assert durations.format_duration(length) == text


@given(st.integers(0, durations.LONGEST))
def test_durations_round_trip(length: int) -> None:
    assert durations.parse_duration(durations.format_duration(length)) == length
