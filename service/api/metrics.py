"""Counters of this process, and gauges of all streams read from the database at each scrape."""

from collections import Counter as Counts
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The metrics of one application, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Histogram(
            "http_request_duration_seconds",
            "Time to answer, by route.",
            ["route", "method", "status_class"],
            registry=self.registry,
            buckets=BUCKETS,
        )
        self.documents = Counter(
            "threadline_ingest_documents",
            "Documents received, by outcome.",
            ["outcome", "reason"],
            registry=self.registry,
        )
        self.database_errors = Counter(
            "threadline_db_errors", "Requests that the database failed.", ["kind"], registry=self.registry
        )
        self.build = Gauge("threadline_build_info", "The version that runs.", ["version"], registry=self.registry)

    def count(self, outcomes: Iterable[tuple[str, str | None]]) -> None:
        """Count documents by outcome (accepted, duplicate, replaced, rejected) and reason."""
        for (outcome, reason), number in Counts(outcomes).items():
            self.documents.labels(outcome, reason or "").inc(number)
