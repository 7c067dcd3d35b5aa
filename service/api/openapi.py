"""The OpenAPI document: what FastAPI derives, plus bodies, refusals, examples, limits and keys."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from service.durations import format_duration

from .context import Context
from .operations import PROBLEM, REASONS
from .problems import MEDIA_TYPE
from .schemas import comparisons, documents, predictions, service, streams, topics
from .schemas.base import DURATION, Answer, Body, ProblemAnswer

BODIES: tuple[type[BaseModel], ...] = (
    streams.NewStream,
    streams.StreamChange,
    documents.NewDocument,
    documents.Batch,
    documents.Replacement,
    documents.DocumentIds,
    predictions.Question,
    topics.NewTopics,
    comparisons.NewComparison,
    service.NewKey,
)
REASON = "Problem"  # and the status: the name of a refusal
REFERENCE = "#/components/schemas/"
DESCRIPTION = """\
Documents in, threads out. Times are RFC 3339 with an offset; lists are pages with `next_cursor`; every refusal is a
problem with a stable `code`. Retry 429 and 5xx with back-off, never another 4xx."""


def describe(app: FastAPI, context: Context, version: str) -> dict[str, Any]:
    """The document, made once."""
    document = get_openapi(
        title="Threadline", version=version, openapi_version="3.1.0", description=DESCRIPTION, routes=app.routes
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    _, made = models_json_schema([(model, "validation") for model in BODIES], ref_template=REFERENCE + "{model}")
    _, given = models_json_schema([(ProblemAnswer, "serialization")], ref_template=REFERENCE + "{model}")
    schemas.update(made["$defs"] | given["$defs"])
    _restore_examples(schemas)
    document["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    document["components"]["responses"] = _refusals(schemas)
    _set_limits(schemas, context)
    _spell_durations(document)
    for path in document["paths"].values():
        for operation in path.values():
            _finish(operation, schemas, context)
    return document


def _restore_examples(schemas: dict[str, Any]) -> None:
    """FastAPI leaves nulls out of examples, and then these do not fit their schemas."""
    waiting: list[type[BaseModel]] = [Body, Answer]
    while waiting:
        model = waiting.pop()
        waiting += model.__subclasses__()
        extra = model.model_config.get("json_schema_extra")
        if isinstance(extra, dict) and model.__name__ in schemas:
            schemas[model.__name__] |= extra


def _set_limits(schemas: dict[str, Any], context: Context) -> None:
    settings = context.settings
    for name in ("NewDocument", "Replacement", "Content"):
        content = schemas[name]
        _some(content["properties"]["text"])["maxLength"] = settings.text_characters
        content["oneOf"] = [_only("text", "vector"), _only("vector", "text")]
    some = {name: {"anyOf": [part, {"type": "null"}]} for name, part in schemas["StreamSettings"]["properties"].items()}
    patch = {"type": "object", "additionalProperties": False, "properties": some}
    for name in ("StreamChange", "NewComparison"):
        schemas[name]["properties"]["settings"] |= patch
    schemas["Batch"]["properties"]["documents"]["maxItems"] = settings.batch_documents
    schemas["Question"]["properties"]["documents"]["maxItems"] = settings.prediction_documents


def _spell_durations(part: Any) -> None:
    if isinstance(part, dict):
        if part.get("pattern") == DURATION["pattern"] and isinstance(part.get("default"), int):
            part["default"] = format_duration(part["default"])
        part = list(part.values())
    for inner in part if isinstance(part, list) else ():
        _spell_durations(inner)


def _only(given: str, absent: str) -> dict[str, Any]:
    return {
        "required": [given],
        "properties": {given: {"not": {"type": "null"}}, absent: {"type": "null"}},
    }


def _some(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(part for part in schema["anyOf"] if part.get("type") != "null")
    return found


def _finish(operation: dict[str, Any], schemas: dict[str, Any], context: Context) -> None:
    sentence, _, rest = operation.pop("description", "").partition("\n")
    operation["summary"] = sentence.strip().rstrip(".")
    if rest.strip():
        operation["description"] = rest.strip()
    if operation.pop("x-scope", None):
        operation["security"] = [{"key": []}] if context.keys_required else [{}, {"key": []}]
    for parameter in operation.get("parameters", ()):
        _never_null(parameter)
    responses = operation["responses"]
    for status, response in responses.items():
        if response["description"] == "Successful Response":
            response["description"] = "Done" if status != "202" else "Stored; the rest follows"
        if response.get("content") == PROBLEM:
            responses[status] = {"$ref": f"#/components/responses/{REASON}{status}"}
    for body in (operation.get("requestBody", {}), *responses.values()):
        for content in body.get("content", {}).values():
            _add_example(content, schemas)
    if "304" in responses:
        tag = {"description": "Send it back as If-None-Match.", "schema": {"type": "string"}}
        responses["200"]["headers"] = {"ETag": tag}


def _never_null(parameter: dict[str, Any]) -> None:
    parts = [part for part in parameter["schema"].pop("anyOf", ()) if part.get("type") != "null"]
    if parts:
        parameter["schema"] = parts[0] | parameter["schema"]


def _refusals(schemas: dict[str, Any]) -> dict[str, Any]:
    example = schemas["ProblemAnswer"]["examples"][0]
    refusals = {}
    for status, sentence in REASONS.items():
        shown = example | {"status": status, "title": sentence, "code": "…", "type": "urn:threadline:problem:…"}
        content = {MEDIA_TYPE: {**PROBLEM[MEDIA_TYPE], "example": example if status == 422 else shown | {"errors": []}}}
        refusals[f"{REASON}{status}"] = {"description": sentence, "content": content}
    return refusals


def _add_example(content: dict[str, Any], schemas: dict[str, Any]) -> None:
    schema = content.get("schema", {})
    references = [part.get("$ref", "") for part in (schema, *schema.get("oneOf", ()))]
    for reference in references:
        example = _example(reference.removeprefix(REFERENCE), schemas)
        if example is not None:
            content.setdefault("example", example)


def _example(name: str, schemas: dict[str, Any]) -> Any:
    schema = schemas.get(name, {})
    if schema.get("examples") or not name.endswith("Page"):
        return schema.get("examples", [None])[0]
    item = schema["properties"]["data"]["items"]["$ref"].removeprefix(REFERENCE)
    return {"data": [_example(item, schemas)], "has_more": False, "next_cursor": None}
