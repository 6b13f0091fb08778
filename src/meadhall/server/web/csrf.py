"""Protection against cross-site request forgery (CSRF): only the hall's own pages may send its forms.

Browsers add the origin of a form in a header that no page can change: ``Sec-Fetch-Site`` over HTTPS and on localhost (Fetch
Metadata), ``Origin`` elsewhere (RFC 6454). So forms need no tokens. The session cookie is also ``SameSite=Lax``.

The JSON API is not checked. It ignores cookies, so a request from another site has no authority there.
"""

from __future__ import annotations

from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import CrossSite
from meadhall.server.web.links import origin_of, public_origin
from meadhall.server.web.request import AnyRequest
from meadhall.server.web.sessions import COOKIE

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods that change nothing (RFC 9110, 9.2.1)."""

_ACCEPTED_SITES: Final = frozenset({"same-origin", "none"})
"""``none``: the user started the request, for example by reloading the page."""


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
        own = {origin_of(str(request.base_url)), public_origin()} - {None}
        return own.issuperset(map(origin_of, origins))
    return COOKIE not in request.cookies
