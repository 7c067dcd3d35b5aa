"""The page docs/api.md, made from the OpenAPI description: operations, then the fields of bodies and answers."""

from collections.abc import Iterator
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete")
HEAD = """\
# API

{description}

Made from the OpenAPI description by `./run threadline openapi --markdown`; a running service serves the description at
`/openapi.json`. Beyond loopback every request needs `Authorization: Bearer KEY`. A refusal is a
[ProblemAnswer](#problemanswer) (`application/problem+json`). Any operation may answer these:

{refusals}"""


def page(description: dict[str, Any]) -> str:
    """The API as a page for people."""
    common = _common(description)
    refusals = "\n".join(f"- {status}: {common[status]}" for status in sorted(common))
    lines = [HEAD.format(description=description["info"]["description"].strip(), refusals=refusals)]
    for tag in dict.fromkeys(operation["tags"][0] for _, _, operation in _operations(description)):
        lines += ["", f"## {tag.capitalize()}"]
        for path, method, operation in _operations(description):
            if operation["tags"][0] == tag:
                lines += _operation(description, path, method, operation, common)
    lines += ["", "## Bodies and answers"]
    for name, schema in sorted(description["components"]["schemas"].items()):
        lines += _schema(name, schema)
    return "\n".join(lines)


def _common(description: dict[str, Any]) -> dict[str, str]:
    """Refusals that most operations share, said once."""
    seen: dict[tuple[str, str], int] = {}
    operations = list(_operations(description))
    for _, _, operation in operations:
        for status, answer in operation["responses"].items():
            key = status, _resolved(description, answer)["description"]
            seen[key] = seen.get(key, 0) + 1
    return {status: text for (status, text), count in seen.items() if status >= "400" and 2 * count > len(operations)}


def _operations(description: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in description["paths"].items():
        yield from ((path, method, methods[method]) for method in METHODS if method in methods)


def _operation(
    description: dict[str, Any], path: str, method: str, operation: dict[str, Any], common: dict[str, str]
) -> list[str]:
    lines = ["", f"### {method.upper()} {path}", "", operation["summary"] + "."]
    if operation.get("description"):
        lines += ["", operation["description"]]
    if rows := [_parameter(_resolved(description, one)) for one in operation.get("parameters", [])]:
        lines += ["", "| Parameter | In | Type | What it is |", "|---|---|---|---|", *rows]
    lines.append("")
    if body := operation.get("requestBody"):
        lines.append(f"- body: {_content(_resolved(description, body))}")
    for status, answer in sorted(operation["responses"].items()):
        resolved = _resolved(description, answer)
        if common.get(status) != resolved["description"]:
            content = _content(resolved) if status < "400" else ""
            lines.append(f"- {status}: {content or resolved['description']}")
    return lines


def _schema(name: str, schema: dict[str, Any]) -> list[str]:
    lines = ["", f"### {name}"]
    if schema.get("description"):
        lines += ["", _one_line(schema["description"])]
    if fields := schema.get("properties"):
        lines += ["", "| Field | Type | What it is |", "|---|---|---|"]
        required = schema.get("required", [])
        lines += [_field(field, part, field in required) for field, part in fields.items()]
    return lines


def _field(name: str, part: dict[str, Any], required: bool) -> str:
    default = f" (default `{part['default']}`)" if part.get("default") is not None else ""
    kind = _kind(part) + ("" if required or "default" in part else ", optional")
    return f"| `{name}` | {kind}{default} | {_one_line(part.get('description', ''))} |"


def _resolved(description: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        found: Any = description
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        part = found
    return part


def _parameter(parameter: dict[str, Any]) -> str:
    name = f"`{parameter['name']}`" + (" (required)" if parameter.get("required") else "")
    kind = _kind(parameter.get("schema", {}))
    return f"| {name} | {parameter['in']} | {kind} | {_one_line(parameter.get('description', ''))} |"


def _content(part: dict[str, Any]) -> str:
    found = [(media, _kind(body.get("schema", {}))) for media, body in part.get("content", {}).items()]
    return ", ".join(kind if media == "application/json" else f"`{media}`" for media, kind in found)


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = str(schema["$ref"].rpartition("/")[2])
        return f"[{name}](#{name.lower()})"
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(map(_kind, options)))
    if values := schema.get("enum") or ([schema["const"]] if "const" in schema else []):
        return ", ".join(f"`{value}`" for value in values)
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("format", schema.get("type", "any")))


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
