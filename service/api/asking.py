"""Questions to the worker that holds a stream; this process runs no model."""

from typing import Any

import httpx

from service.errors import Absent, FieldError, Unready, invalid
from service.store import streams, workers
from service.store.streams import StreamRow
from service.store.workers import WorkerRow

from .context import Context
from .rows import found

TIMEOUT = httpx.Timeout(30.0, connect=2.0)
TRIES = 3
SECOND = 1_000_000


def ask(context: Context, stream: StreamRow, question: dict[str, Any]) -> dict[str, Any]:
    """The worker's answer; raises Unready when no worker can give one."""
    asked: set[str] = set()
    with httpx.Client(timeout=TIMEOUT, trust_env=False) as client:
        for _ in range(TRIES):
            worker = _worker(context, stream.id, asked)
            asked.add(worker.id)
            response = _post(client, worker, {"stream_id": stream.id, **question})
            if response is not None and response.status_code == 200:
                answer: dict[str, Any] = response.json()
                return answer
            if response is not None:
                _refuse(response)
    raise Unready("The worker is busy or loads the stream; ask again.", code="worker_busy", retry_after_s=2)


def _worker(context: Context, stream_id: str, asked: set[str]) -> WorkerRow:
    lease = round(context.settings.lease_seconds * SECOND)
    with context.database.read() as connection:
        row = found(streams.find(connection, stream_id))
        now = context.database.now(connection)
        alive = [worker for worker in workers.alive(connection, now - 2 * lease) if worker.id not in asked]
    if not alive:
        sentence = "No worker runs, or none can answer now; start one with `threadline worker`."
        raise Unready(sentence, code="no_worker", retry_after_s=5)
    holding = [worker for worker in alive if worker.address == row.lease_address and row.lease_expires_at > now]
    return (holding or alive)[0]


def _post(client: httpx.Client, worker: WorkerRow, question: dict[str, Any]) -> httpx.Response | None:
    try:
        headers = {"Authorization": f"Bearer {worker.token}"}
        return client.post(f"{worker.address}/ask", json=question, headers=headers)
    except httpx.HTTPError:
        return None


def _refuse(response: httpx.Response) -> None:
    if response.status_code == 404:
        raise Absent
    if response.status_code == 422:
        raise invalid([FieldError("#/documents", "not_predictable", "the model cannot take one of these documents")])
