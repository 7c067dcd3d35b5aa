"""Threads, assignments, events and lifespans of a stream as a worker left it."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.api.survival import Life, Survival
from service.store.database import Database
from tests.api import Server, assert_problem, serving
from tests.story import HALF_LIFE, tell

STREAM = "/v1/streams/default"


@pytest.fixture
def server(database: Database, database_url: str, tmp_path: Path) -> Iterator[Server]:
    tell(database)
    with serving(database, tmp_path, database_url) as running:
        yield running


def names(server: Server, **query: Any) -> list[str]:
    response = server.client.get(f"{STREAM}/threads", params=query)
    assert response.status_code == 200, response.text
    return [thread["id"] for thread in response.json()["data"]]


def test_threads_are_filtered_sorted_and_searched(server: Server) -> None:
    assert set(names(server)) == {"thr_1", "thr_2", "thr_3", "thr_4"}
    assert names(server, state="live") == ["thr_2", "thr_1"]
    assert names(server, state="live", sort="strength") == ["thr_1", "thr_2"]
    assert names(server, sort="born_at")[0] == "thr_1"
    assert names(server, state="live", sort="-last_at") == ["thr_2", "thr_1"]
    assert names(server, search="SHUTTLE") == ["thr_1"]
    assert names(server, search="100%_goal", state="live") == ["thr_2"]
    assert names(server, search="%") != names(server)
    assert names(server, search="' OR 1=1 --") == []
    assert names(server, to="2026-03-02T13:00:00Z") == ["thr_1"]
    assert "thr_1" not in names(server, **{"from": "2026-03-03T00:00:00Z"})
    assert names(server, least_size=2, state="dead") == []
    page = server.client.get(f"{STREAM}/threads?limit=3&sort=-size").json()
    rest = server.client.get(f"{STREAM}/threads", params={"limit": 3, "sort": "-size", "cursor": page["next_cursor"]})
    assert len({thread["id"] for thread in page["data"] + rest.json()["data"]}) == 4
    assert_problem(server.client.get(f"{STREAM}/threads?sort=label"), 422)
    assert_problem(server.client.get(f"{STREAM}/threads", params={"search": "a\0b"}), 422)


def test_a_thread_tells_its_life_and_lineage(server: Server) -> None:
    thread = server.client.get(f"{STREAM}/threads/thr_1").json()
    assert thread["label"] == "Shuttle landing"
    assert (thread["size"], thread["strength"], thread["state"]) == (2, 0.5, "live")
    assert thread["parents"] == ["thr_3"]
    assert thread["children"] == ["thr_2"]
    assert thread["representative"]["id"] == "mail-1"
    assert thread["as_of"] == "2026-03-06T16:00:00.000000Z"
    merged = server.client.get(f"{STREAM}/threads/thr_3").json()
    assert (merged["state"], merged["merged_into"], merged["children"]) == ("merged", "thr_1", ["thr_1"])
    assert_problem(server.client.get(f"{STREAM}/threads/thr_99"), 404)
    assert_problem(server.client.get(f"{STREAM}/threads/thr_x"), 422)
    documents = server.client.get(f"{STREAM}/threads/thr_2/documents?order=newest").json()["data"]
    assert [document["id"] for document in documents] == ["mail-4", "mail-3"]


def test_reads_of_what_did_not_change_are_free(server: Server) -> None:
    for path in ("threads", "threads/thr_1", "threads/thr_1/history", "timeline", "learned", "events", "lifespans", ""):
        url = f"{STREAM}/{path}".rstrip("/")
        first = server.client.get(url)
        again = server.client.get(url, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b""), path
        assert server.client.get(url, headers={"If-None-Match": '"other"'}).status_code == 200
    one = server.client.get(f"{STREAM}/threads?state=live").headers["etag"]
    assert one != server.client.get(f"{STREAM}/threads?state=dead").headers["etag"]


def test_a_thread_has_a_history(server: Server) -> None:
    history = server.client.get(f"{STREAM}/threads/thr_1/history?bucket=1h").json()
    assert history["bucket_seconds"] == 3600
    assert [bucket["documents"] for bucket in history["data"]] == [1, 0, 0, 0, 0, 1]
    assert history["data"][0]["top_words"] == ["shuttle", "landing"]
    rate = math.log(2) / HALF_LIFE
    assert history["data"][4]["strength"] == pytest.approx(math.exp(-rate * 5 * 3600))
    assert history["data"][0]["strength"] == pytest.approx(math.exp(-rate * 3600))
    wide = server.client.get(f"{STREAM}/threads/thr_2/history").json()["data"]
    assert sum(bucket["documents"] for bucket in wide) == 2
    assert len(wide) <= 51
    assert_problem(server.client.get(f"{STREAM}/threads/thr_2/history?bucket=1s"), 422, None)
    assert_problem(server.client.get(f"{STREAM}/threads/thr_2/history?bucket=wat"), 422)
    assert_problem(server.client.get(f"{STREAM}/threads/thr_2/history?bucket=0s"), 422)
    empty = server.client.get(f"{STREAM}/threads/thr_2/history?from=2026-03-03T00:00:00Z&to=2026-03-01T00:00:00Z")
    assert empty.json()["data"] == []


def test_assignments_say_which_thread_how_surely_and_why(server: Server) -> None:
    every = server.client.get(f"{STREAM}/assignments").json()["data"]
    assert [(one["document_id"], one["thread_id"]) for one in every] == [
        ("mail-1", "thr_1"),
        ("mail-2", "thr_1"),
        ("mail-3", "thr_2"),
        ("mail-4", "thr_2"),
    ]
    changed = server.client.get(f"{STREAM}/assignments?changed_since=2&thread=thr_2").json()["data"]
    assert [one["seq"] for one in changed] == [3, 4]
    one = server.client.get(f"{STREAM}/documents/mail-1/assignment").json()
    assert (one["probability"], one["provisional"], one["since_version"], one["model_version"]) == (0.9, True, 1, 3)
    assert one["alternatives"] == [
        {"thread_id": "thr_2", "probability": 0.08},
        {"thread_id": None, "probability": 0.02},
    ]
    why = server.client.get(f"{STREAM}/documents/mail-1/why").json()
    best = why["candidates"][0]
    assert best["score"] == pytest.approx(best["size_and_time"] + best["length"] + 5.0)
    assert best["words"][0] == {"word": "shuttle", "nats": 4.0}
    assert [candidate["thread_id"] for candidate in why["candidates"]] == ["thr_1", "thr_2", None]
    assert_problem(server.client.get(f"{STREAM}/documents/mail-5/why"), 409, "pending")
    assert_problem(server.client.get(f"{STREAM}/documents/none/assignment"), 404)


def test_events_are_listed_after_a_place(server: Server) -> None:
    every = server.client.get(f"{STREAM}/events").json()["data"]
    assert [event["seq"] for event in every] == [1, 2, 3, 4, 5, 6, 7]
    assert every[5]["document_id"] == "mail-3"
    assert every[3] | {"occurred_at": "", "recorded_at": ""} == {
        "id": "evt_4",
        "seq": 4,
        "type": "thread.merged",
        "occurred_at": "",
        "recorded_at": "",
        "thread_id": "thr_3",
        "other_thread_id": "thr_1",
        "document_id": None,
        "model_version": 2,
    }
    for after in ("evt_5", "5"):
        later = server.client.get(f"{STREAM}/events", params={"after": after}).json()["data"]
        assert [event["seq"] for event in later] == [6, 7]
    born = server.client.get(f"{STREAM}/events", params={"type": "thread.born", "limit": 2}).json()
    assert [event["seq"] for event in born["data"]] == [1, 3]
    more = server.client.get(
        f"{STREAM}/events", params={"type": "thread.born", "limit": 2, "cursor": born["next_cursor"]}
    )
    assert [event["seq"] for event in more.json()["data"]] == [5]
    assert_problem(server.client.get(f"{STREAM}/events?after=evt_-1"), 422)


def test_lifespans_and_what_they_say_together(server: Server) -> None:
    answer = server.client.get(f"{STREAM}/lifespans").json()
    lives = {life["thread_id"]: life for life in answer["data"]}
    first, second, dead = lives["thr_1"], lives["thr_2"], lives["thr_4"]
    assert (first["censored"], first["duration_seconds"]) == (True, 100 * 3600)
    assert (dead["censored"], dead["duration_seconds"], dead["expected_remaining"]) == (False, 50 * 3600, [])
    assert len(first["intervals"]) == 1
    assert [interval["documents"] for interval in second["intervals"]] == [1, 1]
    expected = math.log(1.5 / (0.01 * min(2.0, 1.0))) / (math.log(2) / HALF_LIFE)
    assert second["expected_remaining"] == [{"seconds": pytest.approx(expected), "method": "model"}]
    summary = answer["summary"]
    assert (summary["threads"], summary["deaths"], summary["method"]) == (4, 1, "kaplan_meier")
    wide = server.client.get(f"{STREAM}/lifespans?gap=10d&least_size=2").json()
    assert [len(life["intervals"]) for life in wide["data"]] == [1, 1]
    assert wide["summary"]["threads"] == 2
    page = server.client.get(f"{STREAM}/lifespans?limit=1").json()
    assert page["summary"] == summary
    assert page["has_more"]


def test_kaplan_meier_by_hand() -> None:
    lives = [Life(s, ended) for s, ended in [(1, True), (2, False), (3, True), (3, True), (4, False), (5, True)]]
    survival = Survival(lives)
    assert [(step.seconds, step.at_risk) for step in survival.steps] == [(1, 6), (3, 4), (5, 1)]
    shares = [step.survival for step in survival.steps]
    assert shares == pytest.approx([5 / 6, 5 / 6 * 2 / 4, 0.0])
    assert survival.median == 3
    assert survival.mean == pytest.approx(1 + 2 * 5 / 6 + 2 * 5 / 12)
    assert survival.remaining(3.0) == pytest.approx(2.0)
    assert survival.remaining(5.0) is None
    assert Survival([]).median is None
    assert Survival([Life(2, False)]).mean == 2
    assert len(Survival([Life(n, True) for n in range(900)]).curve(200)) == 200
