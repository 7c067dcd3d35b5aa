"""threadline openapi: the description of the API, for tools, and the page of the docs made from it."""

import json
from typing import Annotated, Any

import typer

from .api_page import page
from .output import say


def openapi(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the page docs/api.md.")] = False,
) -> None:
    """Print the OpenAPI description of the API as JSON."""
    description = _describe()
    say(page(description) if markdown else json.dumps(description, indent=2, ensure_ascii=False))


def _describe() -> dict[str, Any]:
    from service.api.app import create_app
    from service.settings import Settings
    from service.store.database import Database

    unused = Database("sqlite:///unused")  # is never opened: only the description is asked for
    return create_app(Settings(), unused, keys_required=True).openapi()
