"""The service itself: alive, ready, measured, which version."""

import shutil

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import PlainTextResponse, Response

from service.settings import Settings
from service.store import migrate
from service.store.problems import SchemaError, StoreError

from ..answers import reply
from ..context import Context, Use
from ..gauges import gauges
from ..operations import operation
from ..schemas.service import Alive, Ready, Version

router = APIRouter()
LIMITS = (
    "body_bytes",
    "line_bytes",
    "text_characters",
    "tokens",
    "metadata_bytes",
    "batch_documents",
    "bulk_lines",
    "prediction_documents",
    "pending_documents",
    "task_documents",
    "streams",
    "sse_connections",
    "request_rate",
    "receive_deadline_s",
    "future_skew_s",
)


@router.head("/livez", include_in_schema=False)
@router.get("/livez", **operation("service_livez", None, Alive))
async def livez() -> Response:
    """Say that the process answers."""
    return reply(Alive())


@router.head("/readyz", include_in_schema=False)
@router.get("/readyz", **operation("service_readyz", None, Ready, also={503: (Ready, "Not ready, with the reasons")}))
def readyz(context: Use) -> Response:
    """Say whether requests should be sent here: database, schema, disk, not stopping.

    A worker that lags or is missing does not make the API unready.
    """
    reasons = _reasons(context)
    return reply(Ready(status="unready" if reasons else "ready", reasons=reasons), 503 if reasons else 200)


@router.get("/metrics", response_class=PlainTextResponse, **operation("service_metrics", "read", None))
def metrics(context: Use) -> Response:
    """Read the metrics in Prometheus' format."""
    text = generate_latest(context.metrics.registry) + generate_latest(gauges(context))
    return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST})


@router.get("/v1/version", **operation("service_version", None, Version))
async def version(request: Request, context: Use) -> Response:
    """Read the version and the limits."""
    return reply(Version(version=request.app.version, limits=limits(context.settings)))


def limits(settings: Settings) -> dict[str, int | float]:
    """The limits that a client may meet."""
    return {name: getattr(settings, name) for name in LIMITS}


def _reasons(context: Context) -> list[str]:
    reasons = ["the server is stopping"] if context.draining else []
    try:
        migrate.check(context.database)
    except SchemaError as error:
        reasons.append(str(error))
    except StoreError:
        reasons.append("the database does not answer")
    file = context.settings.database_file
    if file is not None and shutil.disk_usage(file.parent).free < context.settings.disk_reserve_mib << 20:
        reasons.append("the disk is nearly full")
    return reasons
