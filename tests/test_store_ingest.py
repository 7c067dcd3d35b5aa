"""Documents in: numbered without gaps, never doubled, whoever sends them and how often."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from service.store import documents, streams
from service.store.database import Database
from service.store.doctor import examine
from service.store.problems import Backpressure, NotFound
from service.store.tables import documents as table
from tests.rows import PLENTY, T0, handle, new_document, new_stream, post, read_stream

WRITERS, BATCHES, BATCH = 8, 12, 10


def test_many_writers_at_once(database: Database) -> None:
    """Eight threads send overlapping batches, some twice: each document is stored once, numbers have no gap."""
    stream = new_stream(database)
    names = [f"d{number}" for number in range(300)]
    start = threading.Barrier(WRITERS)

    def write(writer: int) -> list[documents.Outcome]:
        chance = random.Random(writer)  # noqa: S311
        start.wait()
        outcomes = []
        for _ in range(BATCHES):
            batch = [new_document(name) for name in chance.choices(names, k=BATCH)]
            outcomes += post(database, stream, batch)
            outcomes += post(database, stream, batch)
        return outcomes

    with ThreadPoolExecutor(WRITERS) as pool:
        outcomes = [outcome for part in pool.map(write, range(WRITERS)) for outcome in part]
    accepted = [outcome for outcome in outcomes if outcome.status == "accepted"]
    assert {outcome.status for outcome in outcomes} == {"accepted", "duplicate"}
    assert sorted(outcome.seq or 0 for outcome in accepted) == list(range(1, len(accepted) + 1))
    assert len({outcome.id for outcome in accepted}) == len(accepted) == read_stream(database, stream).accepted
    with database.read() as connection:
        stored = {row.id: row.seq for row in connection.execute(select(table.c.id, table.c.seq))}
    assert stored == {outcome.id: outcome.seq for outcome in accepted}
    assert all(stored[outcome.id] == outcome.seq for outcome in outcomes)


def test_a_reader_sees_numbers_in_the_order_they_were_given(database: Database) -> None:
    """Whoever follows the sequence never passes one that is not committed yet."""
    stream = new_stream(database)
    stop = threading.Event()
    seen: list[int] = []

    def follow() -> None:
        cursor = 0
        while not stop.is_set() or cursor < read_stream(database, stream).accepted:
            with database.read() as connection:
                rows = documents.pending_after(connection, stream.id, cursor, PLENTY)
            seen.extend(row.seq for row in rows)
            cursor = seen[-1] if seen else 0

    with ThreadPoolExecutor(5) as pool:
        follower = pool.submit(follow)
        writers = [
            pool.submit(lambda: [post(database, stream, [new_document(None)] * 3) for _ in range(15)]) for _ in range(4)
        ]
        for writer in writers:
            writer.result()
        stop.set()
        follower.result()
    assert seen == list(range(1, 4 * 15 * 3 + 1))


def test_outcomes(database: Database) -> None:
    stream = new_stream(database)
    first, *_ = post(database, stream, [new_document("a"), new_document("b")])
    assert first == ("accepted", "a", 1, None)
    again = [
        new_document("a"),
        new_document("a", "other"),
        new_document("c"),
        new_document("c"),
        new_document("c", "x"),
    ]
    assert post(database, stream, again) == [
        ("duplicate", "a", 1, None),
        ("rejected", "a", 1, "id_conflict"),
        ("accepted", "c", 3, None),
        ("duplicate", "c", 3, None),
        ("rejected", "c", 3, "id_conflict"),
    ]
    assert post(database, stream, [new_document("a", "other")], "ignore") == [("duplicate", "a", 1, None)]
    assert read_stream(database, stream).accepted == 3


def test_documents_without_id_get_one_each(database: Database) -> None:
    outcomes = post(database, new_stream(database), [new_document(None), new_document(None)])
    assert [outcome.seq for outcome in outcomes] == [1, 2]
    assert len({outcome.id for outcome in outcomes}) == 2
    assert outcomes[0].id.startswith("doc_")


def test_replace_puts_the_new_document_under_the_old_id(database: Database) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document("a", "one")])
    outcomes = post(
        database, stream, [new_document("a", "two"), new_document("a", "three"), new_document("a", "three")], "replace"
    )
    assert [(outcome.status, outcome.seq) for outcome in outcomes] == [
        ("replaced", 2),
        ("replaced", 3),
        ("duplicate", 3),
    ]
    with database.read() as connection:
        found = documents.get(connection, stream.id, "a")
        assert len(documents.list_page(connection, stream.id, limit=10)) == 1
    assert found is not None
    assert (found.text, found.seq, found.state) == ("three", 3, "pending")
    assert read_stream(database, stream).pending_erasures == 2
    handle(database, stream)
    assert examine(database) == []


def test_back_pressure_stores_nothing(database: Database) -> None:
    stream = new_stream(database)
    post(database, stream, [new_document("a"), new_document("b")])
    with pytest.raises(Backpressure, match="limit is 3"), database.write() as connection:
        documents.ingest(connection, stream.id, [new_document("c"), new_document("d")], T0, pending_limit=3)
    assert read_stream(database, stream).pending == 2
    with database.write() as connection:
        outcomes = documents.ingest(connection, stream.id, [new_document("a")] * 9, T0, pending_limit=2)
    assert {outcome.status for outcome in outcomes} == {"duplicate"}


def test_no_documents_for_a_stream_that_is_gone(database: Database) -> None:
    stream = new_stream(database)
    with database.write() as connection:
        streams.mark_deleted(connection, stream.id)
    for stream_id in (stream.id, "str_unknown"):
        with pytest.raises(NotFound), database.write() as connection:
            documents.ingest(connection, stream_id, [new_document("a")], T0, pending_limit=9)


@pytest.mark.parametrize("size", [20_000])
def test_batches_beyond_the_limits_on_parameters(database: Database, size: int) -> None:
    stream = new_stream(database)
    batch = [new_document(f"d{number}") for number in range(size)]
    assert {outcome.status for outcome in post(database, stream, batch)} == {"accepted"}
    assert {outcome.status for outcome in post(database, stream, batch)} == {"duplicate"}


UNICODE = [
    "é vs é",
    "😀👩\u200d👩\u200d👧",
    "\u202eabc\u202c",
    "\ufeffbom",
    "a\u0300" * 500,
    "\U0010ffff",
    "ẞ ı İ ſ",
    "a\r\nb\tc\x01\x7f",
    "'\";--%_\\",
]


def test_any_text_comes_back_as_it_was(database: Database) -> None:
    stream = new_stream(database)
    new = [
        new_document(f"d{number}", text, title=text)._replace(
            author=text, metadata=f'{{"k": "{number} {text}"}}', vector=bytes(range(256))
        )
        for number, text in enumerate(UNICODE)
    ]
    post(database, stream, new)
    with database.read() as connection:
        for document in new:
            row = documents.get(connection, stream.id, document.id or "")
            assert row is not None
            assert _as_sent(row) == document


def _as_sent(row: documents.DocumentRow) -> documents.NewDocument:
    return documents.NewDocument(*(getattr(row, name) for name in documents.NewDocument._fields))
