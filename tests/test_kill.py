"""kill -9 of the API, of the worker and of both, at random moments under live ingest."""

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.ledger import Ledger
from tests.live import QUIET, Live

SEED = 20_260_302


@pytest.mark.timeout(1_800)  # dozens of processes are started, and the machine may be crowded
def test_nothing_is_lost_or_doubled_by_kills(
    tmp_path: Path, database_url: str | None, request: pytest.FixtureRequest
) -> None:
    rounds = request.config.getoption("--kill-rounds")
    print(f"seed {SEED}, {rounds} rounds")  # noqa: T201
    live = Live(tmp_path, database_url, log_level="warning", snapshot_interval_s=1, rest_after_s=0.5)
    ledger = Ledger(SEED)
    try:
        ledger.start(live.start().address)
        _wait_for_progress(live, QUIET)  # kernels that are not compiled yet would never be, killed again and again
        draw = random.Random(SEED)  # noqa: S311
        for _ in range(rounds):
            _one_round(live, ledger, draw)
        ledger.stop()
        live.wait_quiet()
        _check(live, ledger)
        assert live.stop() == 0
    finally:
        ledger.stop()
        live.close()


def _one_round(live: Live, ledger: Ledger, draw: random.Random) -> None:
    if draw.random() < 0.6:  # die while the worker is busy, not while it starts
        _wait_for_progress(live)
    time.sleep(draw.uniform(0.0, 0.6))
    victim = draw.choice(["api", "worker", "both"])
    if victim != "api":
        live.kill_worker()
    if victim != "worker":
        live.kill()
        ledger.address = live.restart().address


def _wait_for_progress(live: Live, patience: float = 10.0) -> None:
    def handled() -> int:
        answer = live.client.get("/v1/streams/default/stats")
        stats = answer.json()
        return int(stats["accepted"] - stats["pending"]) if answer.status_code == 200 else 0

    before, deadline = handled(), time.monotonic() + patience
    while handled() == before and time.monotonic() < deadline:
        time.sleep(0.02)


def _check(live: Live, ledger: Ledger) -> None:
    documents = live.pages("/v1/streams/default/documents")
    stored = Counter(row["id"] for row in documents)
    assert len(ledger.acked) > 0
    assert not ledger.rejected
    assert not ledger.acked - stored.keys(), "acknowledged documents were lost"
    assert not stored.keys() - ledger.acked - ledger.unknown, "documents nobody sent"
    assert max(stored.values()) == 1, "documents were stored twice"
    assert all(row["state"] in ("provisional", "settled", "late") for row in documents)
    assigned = Counter(row["document_id"] for row in live.pages("/v1/streams/default/assignments"))
    assert assigned == stored, "not exactly one assignment each"
    sequence = [row["seq"] for row in live.pages("/v1/streams/default/events")]
    assert sequence == list(range(1, len(sequence) + 1)), "gaps or repeats in the event sequence"
    doctor = live.run("doctor", "--json")
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
