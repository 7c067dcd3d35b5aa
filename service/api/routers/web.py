"""The dashboard: one page at / and its files. They hold no data, so they need no key; the page asks the API."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from service.errors import Absent

from ..answers import matches
from ..assets import Asset, assets

router = APIRouter()
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"


@router.head("/", include_in_schema=False)
@router.get("/", include_in_schema=False)
async def page(request: Request) -> Response:
    """The page."""
    return _send(request, assets().page, ASK_AGAIN)


@router.head("/assets/{version}/{name:path}", include_in_schema=False)
@router.get("/assets/{version}/{name:path}", include_in_schema=False)
async def asset(request: Request, version: str, name: str) -> Response:
    """A file; a page from before an upgrade gets today's, but does not keep it."""
    found = assets().files.get(name)
    if found is None:
        raise Absent
    return _send(request, found, FOR_EVER if version == assets().version else ASK_AGAIN)


def _send(request: Request, file: Asset, keep: str) -> Response:
    headers = {"ETag": file.tag, "Cache-Control": keep, "Vary": "Accept-Encoding"}
    if matches(request.headers.get("if-none-match"), file.tag, weakly=True):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, headers=headers | {"Content-Encoding": "gzip"}, media_type=file.media_type)
    return Response(file.content, headers=headers, media_type=file.media_type)
