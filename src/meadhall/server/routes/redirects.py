"""Redirects from the page addresses of version 0.1.

They answer every method with 308, which keeps method and body: pages from before an update may still be open, with their forms.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from litestar import HttpMethod, route
from litestar.response import Redirect

from meadhall.server.web.links import link
from meadhall.server.web.request import AnyRequest

_METHODS: Final = [HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST]

_OLD_PARAMETERS: Final = {"at": "step", "eyes": "seat", "known": "knowledge"}


@route("/table/{rest:path}", http_method=_METHODS)
async def redirect_table(request: AnyRequest, rest: str) -> Redirect:  # noqa: ARG001 - the path is taken from the request
    """Redirect ``/table/…`` to ``/tables/…``."""
    return _moved(request, "/tables/" + request.url.path.removeprefix("/table/"))


@route("/you", http_method=_METHODS)
async def redirect_settings(request: AnyRequest) -> Redirect:
    """Redirect ``/you`` to ``/settings``."""
    return _moved(request, "/settings")


def redirect_old_parameters(request: AnyRequest) -> Redirect | None:
    """Redirect an uploaded record's page whose parameters have their old names. Return None for any other request."""
    path = request.url.path
    if path.startswith("/replay/") and not _OLD_PARAMETERS.keys().isdisjoint(request.query_params):
        return _moved(request, path)
    return None


def _moved(request: AnyRequest, path: str) -> Redirect:
    given = parse_qsl(request.url.query, keep_blank_values=True)
    query = urlencode([(_OLD_PARAMETERS.get(name, name), value) for name, value in given])
    return Redirect(link(quote(path)) + (f"?{query}" if query else ""), status_code=308)


routes = [redirect_table, redirect_settings]
