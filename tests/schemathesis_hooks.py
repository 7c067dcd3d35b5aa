"""What Schemathesis cannot know from the document: moments in bounds, lines of JSON, and rules between fields."""

import json
import re
from typing import Any

import schemathesis
from hypothesis import strategies

RULES = {  # codes of refusals that no schema can express
    "bad_cursor",
    "dimensions",
    "empty_span",
    "erased",
    "forbidden_character",
    "id_conflict",
    "id_mismatch",
    "idempotency_key_reused",
    "lateness",
    "max_future_skew",
    "metadata_too_deep",
    "metadata_too_large",
    "number_out_of_range",
    "bad_duration",
    "bad_time",
    "too_many_buckets",
    "too_short",
    "setting_fixed",
    "unsuitable",
    "text_required",
    "vector_required",
}
MOMENTS = strategies.builds(
    "{:04d}-{:02d}-{:02d}T{:02d}:{:02d}:{:02d}{}".format,
    strategies.integers(1971, 2025),
    strategies.integers(1, 12),
    strategies.integers(1, 28),
    strategies.integers(0, 23),
    strategies.integers(0, 59),
    strategies.integers(0, 59),
    strategies.sampled_from(["Z", "+00:00", "-05:30", ".5Z", ".123456+14:00"]),
)
schemathesis.openapi.format("date-time", MOMENTS)


@schemathesis.serializer("application/x-ndjson")
def lines(context: Any, value: Any) -> bytes:
    """One line for each document."""
    documents = value if isinstance(value, list) else [value]
    return b"\n".join(json.dumps(document).encode() for document in documents)


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Do not wait for threads that no worker will make."""
    wait = str((case.query or {}).get("timeout", ""))
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", wait) and 0 < float(wait) <= 30:
        case.query["timeout"] = 0.01


@schemathesis.check
def refused_by_a_known_rule(context: Any, response: Any, case: Any) -> None:
    """A request that fits the schema is refused only by a rule that the schema cannot hold."""
    meta = case.meta
    if response.status_code not in (400, 422) or meta is None or not meta.generation.mode.is_positive:
        return
    answer = json.loads(response.content)
    items = answer.get("items", [])
    codes = {error["code"] for error in answer.get("errors", [])} | {i["error"]["code"] for i in items if i["error"]}
    assert (codes or {answer["code"]}) <= RULES, f"refused: {codes or answer['code']}"
