"""A client that keeps its own account of what the service promised: acknowledged, unknown, rejected."""

import random
import threading
import time
from typing import Any

import httpx

TOPICS = [
    ["river", "flood", "bridge", "water", "rising", "levee", "sandbags", "downstream", "evacuate", "banks"],
    ["goal", "keeper", "penalty", "match", "crowd", "referee", "season", "trophy", "league", "striker"],
    ["invoice", "payment", "refund", "card", "checkout", "merchant", "declined", "receipt", "billing", "ledger"],
    ["firmware", "sensor", "probe", "gasket", "calibration", "voltage", "sample", "drift", "bench", "board"],
    ["lease", "yard", "canal", "crane", "lift", "tenant", "landlord", "survey", "deposit", "contract"],
]
MINUTE = 60.0


def document(number: int, seed: int = 0) -> dict[str, Any]:
    """The n-th document of a repeatable flow: a topic's words, a minute after the one before."""
    draw = random.Random(seed * 1_000_003 + number)  # noqa: S311
    topic = TOPICS[(number // 40 + draw.randrange(2)) % len(TOPICS)]
    moment = time.gmtime(1_767_225_600 + number * MINUTE)
    return {
        "id": f"doc-{number}",
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", moment),
        "title": f"{topic[0]} {topic[1]} {number}",
        "text": " ".join(draw.choices(topic, k=12)),
    }


class Ledger:
    """What the client knows of each document it ever sent."""

    def __init__(self, seed: int) -> None:
        self.acked: set[str] = set()
        self.unknown: set[str] = set()
        self.rejected: dict[str, str] = {}
        self.address = ""
        self._draw = random.Random(seed)  # noqa: S311
        self._seed = seed
        self._next = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self, address: str) -> "Ledger":
        """Begin to post batches, again and again."""
        self.address = address
        self._thread.start()
        return self

    def stop(self) -> None:
        """Finish the batch under way and stop."""
        self._stop.set()
        self._thread.join(timeout=60)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            size = self._draw.choice([1, 2, 8, 20])
            batch = [document(self._next + i, self._seed) for i in range(size)]
            self._next += size
            self._post_with_retries(batch, patience=self._draw.choice([0, 1, 1_000_000]))
            if self._draw.random() < 0.1:  # a retry of what was acknowledged long ago
                self._post([document(self._draw.randrange(self._next), self._seed)])
            time.sleep(0.01)

    def _post_with_retries(self, batch: list[dict[str, Any]], patience: int) -> None:
        """Retry until acknowledged, or until patience or the test ends; what is left is unknown."""
        ids = {d["id"] for d in batch}
        self.unknown |= ids
        while not self._post(batch):
            patience -= 1
            if patience < 0 or self._stop.is_set():
                return
            time.sleep(0.05)

    def _post(self, batch: list[dict[str, Any]]) -> bool:
        """Whether the service gave an answer that settles the fate of every document."""
        try:
            answer = httpx.post(f"{self.address}/v1/streams/default/documents", json={"documents": batch}, timeout=10.0)
        except httpx.HTTPError:
            return False
        if answer.status_code in (429, 500, 502, 503, 504, 507):
            assert answer.status_code != 500, answer.text
            return False
        if answer.status_code != 202:
            self.rejected |= {d["id"]: answer.text for d in batch}
            return True
        for item in answer.json()["items"]:
            if item["status"] in ("accepted", "duplicate"):
                self.acked.add(item["id"])
            else:
                self.rejected[item["id"]] = item["status"]
            self.unknown.discard(item["id"])
        return True
