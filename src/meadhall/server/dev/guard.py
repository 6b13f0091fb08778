"""Protection against DNS rebinding: a page of another site must not reach development mode under a foreign name.

A site can let its name lead to 127.0.0.1. Then its pages and the hall have the same origin for a browser. So a hall that only
this machine can reach answers below ``/dev`` under the names of this machine only.
"""

from __future__ import annotations

from typing import Any

from litestar.connection import ASGIConnection
from litestar.exceptions import PermissionDeniedException
from litestar.handlers import BaseRouteHandler

from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.hall import Hall
from meadhall.server.web.forwarded import is_name_of_this_machine, own_host


def refuse_other_names(connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler) -> None:
    """Refuse a request under another name if only this machine can reach the hall. Raises PermissionDeniedException.

    The name is the Host header of the connection itself: any page can send ``X-Forwarded-Host``.
    """
    hall: Hall = connection.app.state.hall
    if hall.settings.is_on_this_machine and not is_name_of_this_machine(own_host(connection.scope)):
        raise PermissionDeniedException(
            _("Open development mode under the name localhost, or under the address that it listens on.")
        )
