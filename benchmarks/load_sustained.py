"""A fixed number of documents a second for a while, with the worker at work and readers reading."""

import threading
import time

import httpx
import numpy as np
import psutil

from benchmarks.load_bulk import make
from tests.live import Live

BATCH = 100
WARM_UP = 200  # documents that load the kernels before the clock starts
READS = (
    "/v1/streams/default/threads?limit=50",
    "/v1/streams/default/documents?limit=50",
    "/v1/streams/default/events?limit=50",
    "/v1/streams/default/assignments?limit=50",
    "/v1/streams/default",
)
PAUSE = 0.05  # seconds between reads


class Reader:
    """Reads in turn until stopped; keeps the milliseconds of each read and the lags it saw."""

    def __init__(self, address: str) -> None:
        self.milliseconds: list[float] = []
        self.lags: list[float] = []
        self.failures = 0
        self._address = address
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=part) for part in (self._read, self._watch)]

    def __enter__(self) -> "Reader":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _read(self) -> None:
        with httpx.Client(base_url=self._address, timeout=30.0) as client:
            number = 0
            while not self._stop.wait(PAUSE):
                began = time.perf_counter()
                answer = client.get(READS[number % len(READS)])
                self.milliseconds.append((time.perf_counter() - began) * 1e3)
                self.failures += answer.status_code != 200
                number += 1

    def _watch(self) -> None:
        with httpx.Client(base_url=self._address, timeout=30.0) as client:
            while not self._stop.wait(0.25):
                self.lags.append(float(client.get("/v1/streams/default/stats").json()["lag_seconds"] or 0.0))


def measure_sustained(live: Live, rate: int, seconds: int) -> dict[str, float]:
    """Post on schedule, whatever the answers take; percentiles of lag, reads and posts."""
    _send(live.client, 0, WARM_UP)
    live.wait_quiet()
    posts: list[float] = []
    errors, before = 0, _busy(live)
    with Reader(live.address) as reader:
        began = time.perf_counter()
        for number in range(rate * seconds // BATCH):
            _sleep_until(began + number * BATCH / rate)
            due = began + number * BATCH / rate
            errors += _send(live.client, WARM_UP + number * BATCH, BATCH) != 202
            posts.append((time.perf_counter() - due) * 1e3)  # from when it was due: a late start counts
        took = time.perf_counter() - began
    live.wait_quiet()
    behind = time.perf_counter() - began - took
    api, worker = (after - start for start, after in zip(before, _busy(live), strict=True))
    return {
        "documents_per_s": rate * seconds / took,
        "post_p50_ms": float(np.percentile(posts, 50)),
        "post_p99_ms": float(np.percentile(posts, 99)),
        "read_p50_ms": float(np.percentile(reader.milliseconds, 50)),
        "read_p99_ms": float(np.percentile(reader.milliseconds, 99)),
        "lag_p50_s": float(np.percentile(reader.lags, 50)),
        "lag_p99_s": float(np.percentile(reader.lags, 99)),
        "caught_up_after_s": behind,
        "api_cpu_ms_per_document": api * 1e3 / (rate * seconds),
        "worker_cpu_ms_per_document": worker * 1e3 / (rate * seconds),
        "errors": errors + reader.failures,
    }


def _busy(live: Live) -> tuple[float, float]:
    """Seconds of processor time that the API and the worker have used, which a crowded machine does not change."""
    processes = psutil.Process(live.pid), live.workers()[0]
    api, worker = (process.cpu_times() for process in processes)
    return api.user + api.system, worker.user + worker.system


def _send(client: httpx.Client, first: int, count: int) -> int:
    body = {"documents": [make(first + number) for number in range(count)]}
    return client.post("/v1/streams/default/documents", json=body, timeout=60.0).status_code


def _sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.perf_counter()))
