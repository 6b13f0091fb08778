"""Protection against cross-site request forgery (CSRF): only the hall's own pages may send its forms.

Browsers add the origin of a form in a header that no page can change: ``Sec-Fetch-Site`` over HTTPS and on localhost (Fetch
Metadata), ``Origin`` elsewhere (RFC 6454). So forms need no tokens. The session cookie is also ``SameSite=Lax``.

The JSON API is not checked. It ignores cookies, so a request from another site has no authority there.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from meadhall.engine.language import gettext as _
from meadhall.server.errors import CrossSite
from meadhall.server.web.request import AnyRequest, base_url
from meadhall.server.web.sessions import COOKIE

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods that change nothing (RFC 9110, 9.2.1)."""

_ACCEPTED_SITES: Final = frozenset({"same-origin", "none"})
"""``none``: the user started the request, for example by reloading the page."""

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def check_same_origin(request: AnyRequest) -> None:
    """Accept a request that changes nothing, or that comes from a page of this hall. Raises CrossSite for any other.

    A request without both headers doesn't come from a current browser. It is accepted only without a session cookie, because then
    there is no session that another site could misuse.
    """
    if request.method not in _SAFE_METHODS and not _is_from_here(request):
        raise CrossSite(_("This form didn't come from a page of this hall. Open the page here and send it again."))


def _is_from_here(request: AnyRequest) -> bool:
    sites, origins = request.headers.getall("sec-fetch-site", []), request.headers.getall("origin", [])
    if sites:
        return _ACCEPTED_SITES.issuperset(sites)
    if origins:
        own = _origin(base_url(request))
        return own is not None and all(_origin(text) == own for text in origins)
    return COOKIE not in request.cookies


def _origin(url: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port of an address, None if it has none (the origin "null")."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or parts.hostname is None:
        return None
    return parts.scheme, parts.hostname, _DEFAULT_PORTS[parts.scheme] if port is None else port
