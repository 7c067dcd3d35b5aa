"""Bulk ingest through the API against plain SQL inserts of the same rows."""

import hashlib
import json
import random
import time
from typing import Any

from sqlalchemy import insert

from service.store.database import Database
from service.store.tables import documents
from tests.live import Live

LINES = 5_000  # documents in a request
COMMIT = 500  # rows in a transaction of the plain inserts, as many as the API commits at once
WORDS = [f"word{number:05d}" for number in range(5_000)]
START = 1_767_225_600  # seconds since 1970


def make(number: int) -> dict[str, Any]:
    """A document of about 400 bytes: 40 words, most of them from one of 200 topics that come and go."""
    draw = random.Random(number)  # noqa: S311
    topic = (number // 2_000 + draw.randrange(20)) % 200
    words = [WORDS[topic * 20 + draw.randrange(20)] if draw.random() < 0.8 else draw.choice(WORDS) for _ in range(40)]
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START + number))
    return {"id": f"doc-{number}", "time": moment, "title": " ".join(words[:5]), "text": " ".join(words)}


def measure_bulk(live: Live, url: str, count: int) -> dict[str, float]:
    """Documents a second both ways, and their ratio; the plain inserts go first and last, and the mean counts."""
    made = [make(number) for number in range(count)]
    for name in ("plain", "bulk"):
        assert live.client.post("/v1/streams", json={"name": name}).status_code == 201
    stream_id = live.client.get("/v1/streams/plain").json()["id"]
    before = _insert(url, stream_id, made[: count // 2], 0)
    through = _post(live, made)
    after = _insert(url, stream_id, made[count // 2 :], count // 2)
    plain = count / (before + after)
    return {"plain_rows_per_s": plain, "bulk_documents_per_s": count / through, "ratio": count / through / plain}


def _insert(url: str, stream_id: str, made: list[dict[str, Any]], first: int) -> float:
    """Seconds that it takes to insert the rows, prepared before."""
    rows = [
        {
            "stream_id": stream_id,
            "seq": first + number + 1,
            "id": one["id"],
            "time": (START + first + number) * 1_000_000,
            "arrived_at": 0,
            "title": one["title"],
            "text": one["text"],
            "digest": hashlib.sha256(one["text"].encode()).digest(),
        }
        for number, one in enumerate(made)
    ]
    database = Database(url, pool=2)
    began = time.perf_counter()
    for start in range(0, len(rows), COMMIT):
        with database.write() as connection:
            connection.execute(insert(documents), rows[start : start + COMMIT])
    took = time.perf_counter() - began
    database.dispose()
    return took


def _post(live: Live, made: list[dict[str, Any]]) -> float:
    """Seconds that it takes to post them all, bodies prepared before."""
    bodies = ["\n".join(map(json.dumps, made[start : start + LINES])) for start in range(0, len(made), LINES)]
    headers = {"Content-Type": "application/x-ndjson"}
    began = time.perf_counter()
    for body in bodies:
        answer = live.client.post("/v1/streams/bulk/documents/bulk", content=body, headers=headers, timeout=300.0)
        assert answer.status_code == 202, answer.text[:2000]
    return time.perf_counter() - began
