"""Pages: complete whatever the order, filters that take no character for a wildcard."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from service.store import assignments, documents, events, histories, streams, tasks, threads
from service.store.assignments import Move
from service.store.database import Database
from service.store.events import NewEvent
from service.store.threads import Filter
from tests.rows import DAY, T0, handle, new_document, new_stream, new_thread, post


def _all_pages(page: Callable[[Any], Sequence[Any]], place: Callable[[Any], Any]) -> list[Any]:
    seen: list[Any] = []
    while rows := page(place(seen[-1]) if seen else None):
        seen += rows
    return seen


@pytest.mark.parametrize("newest_first", [False, True])
def test_documents_of_equal_times(database: Database, newest_first: bool) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document(f"d{number}", time=T0 + number % 3) for number in range(50)])
    with database.read() as connection:
        seen = _all_pages(
            lambda after: documents.list_page(connection, stream.id, limit=7, after=after, newest_first=newest_first),
            lambda row: (row.time, row.seq),
        )
    places = [(row.time, row.seq) for row in seen]
    assert len(set(places)) == 50
    assert places == sorted(places, reverse=newest_first)


def test_documents_by_state_thread_and_time(database: Database) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document(f"d{number}", time=T0 + number) for number in range(4)])
    handle(database, stream)
    post(database, stream, [new_document("late", time=T0)])

    def ids(**chosen: Any) -> list[str]:
        with database.read() as connection:
            return [row.id for row in documents.list_page(connection, stream.id, limit=100, **chosen)]

    assert ids() == ["d0", "late", "d1", "d2", "d3"]
    assert ids(state="pending") == ["late"]
    assert ids(state="provisional") == ids(thread=1) == ["d0", "d1", "d2", "d3"]
    assert ids(state="settled") == ids(thread=2) == []
    assert ids(thread=1, state="provisional", time_from=T0 + 1, time_to=T0 + 3) == ["d1", "d2"]
    assert ids(time_from=T0, time_to=T0 + 1) == ["d0", "late"]
    assert ids(thread=1, after=(T0 + 1, 2)) == ["d2", "d3"]
    assert ids(thread=1, newest_first=True) == ["d3", "d2", "d1", "d0"]
    with database.read() as connection:
        assert [row.id for row in documents.by_seqs(connection, stream.id, [5, 1, 99])] == ["d0", "late"]
        assert documents.get(connection, stream.id, "d9") is None


def test_titles(database: Database) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document("a", title="A"), new_document("b"), new_document("c", title="C")])
    with database.read() as connection:
        assert documents.titles(connection, stream.id, [1, 2, 3, 4]) == {1: "A", 3: "C"}
        assert documents.titles(connection, stream.id, []) == {}


@pytest.mark.parametrize("sort", ["strength", "-strength", "born_at", "-last_at", "-size"])
def test_threads_of_equal_worth(database: Database, sort: str) -> None:
    stream = new_stream(database)
    with database.write() as connection:
        rows = [new_thread(number, size=number % 3, born_at=T0 + number % 4) for number in range(40)]
        threads.upsert_rows(connection, stream.id, rows)
    column = sort.removeprefix("-")
    with database.read() as connection:
        seen = _all_pages(
            lambda after: threads.list_page(connection, stream.id, Filter(), sort=sort, limit=7, after=after),
            lambda row: (getattr(row, column), row.thread),
        )
    places = [(getattr(row, column), row.thread) for row in seen]
    assert len(set(places)) == 40
    assert places == sorted(places, reverse=sort.startswith("-"))


LABELS = ["100% off", "100 off", "a_b", "axb", "back\\slash", "ÄRGER in Łódź", "straße", "'; DROP TABLE threads; --"]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("100%", ["100% off"]),
        ("%", ["100% off"]),
        ("a_b", ["a_b"]),
        ("\\", ["back\\slash"]),
        ("/", []),
        ("ärger", ["ÄRGER in Łódź"]),
        ("ŁÓDŹ", ["ÄRGER in Łódź"]),
        ("STRASSE", ["straße"]),
        ("'; drop", ["'; DROP TABLE threads; --"]),
        ("a title", LABELS),
        ("", LABELS),
    ],
)
def test_search_takes_every_character_for_itself(database: Database, search: str, found: list[str]) -> None:
    stream = new_stream(database)
    with database.write() as connection:
        rows = [new_thread(number, 1, label, ["A title"]) for number, label in enumerate(LABELS)]
        threads.upsert_rows(connection, stream.id, rows)
    with database.read() as connection:
        page = threads.list_page(connection, stream.id, Filter(search=search), sort="born_at", limit=100)
    assert [row.label for row in page] == found


def test_thread_filters_and_lineage(database: Database) -> None:
    stream = new_stream(database)
    dead = new_thread(1, 3)._replace(state="dead", died_at=T0 + DAY)
    merged = new_thread(2, 0, born_at=T0 + DAY)._replace(state="merged", merged_into=3)
    split = new_thread(3, 9, born_at=T0 + 2 * DAY)._replace(split_from=1)
    with database.write() as connection:
        threads.upsert_rows(connection, stream.id, [dead, merged, split._replace(size=1)])
        threads.upsert_rows(connection, stream.id, [split])

    def numbers(**chosen: Any) -> list[int]:
        with database.read() as connection:
            page = threads.list_page(connection, stream.id, Filter(**chosen), sort="born_at", limit=9)
            spans = histories.lifespans(connection, stream.id, Filter(**chosen), 9)
            assert spans == histories.all_lifespans(connection, stream.id, Filter(**chosen))
        assert [span.thread for span in spans] == [row.thread for row in page]
        return [row.thread for row in page]

    assert numbers() == [1, 2, 3]
    assert numbers(states=["dead", "merged"]) == [1, 2]
    assert numbers(states=[]) == []
    assert numbers(time_from=T0 + 1) == [2, 3]
    assert numbers(time_to=T0 + DAY) == [1]
    assert numbers(least_size=3) == [1, 3]
    with database.read() as connection:
        assert threads.lineage(connection, stream.id, 3) == ([1, 2], [])
        assert threads.lineage(connection, stream.id, 1) == ([], [3])
        assert threads.lineage(connection, stream.id, 2) == ([], [3])
        assert threads.get(connection, stream.id, 3) == split
        assert threads.get(connection, stream.id, 4) is None
        assert {row.thread for row in threads.by_numbers(connection, stream.id, [1, 2, 7])} == {1, 2}
        assert [row.thread for row in histories.lifespans(connection, stream.id, Filter(), 1, after=1)] == [2]


def test_a_thread_over_time(database: Database) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document(None, f"word{day}", T0 + day * DAY) for day in (0, 0, 1, 3)])
    handle(database, stream)
    with database.read() as connection:
        buckets = histories.documents_per_bucket(connection, stream.id, 1, T0, T0 + 3 * DAY, DAY)
        assert buckets == [(T0, 2), (T0 + DAY, 1)]
        assert histories.times_of(connection, stream.id, 1) == [T0, T0, T0 + DAY, T0 + 3 * DAY]
        assert histories.words_between(connection, stream.id, 1, T0 + DAY, T0 + 2 * DAY) == [(3, '{"word1": 1}')]


def test_assignments_move_and_settle(database: Database) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document(f"d{number}", time=T0 + number) for number in range(4)])
    handle(database, stream)
    with database.write() as connection:
        assignments.move(connection, stream.id, [Move(2, 7, 0.5, 9, None), Move(4, 8, 0.5, 9, "{}")])
        assert assignments.settle_before(connection, stream.id, T0 + 2) == 2
    with database.read() as connection:
        page = assignments.list_page(connection, stream.id, 10, changed_since=1)
        assert [(row.id, row.thread, row.state) for row in page] == [("d1", 7, "settled"), ("d3", 8, "provisional")]
        assert [row.seq for row in assignments.list_page(connection, stream.id, 1, after_seq=1)] == [2]
        assert assignments.get(connection, stream.id, 2) == page[0]
        assert assignments.get(connection, stream.id, 9) is None
        assert [row.seq for row in assignments.labelled(connection, stream.id)] == [1, 2, 3, 4]
        assert [row.seq for row in assignments.labelled(connection, stream.id, [7])] == [2, 3, 4]
        assert [row.seq for row in assignments.labelled(connection, stream.id, [])] == [3, 4]


def test_events_after_a_number(database: Database) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document("a")])
    born, moved = NewEvent("thread.born", T0, T0, 1, None, None, 1), NewEvent("document.moved", T0, T0, 2, 1, 1, 1)
    with database.write() as connection:
        assert events.append(connection, stream.id, 1, [born, moved, born]) == 4
        assert events.append(connection, stream.id, 4, []) == 4
    with database.read() as connection:
        assert [row.seq for row in events.after(connection, stream.id, 0, 2)] == [1, 2]
        assert [row.document_id for row in events.after(connection, stream.id, 0, 9)] == [None, "a", None]
        assert [row.seq for row in events.after(connection, stream.id, 1, 9, ["thread.born"])] == [3]


def test_pages_of_streams_and_tasks(database: Database) -> None:
    names = ["a", "a-b", "a_b", "ab", "b"]
    made = [new_stream(database, name) for name in names]
    with database.write() as connection:
        started = [tasks.enqueue(connection, "erasure", stream.id, {"documents": 1}) for stream in made]
        tasks.start(connection, started[0])
        tasks.fail(connection, started[0], "no")
    with database.read() as connection:
        seen = _all_pages(lambda after: streams.list_page(connection, 2, after), lambda row: row.name)
        assert sorted(row.name for row in seen) == names
        assert streams.count(connection) == 5
        page = _all_pages(lambda after: tasks.list_page(connection, 2, after), lambda row: (row.enqueued_at, row.id))
        assert [row.id for row in page] == started[::-1]
        assert [row.id for row in tasks.list_page(connection, 9, status="failed", kind="erasure")] == started[:1]
        assert tasks.list_page(connection, 9, stream_id=made[1].id)[0].details == {"documents": 1}
