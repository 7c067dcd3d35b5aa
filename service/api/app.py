"""The application: routes, middleware, refusals and the OpenAPI document around one context."""

from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI

from service import times
from service.settings import Settings
from service.store.database import Database

from . import problems
from .auth import Gate
from .context import Context, keys_needed
from .middleware import Envelope
from .openapi import describe
from .routers import (
    assignments,
    bulk,
    documents,
    events,
    ingest,
    jobs,
    keys,
    lifespans,
    predictions,
    service,
    streams,
    tasks,
    threads,
    web,
)

MODULES = (
    service,
    streams,
    ingest,
    bulk,
    documents,
    assignments,
    threads,
    lifespans,
    events,
    predictions,
    jobs,
    tasks,
    keys,
    web,
)


def create_app(
    settings: Settings,
    database: Database,
    *,
    clock: Callable[[], int] = times.now,
    keys_required: bool | None = None,
) -> FastAPI:
    """The API over a database that is open and migrated; it closes nothing.

    Set `app.state.context.draining` before the server stops. keys_required: by default, beyond loopback.
    """
    needed = keys_needed(settings) if keys_required is None else keys_required
    context = Context(settings, database, clock, needed)
    app = FastAPI(
        title="Threadline", version=version("threadline"), docs_url=None, redoc_url=None, redirect_slashes=False
    )
    context.metrics.build.labels(app.version).set(1)
    app.state.context, app.state.gate = context, Gate()
    for module in MODULES:
        app.router.routes.extend(module.router.routes)
    problems.install(app)
    app.add_middleware(Envelope, context=context)

    @cache
    def document() -> dict[str, Any]:
        return describe(app, context, app.version)

    app.openapi = document  # type: ignore[method-assign]
    return app
