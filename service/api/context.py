"""What every handler may use: settings, database, clock, counters. One per application, no globals."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_address
from typing import Annotated

from fastapi import Depends, Request

from service.settings import Settings
from service.store import secrets
from service.store.database import Database

from .metrics import Metrics


@dataclass
class Context:
    """The application's parts. `draining` refuses new work; set it before the server stops."""

    settings: Settings
    database: Database
    clock: Callable[[], int]  # microseconds since 1970
    keys_required: bool
    metrics: Metrics = field(default_factory=Metrics)
    draining: bool = False
    event_streams: int = 0  # open server-sent event connections
    heads: dict[str, tuple[float, int]] = field(default_factory=dict)  # stream -> when looked at, last event
    heads_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @cached_property
    def cursor_secret(self) -> bytes:
        """Signs cursors; the same for all replicas on one database."""
        with self.database.write() as connection:
            return secrets.get_or_create(connection, "cursors")


def keys_needed(settings: Settings) -> bool:
    """Beyond loopback every caller needs a key, unless the operator said otherwise."""
    if settings.insecure or settings.host == "localhost":
        return False
    try:
        return not ip_address(settings.host).is_loopback
    except ValueError:
        return True


def context_of(request: Request) -> Context:
    """The context of the application that serves the request."""
    context: Context = request.app.state.context
    return context


Use = Annotated[Context, Depends(context_of)]
