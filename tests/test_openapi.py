"""The OpenAPI document: valid, complete, with hand-set names and examples that fit their own schemas."""

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from openapi_spec_validator import validate

from service.api.app import create_app
from service.store.database import Database
from tests.api import settings_for

DOCUMENT = create_app(settings_for(Path(), "sqlite:///unused.db"), Database("sqlite:///unused.db")).openapi()
OPERATIONS = {o["operationId"]: o for path in DOCUMENT["paths"].values() for o in path.values()}
EXPECTED = [
    "service_livez", "service_readyz", "service_metrics", "service_version", "streams_create", "streams_list",
    "streams_get", "streams_change", "streams_delete", "streams_stats", "documents_ingest", "documents_bulk",
    "documents_list", "documents_get", "documents_replace", "documents_delete", "documents_erase",
    "documents_retry", "assignments_list", "assignments_get", "assignments_why", "threads_list", "threads_get",
    "threads_documents", "threads_history", "lifespans_list", "events_list", "events_stream",
    "threads_neighbours", "threads_timeline", "streams_learned",
    "predictions_create", "topics_create", "comparisons_create", "tasks_list", "tasks_get", "tasks_cancel",
    "keys_create", "keys_list", "keys_revoke",
]  # fmt: skip
PLAIN = ("events_stream", "service_metrics", "keys_revoke")  # whose answer is not JSON


def test_the_document_is_valid_and_has_every_operation() -> None:
    validate(copy.deepcopy(DOCUMENT))
    assert DOCUMENT["openapi"].startswith("3.1")
    assert sorted(OPERATIONS) == sorted(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_operation_is_complete(name: str) -> None:
    operation = OPERATIONS[name]
    assert operation["summary"]
    assert operation["tags"] == [name.partition("_")[0]]
    responses = operation["responses"]
    if operation.get("security"):
        assert {"400", "401", "403", "404", "422", "429", "500", "503"} <= set(responses)
    if "requestBody" in operation:
        assert {"408", "413", "415"} <= set(responses)
        for content in operation["requestBody"]["content"].values():
            check_example(content)
    good = [response for status, response in responses.items() if status.startswith("2")]
    for response in good if name not in PLAIN else ():
        check_example(response["content"]["application/json"])


def check_example(content: dict[str, Any]) -> None:
    schema = content["schema"] | {"components": DOCUMENT["components"]}
    Draft202012Validator(schema).validate(content["example"])


def test_refusals_are_problems() -> None:
    for response in DOCUMENT["components"]["responses"].values():
        assert list(response["content"]) == ["application/problem+json"]
        check_example(response["content"]["application/problem+json"])


def test_no_schema_takes_unknown_fields_of_a_request() -> None:
    for name in (
        "NewStream",
        "NewDocument",
        "Batch",
        "Replacement",
        "DocumentIds",
        "Question",
        "NewTopics",
        "NewComparison",
        "NewKey",
        "StreamChange",
    ):
        assert DOCUMENT["components"]["schemas"][name]["additionalProperties"] is False


def test_limits_in_the_document_are_those_of_the_settings() -> None:
    changed = settings_for(Path(), "sqlite:///unused.db", text_characters=7, batch_documents=3)
    document = create_app(changed, Database("sqlite:///unused.db")).openapi()
    schemas = document["components"]["schemas"]
    assert schemas["NewDocument"]["properties"]["text"]["anyOf"][0]["maxLength"] == 7
    assert schemas["Batch"]["properties"]["documents"]["maxItems"] == 3


def test_keys_are_declared_when_they_are_needed() -> None:
    settings = settings_for(Path(), "sqlite:///unused.db", host="0.0.0.0")  # noqa: S104
    document = create_app(settings, Database("sqlite:///unused.db")).openapi()
    assert document["paths"]["/v1/streams"]["get"]["security"] == [{"key": []}]
    assert OPERATIONS["streams_list"]["security"] == [{}, {"key": []}]
    assert "security" not in OPERATIONS["service_livez"]


def test_the_api_loads_no_model() -> None:
    script = "import sys, service.api.app; sys.exit(any(name in sys.modules for name in ('core', 'numba', 'scipy')))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
