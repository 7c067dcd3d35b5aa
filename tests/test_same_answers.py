"""The same documents and seed through the real service give the same threads and events, whatever the database."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ledger import document
from tests.live import Live

DOCUMENTS = 400


@pytest.mark.timeout(1_800)  # dozens of processes are started, and the machine may be crowded
def test_both_databases_give_the_same_threads_and_events(tmp_path: Path, postgres_url: str) -> None:
    answers = [_answers(tmp_path / name, url, size) for name, url, size in (("s", None, 50), ("p", postgres_url, 7))]
    assert answers[0]["threads"]
    assert answers[0]["events"]
    assert answers[0] == answers[1]


def _answers(folder: Path, url: str | None, batch: int) -> dict[str, Any]:
    """Threads, assignments and events after all documents, posted in batches of another size each time."""
    folder.mkdir()
    live = Live(folder, url, rest_after_s=3600).start()
    try:
        documents = [document(number, seed=3) for number in range(DOCUMENTS)]
        for start in range(0, DOCUMENTS, batch):
            answer = live.client.post(
                "/v1/streams/default/documents", json={"documents": documents[start : start + batch]}
            )
            assert answer.status_code == 202, answer.text
        live.wait_quiet()
        return {
            "threads": [_drop(row, "version") for row in _export(live, "threads")],
            "events": [_drop(row, "recorded_at", "model_version") for row in _export(live, "events")],
            "documents": [_drop(row, "arrived_at") for row in _export(live, "documents")],
        }
    finally:
        live.close()


def _export(live: Live, what: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in live.run("export", what).stdout.splitlines()]


def _drop(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}
