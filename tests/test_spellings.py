"""People read words, not stems, also from a process that has not read the texts itself."""

from pathlib import Path

from service.store import tasks, threads
from service.store.database import Database
from service.store.documents import NewDocument
from service.text.stems import SPELLINGS, stems
from service.worker.jobs import Runner
from tests.streams import HOUR, START, ingest, new_document, new_stream, work_off, worker_settings, working
from tests.test_jobs import enqueue

BRIDGE = "The bridge engineers were measuring cracked girders"
BAKERY = "Our bakery has opened: pastries, puddings, and cookies"
ODD = ("granite harbour", "lemon mustard", "iron quarry", "almond walnut")
STEMS = {"bridg", "engin", "measur", "girder", "bakeri", "pastri", "pud", "cooki"}
WORDS = {"bridge", "engineers", "measuring", "girders", "bakery", "pastries", "puddings", "cookies"}


def forget() -> None:
    """As a new process."""
    SPELLINGS.clear()
    stems.cache_clear()


def told(count: int) -> list[NewDocument]:
    return [new_document(f"d{n}", START + n * HOUR, f"{(BRIDGE, BAKERY)[n % 2]} {ODD[n % 4]}") for n in range(count)]


def test_threads_keep_their_spelling_after_a_restart(sqlite_url: str, tmp_path: Path) -> None:
    database = Database(sqlite_url)
    stream_id = new_stream(database)
    settings = worker_settings(tmp_path, sqlite_url)
    for documents in (told(8), [new_document("new", START + 9 * HOUR, "girders")]):
        forget()
        with working(settings, database) as worker:
            ingest(database, stream_id, documents)
            work_off(worker)
        with database.read() as connection:
            rows = threads.by_numbers(connection, stream_id, [0, 1, 2, 3])
        shown = {word for row in rows for word in row.top_words}
        assert len(shown & WORDS) >= 6
        assert shown & STEMS <= WORDS
    database.dispose()


def test_topics_are_spelled(sqlite_url: str, tmp_path: Path) -> None:
    database = Database(sqlite_url)
    stream_id = new_stream(database)
    settings = worker_settings(tmp_path, sqlite_url)
    with working(settings, database) as worker:
        ingest(database, stream_id, told(20))
        work_off(worker)
    forget()
    asked = {"topics": 2, "from": None, "to": None, "sweeps": 20, "chains": 1, "seed": 1}
    task_id = enqueue(database, stream_id, "topics", **asked)
    assert Runner(settings, database).run_one()
    with database.read() as connection:
        result = tasks.result(connection, task_id)
    shown = {row["word"] for topic in result["topics"] for row in topic["words"]}
    assert len(shown & WORDS) >= 6
    assert shown & STEMS <= WORDS
    database.dispose()
