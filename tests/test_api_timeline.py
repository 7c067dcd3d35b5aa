"""What charts are made of: many threads over time, what was learned, neighbours, the newest events."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.store import learned, streams
from service.store.database import Database
from service.store.learned import HOUR, LearnedRow
from tests.api import Server, assert_problem, serving
from tests.story import START, tell

STREAM = "/v1/streams/default"


@pytest.fixture
def server(database: Database, database_url: str, tmp_path: Path) -> Iterator[Server]:
    tell(database)
    with serving(database, tmp_path, database_url) as running:
        yield running


def read(server: Server, path: str, **query: Any) -> dict[str, Any]:
    response = server.client.get(f"{STREAM}/{path}", params=query)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_the_timeline_counts_documents_in_shared_buckets(server: Server) -> None:
    made = read(server, "timeline", **{"from": "2026-03-02T12:00:00Z", "to": "2026-03-06T16:00:00Z", "buckets": 100})
    assert made["bucket_seconds"] == 3600
    assert made["half_life_seconds"] == 86_400
    assert made["total"] == 4
    told = {bar["id"]: (bar["buckets"], bar["documents"]) for bar in made["threads"]}
    assert told == {"thr_1": ([0, 5], [1, 1]), "thr_2": ([10, 90], [1, 1]), "thr_3": ([], []), "thr_4": ([], [])}
    by_id = {bar["id"]: bar for bar in made["threads"]}
    assert (by_id["thr_3"]["merged_into"], by_id["thr_2"]["split_from"]) == ("thr_1", "thr_1")
    assert by_id["thr_4"]["died_at"] == "2026-03-05T00:00:00.000000Z"


def test_the_timeline_spans_all_lives_unless_told_otherwise(server: Server) -> None:
    whole = read(server, "timeline", buckets=10)
    assert whole["from"] == "2026-03-02T12:00:00.000000Z"
    assert whole["to"] == "2026-03-06T16:00:00.000001Z"
    assert sum(sum(bar["documents"]) for bar in whole["threads"]) == 4
    assert [bar["id"] for bar in read(server, "timeline", limit=1, state="live")["threads"]] == ["thr_2"]
    assert read(server, "timeline", limit=1)["total"] == 4
    later: dict[str, Any] = {"from": "2026-03-05T12:00:00Z", "state": "live"}
    assert [bar["id"] for bar in read(server, "timeline", **later)["threads"]] == ["thr_2"]
    named = read(server, "timeline", ids="thr_1,thr_2,thr_99", **later)["threads"]
    assert {bar["id"] for bar in named} == {"thr_1", "thr_2"}
    assert read(server, "timeline", search="nothing like it")["threads"] == []


def test_a_span_that_is_none_is_refused(server: Server) -> None:
    path = f"{STREAM}/timeline"
    backwards = {"from": "2026-03-03T00:00:00Z", "to": "2026-03-02T00:00:00Z"}
    problem = assert_problem(server.client.get(path, params=backwards), 422)
    assert problem["errors"][0]["code"] == "empty_span"
    for query in ({"buckets": 0}, {"buckets": 501}, {"limit": 10_001}, {"ids": "thr_1,"}, {"ids": "mail-1"}):
        assert_problem(server.client.get(path, params=query), 422)


def test_threads_are_found_by_their_ids(server: Server) -> None:
    found = read(server, "threads", ids="thr_4,thr_1", sort="born_at")["data"]
    assert [thread["id"] for thread in found] == ["thr_1", "thr_4"]


def test_neighbours_are_threads_that_documents_might_belong_to(server: Server) -> None:
    made = read(server, "threads/thr_1/neighbours")
    assert made["documents"] == 2
    (other,) = made["data"]
    assert (other["thread_id"], other["documents"], other["shared_words"]) == ("thr_2", 2, [])
    assert other["probability"] == pytest.approx(0.08)
    assert read(server, "threads/thr_4/neighbours")["data"] == []
    assert_problem(server.client.get(f"{STREAM}/threads/thr_99/neighbours"), 404)


def test_a_live_thread_tells_how_long_it_is_expected_to_live(server: Server) -> None:
    listed = {row["thread_id"]: row["expected_remaining"] for row in read(server, "lifespans")["data"]}
    assert read(server, "threads/thr_2")["expected_remaining"] == listed["thr_2"] != []
    assert read(server, "threads/thr_4")["expected_remaining"] == []


def test_the_newest_events_come_first_when_asked_for(server: Server) -> None:
    def numbers(**query: Any) -> list[int]:
        return [event["seq"] for event in read(server, "events", **query)["data"]]

    assert numbers() == [1, 2, 3, 4, 5, 6, 7]
    assert numbers(order="newest") == [7, 6, 5, 4, 3, 2, 1]
    assert numbers(order="newest", type="thread") == [7, 5, 4, 3, 2, 1]
    assert numbers(order="newest", after=5) == [7, 6]
    assert numbers(to="2026-03-02T12:00:00Z") == []
    assert len(numbers(**{"from": "2026-03-02T12:00:00Z", "to": "2026-03-02T12:00:01Z"})) == 7
    page = read(server, "events", order="newest", limit=3)
    rest = read(server, "events", order="newest", limit=500, cursor=page["next_cursor"])
    assert [event["seq"] for event in page["data"] + rest["data"]] == [7, 6, 5, 4, 3, 2, 1]


def test_lifespans_have_a_distribution(server: Server) -> None:
    summary = read(server, "lifespans")["summary"]
    bins = summary["distribution"]
    assert sum(part["deaths"] for part in bins) == summary["deaths"] == 1
    assert sum(part["deaths"] + part["alive"] for part in bins) == summary["threads"] == 4
    assert all(a["to_seconds"] == pytest.approx(b["from_seconds"]) for a, b in itertools.pairwise(bins))
    assert read(server, "lifespans", search="shuttle")["summary"]["threads"] == 1
    assert read(server, "lifespans", search="none of them")["summary"]["distribution"] == []


def test_what_was_learned_is_told_hour_by_hour(server: Server, database: Database) -> None:
    assert read(server, "learned")["data"] == []
    with database.write() as connection:
        stream = streams.find(connection, "default")
        assert stream is not None
        for minute in range(0, 60 * 1_500, 30):
            row = LearnedRow(START + minute * HOUR // 60, 1.0 + minute, 5.0, None, 3, 4)
            learned.record(connection, stream.id, row)
    points = read(server, "learned", to="2026-03-02T14:00:00Z")["data"]
    assert [(point["at"], point["alpha"]) for point in points] == [
        ("2026-03-02T12:00:00.000000Z", 31.0),
        ("2026-03-02T13:00:00.000000Z", 91.0),
    ]
    assert (points[0]["half_life_seconds"], points[0]["strength"], points[0]["threads_live"]) == (5.0, None, 3)
    thinned = read(server, "learned")["data"]
    assert len(thinned) == 500
    assert thinned[-1]["alpha"] == 1.0 + 60 * 1_500 - 30
