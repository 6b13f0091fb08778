"""``meadhall mcp``: tools with which language models play."""

from __future__ import annotations

import asyncio
import logging
from contextlib import nullcontext
from importlib.util import find_spec
from typing import Annotated
from urllib.parse import urlsplit

import typer

from meadhall.engine.errors import MeadhallError, how_to_install
from meadhall.engine.text.language import gettext as _

OWN_MACHINE = ("127.0.0.1", "localhost", "::1")
"""Names under which only programs of this machine reach a host. For them the server also checks Host and Origin."""


def serve_tools(
    hall: Annotated[
        str | None, typer.Option(help=_("Play in this hall, e.g. http://127.0.0.1:8000; by default here, against bots."))
    ] = None,
    http: Annotated[
        str | None,
        typer.Option(help=_("Serve at this address by HTTP; by default on standard input and output."), metavar="HOST:PORT"),
    ] = None,
    name: Annotated[str | None, typer.Option(help=_("The player's name."))] = None,
    token: Annotated[
        str | None,
        typer.Option(help=_("The token of a guest or a session of the hall."), envvar="MEADHALL_TOKEN", show_envvar=True),
    ] = None,
) -> None:
    """Serve the tools on standard input and output, or at an address by HTTP, until the client or Ctrl-C ends them."""
    if find_spec("fastmcp") is None:
        raise MeadhallError(_("Language models need the package fastmcp: {command}").format(command=how_to_install("mcp")))
    place = None if http is None else address(http)
    is_shared = place is not None and hall is not None and token is None
    if place is not None and not is_shared and place[0] not in OWN_MACHINE:
        raise MeadhallError(
            _(
                "Others can reach {host}, and all clients would be one player there. Name a hall with --hall and leave "
                "--token out: then each client sends its own token of the hall. Or choose 127.0.0.1."
            ).format(host=place[0])
        )
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    from meadhall.mcp.own_hall import own_hall  # noqa: PLC0415
    from meadhall.mcp.tools import serve  # noqa: PLC0415 - needs the packages

    with own_hall() if hall is None else nullcontext(_checked(hall)) as url:
        asyncio.run(serve(url, name or _("Language model"), token, place, is_shared))


def _checked(hall: str) -> str:
    """Return the address of a hall. Raises MeadhallError."""
    if urlsplit(hall).scheme not in ("http", "https") or not urlsplit(hall).hostname:
        raise MeadhallError(_("The hall's address must begin with http:// or https://, not {address}.").format(address=hall))
    return hall


def address(text: str) -> tuple[str, int]:
    """Read ``HOST:PORT``; an IPv6 address is in brackets. Raises MeadhallError."""
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise MeadhallError(_("The address must be HOST:PORT, such as 127.0.0.1:8765, not {address}.").format(address=text))
    return host, port
