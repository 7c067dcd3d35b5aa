"""What can go wrong in the store, in the store's own words; the API turns these into answers.

StoreError
├── NotFound       no such stream, document, …
├── Conflict       the name is taken, the version is old, the request is in flight
├── Backpressure   too many documents wait
├── Fenced         another worker holds the stream now
├── Unavailable    the database does not answer
│   └── DiskFull
└── SchemaError
    ├── SchemaBehind
    └── SchemaAhead
"""


class StoreError(Exception):
    """Any failure that the store expects."""


class NotFound(StoreError):
    def __init__(self, what: str) -> None:
        super().__init__(f"no such {what}")
        self.what = what


class Conflict(StoreError):
    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class Backpressure(StoreError):
    """Nothing of the batch was stored: its stream already has as many pending documents as it may."""

    def __init__(self, pending: int, limit: int) -> None:
        super().__init__(f"{pending} documents wait for the worker and the limit is {limit}; send them again later")
        self.pending = pending
        self.limit = limit


class Fenced(StoreError):
    """Another worker took the stream's lease; throw away what is in memory and stop writing."""


class Unavailable(StoreError):
    """Nothing was stored, or the outcome of a commit is unknown; the same request may be sent again."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class DiskFull(Unavailable):
    def __init__(self) -> None:
        super().__init__("the disk of the database is full")


class Refused(StoreError):
    """The database did not accept a statement, which is a fault of the program; nothing was stored."""


class SchemaError(StoreError):
    """The database and the program are of different versions."""


class SchemaBehind(SchemaError):
    def __init__(self) -> None:
        super().__init__("the database has an older schema than this program: run `threadline migrate`")


class SchemaAhead(SchemaError):
    def __init__(self) -> None:
        super().__init__("the database has a newer schema than this program: install the newer threadline")
