"""Gauges and counters of all streams together, read from the database; no label names a stream."""

from collections.abc import Iterable, Sequence

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy import Connection

from service.store import chains, documents, streams
from service.store.streams import StreamRow

from .context import Context

PAGE = 500
SUMS = {  # metric -> sentence, where the worker's statistics have it
    "threadline_window_documents": ("Documents in the windows.", "window"),
    "threadline_vocabulary_terms": ("Words that the models tell apart.", "vocabulary"),
    "threadline_threads_live": ("Live threads.", "threads_live"),
    "threadline_quarantined_documents": ("Documents that no model could take.", "quarantined"),
}
COUNTERS = {  # these only rise, until a stream is deleted
    "threadline_late_documents_total": ("Documents that came too late to move anything.", "late"),
    "threadline_fenced_writes_total": ("Steps that another worker's lease refused.", "fenced"),
}


class Values(Collector):
    """Values that were just read, under their names."""

    def __init__(self) -> None:
        self._families: list[Metric] = []

    def gauge(self, name: str, sentence: str, value: float) -> None:
        """A value that rises and falls."""
        self._families.append(GaugeMetricFamily(name, sentence, value))

    def counter(self, name: str, sentence: str, value: float) -> None:
        """A value that only rises."""
        self._families.append(CounterMetricFamily(name, sentence, value))

    def collect(self) -> Iterable[Metric]:
        """All of them."""
        return self._families


def gauges(context: Context) -> CollectorRegistry:
    """A registry with the values of now."""
    with context.database.read() as connection:
        rows = _all(connection)
        waiting = [documents.pending_after(connection, row.id, row.cursor, 1) for row in rows if row.pending]
        stale = chains.stale_since(connection)
        now = context.database.now(connection)
    ages = [now - oldest[0].arrived_at for oldest in waiting if oldest]
    values = Values()
    values.gauge("threadline_streams", "Streams.", len(rows))
    values.gauge("threadline_ingest_lag_documents", "Documents that wait.", sum(row.pending for row in rows))
    values.gauge("threadline_ingest_lag_seconds", "Age of the oldest that waits.", max([0, *ages]) / 1e6)
    values.gauge("threadline_lease_epoch", "Highest lease epoch.", max((row.lease_epoch for row in rows), default=0))
    slowest = max((row.statistics.get("sweep_seconds") or 0.0 for row in rows), default=0.0)
    values.gauge("threadline_sweep_duration_seconds", "Longest of the last sweeps.", slowest)
    age = 0 if stale is None else max(0, now - stale) / 1e6
    values.gauge("threadline_snapshot_age_seconds", "Age of the oldest snapshot that its model has left behind.", age)
    for name, (sentence, key) in SUMS.items():
        values.gauge(name, sentence, sum(_statistic(row, key) for row in rows))
    for name, (sentence, key) in COUNTERS.items():
        values.counter(name, sentence, sum(_statistic(row, key) for row in rows))
    values.gauge("threadline_event_streams", "Open server-sent event connections.", context.event_streams)
    registry = CollectorRegistry()
    registry.register(values)
    return registry


def _all(connection: Connection) -> Sequence[StreamRow]:
    rows: list[StreamRow] = []
    while True:
        page = streams.list_page(connection, PAGE, rows[-1].name if rows else None)
        rows += page
        if len(page) < PAGE:
            return rows


def _statistic(row: StreamRow, key: str) -> float:
    value = row.statistics.get(key) or 0
    return float(value.get("documents", 0) if isinstance(value, dict) else value)
