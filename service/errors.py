"""The one error tree of the API: every refusal is a Problem, answered as application/problem+json (RFC 9457)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Location = Literal["body", "query", "path", "header"]


@dataclass(frozen=True)
class FieldError:
    """One fault of a request: where it is, a stable code, and what would be right. Never the value itself."""

    pointer: str  # JSON pointer, e.g. #/documents/3/time
    code: str
    detail: str
    location: Location = "body"


class Problem(Exception):
    """A request that cannot be served, with all that the answer says."""

    status = 500
    code = "internal"
    title = "Internal error"

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.errors = list(errors)
        self.headers = dict(headers or {})
        self.extra = dict(extra or {})


class Malformed(Problem):
    status, code, title = 400, "malformed", "Malformed request"


class BadCursor(Problem):
    status, code, title = 400, "bad_cursor", "Bad cursor"


class Unauthenticated(Problem):
    status, code, title = 401, "unauthenticated", "No valid key"

    def __init__(self, detail: str) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": 'Bearer realm="threadline"'})


class Forbidden(Problem):
    status, code, title = 403, "forbidden", "Key lacks a scope"


class Absent(Problem):
    status, code, title = 404, "not_found", "Not found"

    def __init__(self) -> None:
        super().__init__("There is nothing here for this key.")


class WrongMethod(Problem):
    status, code, title = 405, "method_not_allowed", "Method not allowed"


class TooSlow(Problem):
    status, code, title = 408, "receive_deadline", "Body came too slowly"


class Conflicting(Problem):
    status, code, title = 409, "conflict", "Conflict"


class PreconditionFailed(Problem):
    status, code, title = 412, "precondition_failed", "Precondition failed"


class TooLarge(Problem):
    status, code, title = 413, "too_large", "Body too large"


class WrongMediaType(Problem):
    status, code, title = 415, "unsupported_media_type", "Unsupported media type"


class Invalid(Problem):
    status, code, title = 422, "validation_failed", "Validation failed"


class TooMany(Problem):
    status, code, title = 429, "too_many_requests", "Too many requests"

    def __init__(self, detail: str, *, code: str, retry_after_s: int, extra: Mapping[str, Any] | None = None) -> None:
        super().__init__(detail, code=code, headers={"Retry-After": str(retry_after_s)}, extra=extra)


class Unready(Problem):
    status, code, title = 503, "unavailable", "Service unavailable"

    def __init__(self, detail: str, *, code: str = "unavailable", retry_after_s: int = 1) -> None:
        super().__init__(detail, code=code, headers={"Retry-After": str(retry_after_s)})


class NoSpace(Problem):
    status, code, title = 507, "disk_full", "Disk full"


def invalid(errors: Sequence[FieldError]) -> Invalid:
    """The problem that lists faulty fields."""
    count = len(errors)
    return Invalid("1 field is invalid." if count == 1 else f"{count} fields are invalid.", errors=errors)
