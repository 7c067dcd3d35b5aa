"""Bulk requests: lines are decided 500 at a time as they arrive, and the answer says what became of every one."""

import hashlib
from typing import Literal, NamedTuple

from sqlalchemy import Connection

from service.errors import Conflicting, Malformed, Problem, TooLarge
from service.store import ingest
from service.store.ingest import NewDocument as Row
from service.store.ingest import OnConflict, Outcome
from service.store.streams import StreamRow

from .context import Context
from .ingest import REFUSALS, Checker, row_of
from .quick_json import document_of
from .schemas.outcomes import BulkAnswer, ItemError, Line

LINES = 500  # of one commit
MOST_ITEMS = 1_000
OnError = Literal["continue", "abort"]


class Numbered(NamedTuple):
    """A line that became a document."""

    line: int
    row: Row


class Part(NamedTuple):
    """Some lines of a request, read."""

    lines: int
    good: list[Numbered]
    bad: list[tuple[int, ItemError]]


class Bulk:
    """One bulk request. A part may be read in one thread while the part before is stored in another."""

    def __init__(
        self, context: Context, stream: StreamRow, on_error: OnError, on_conflict: OnConflict, key: str | None
    ) -> None:
        self._context, self._stream = context, stream
        self._on_conflict: OnConflict = on_conflict
        self._all_or_nothing = on_error == "abort"
        self._key = key
        self._counts = {"accepted": 0, "duplicate": 0, "replaced": 0, "rejected": 0}
        self._rejected: list[Line] = []
        self._stored: list[Line] = []
        self._held: list[Numbered] = []  # with on_error=abort, until the end
        self._aborted = False
        self._parsed = 0  # lines that were JSON
        self._read_lines = 0
        self.lines = 0  # decided

    @property
    def begun(self) -> bool:
        """Whether something may be stored already."""
        return self._counts["accepted"] + self._counts["replaced"] > 0

    def read(self, lines: list[bytes]) -> Part:
        """The documents of these lines, and what is wrong with the others; may run while the part before is stored."""
        if self._read_lines + len(lines) > self._context.settings.bulk_lines:
            raise TooLarge("There are more lines than allowed; see limits in /v1/version.", code="too_many_lines")
        first, checker = self._read_lines + 1, Checker(self._stream, self._context)
        self._read_lines += len(lines)
        part = Part(len(lines), [], [])
        for number, line in enumerate(lines, first):
            if line.strip():
                self._read_line(number, line, checker, part)
        return part

    def store(self, part: Part) -> None:
        """Decide the lines of the next part, and store the good ones unless all wait for the end."""
        if self._all_or_nothing:
            self._held += part.good
        elif part.good:
            self._tally(part.good, self._store(part.good))
        self._context.metrics.count(("rejected", error.code) for _, error in part.bad)
        for number, error in part.bad:
            self._reject(number, None, error)
        self.lines += part.lines

    def finish(self) -> BulkAnswer:
        """The answer; with on_error=abort this stores everything, or nothing if a line is bad."""
        if self._all_or_nothing and not self._counts["rejected"] and self._held:
            self._store_together()
        self._aborted = self._all_or_nothing and self._counts["rejected"] > 0
        if not self._parsed:
            raise Malformed("No line is JSON.", code="not_json", extra={"result": self.report().model_dump()})
        return self.report()

    def report(self) -> BulkAnswer:
        """What has been decided so far."""
        items = (self._rejected + self._stored)[:MOST_ITEMS]
        return BulkAnswer(
            accepted=self._counts["accepted"],
            duplicates=self._counts["duplicate"],
            replaced=self._counts["replaced"],
            rejected=self._counts["rejected"],
            lines=self.lines,
            aborted=self._aborted,
            items=items,
            items_truncated=sum(self._counts.values()) > len(items),
        )

    def _read_line(self, number: int, line: bytes, checker: Checker, part: Part) -> None:
        try:
            part.good.append(Numbered(number, self._document(number, line, checker)))
        except Problem as problem:
            self._parsed += not isinstance(problem, Malformed)
            fault = problem.errors[0] if problem.errors else None
            error = ItemError(
                code=fault.code if fault else problem.code,
                pointer=fault.pointer if fault else None,
                detail=fault.detail if fault else problem.detail,
            )
            part.bad.append((number, error))
        else:
            self._parsed += 1

    def _document(self, number: int, line: bytes, checker: Checker) -> Row:
        settings = self._context.settings
        if len(line) > settings.line_bytes:
            raise TooLarge("The line is longer than allowed.", code="line_too_long")
        document = document_of(line, settings)
        faults = checker.check(document)
        if faults:
            raise Problem(faults[0].detail, errors=faults)
        row = row_of(document)
        if row.id is None and self._key:  # the same line of the same request gets the same id again
            named = f"{self._stream.id}\n{self._key}\n{number}".encode()
            row = row._replace(id=f"doc_{hashlib.sha256(named).hexdigest()[:26]}")
        return row

    def _store(self, good: list[Numbered]) -> list[Outcome]:
        with self._context.database.write() as connection:
            return self._ingest(connection, good)

    def _store_together(self) -> None:
        outcomes: list[Outcome] = []
        try:
            with self._context.database.write() as connection:
                outcomes = self._ingest(connection, self._held)
                if any(outcome.status == "rejected" for outcome in outcomes):
                    raise Conflicting("A line is refused.")
        except Conflicting:
            pairs = zip(self._held, outcomes, strict=True)
            refused = [(item, outcome) for item, outcome in pairs if outcome.status == "rejected"]
            self._tally([item for item, _ in refused], [outcome for _, outcome in refused])
        else:
            self._tally(self._held, outcomes)

    def _ingest(self, connection: Connection, good: list[Numbered]) -> list[Outcome]:
        limit, now = self._context.settings.pending_documents, self._context.clock()
        rows = [item.row for item in good]
        return ingest.ingest(connection, self._stream.id, rows, now, on_conflict=self._on_conflict, pending_limit=limit)

    def _tally(self, good: list[Numbered], outcomes: list[Outcome]) -> None:
        self._context.metrics.count((outcome.status, outcome.code) for outcome in outcomes)
        for (number, _), outcome in zip(good, outcomes, strict=True):
            if outcome.code:
                self._reject(
                    number, outcome.id, ItemError(code=outcome.code, pointer="#/id", detail=REFUSALS[outcome.code])
                )
                continue
            self._counts[outcome.status] += 1
            if len(self._stored) < MOST_ITEMS:
                self._stored.append(Line(line=number, id=outcome.id, status=outcome.status, seq=outcome.seq))

    def _reject(self, line: int, document_id: str | None, error: ItemError) -> None:
        self._counts["rejected"] += 1
        if len(self._rejected) < MOST_ITEMS:
            self._rejected.append(Line(line=line, id=document_id, status="rejected", error=error))
