"""threadline evaluate as a user runs it: figures side by side, with and without labels, of a file and of a stream."""

import json
from pathlib import Path

import pytest

from service.evaluate import from_file
from tests.live import Live
from tests.test_cli import INBOX, ROOT, threadline, write

MEASURES = {
    "variation_of_information", "nmi", "ari", "b_cubed_precision", "b_cubed_recall", "b_cubed_f1", "thread_ratio",
    "id_churn",
}  # fmt: skip


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The inbox with its true threads, but for one mail."""
    truth = json.loads((ROOT / "examples" / "inbox_truth.json").read_text())
    mails = [json.loads(line) for line in INBOX.read_text().splitlines()]
    lines = [json.dumps(mail | ({"label": truth[mail["id"]]} if n else {})) for n, mail in enumerate(mails)]
    return write(tmp_path_factory.mktemp("evaluate") / "inbox.jsonl", *lines)


def test_labels_bring_all_measures_of_several_models(labelled: str) -> None:
    options = ["evaluate", labelled, "--model", "tdpm", "--model", "crp", "--sweeps", "30", "--json"]
    done = threadline(*options)
    assert done.returncode == 0, done.stderr
    timed, timeless = json.loads(done.stdout)
    assert (timed["model"], timeless["model"], timed["held_out_documents"]) == ("tdpm", "crp", 32)
    assert timed.keys() >= MEASURES
    assert timed["b_cubed_f1"] > 0.8
    assert 0 <= timed["id_churn"] <= 1
    assert timed["held_out_per_document"] < timed["held_out_per_token"] < 0
    assert threadline(*options).stdout == done.stdout
    assert (from_file(Path(labelled)).truth == -1).sum() == 1  # type: ignore[union-attr]


def test_without_labels_there_is_held_out_likelihood_alone() -> None:
    done = threadline("evaluate", str(INBOX), "--sweeps", "9", "--held-out", "0.1")
    assert done.returncode == 0, done.stderr
    assert "held out per token" in done.stdout
    assert "nmi" not in done.stdout
    assert "160 documents, 16 of them held out" in done.stdout


def test_what_cannot_be_evaluated_is_told(tmp_path: Path) -> None:
    few = write(tmp_path / "few.jsonl", '{"id": "a", "time": 1, "text": "word"}')
    for words, sentence in (
        (["evaluate"], "name a file"),
        (["evaluate", few, "--stream", "default"], "name a file"),
        (["evaluate", few], "pass at least 10"),
        (["evaluate", str(INBOX), "--model", "magic"], "is not a model"),
        (["evaluate", str(tmp_path / "none")], "does not exist"),
    ):
        done = threadline(*words)
        assert done.returncode == 2
        assert sentence in done.stderr


def test_a_stream_is_evaluated(tmp_path: Path) -> None:
    service = Live(tmp_path).start()
    try:
        sent = {"Content-Type": "application/x-ndjson"}
        url = "/v1/streams/default/documents/bulk"
        assert service.client.post(url, content=INBOX.read_bytes(), headers=sent).status_code == 202
        service.wait_quiet()
        done = service.run("evaluate", "--stream", "default", "--sweeps", "9", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)[0]["documents"] == 160
        assert "no stream" in service.run("evaluate", "--stream", "other").stderr
    finally:
        service.close()
