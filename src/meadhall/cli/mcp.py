"""``meadhall mcp``: tools with which language models play."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from meadhall.engine.compile import mode
from meadhall.engine.errors import MeadhallError, how_to_install
from meadhall.engine.text.language import gettext as _

if TYPE_CHECKING:
    from meadhall.mcp.tables import Tables


class NoModelContextProtocol(MeadhallError):
    """The SDK of the Model Context Protocol is not installed."""


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
    if find_spec("mcp") is None:
        raise NoModelContextProtocol(_("Language models need the package mcp: {command}").format(command=how_to_install("mcp")))
    mode.prefer_interpreted()  # a match against quick bots needs no compiler
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    from meadhall.mcp.server import build  # noqa: PLC0415 - needs the package

    if http is None:
        build(_tables(hall, name or _("Language model"), token or "")).run("stdio")
        return
    host, port = address(http)
    if hall is not None and token is None:
        from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415

        from meadhall.mcp.players import Players  # noqa: PLC0415

        # A page of another site doesn't know a token. So a proxy may use any name for Host.
        unnamed = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        build(Players(_checked(hall))).run("streamable-http", host=host, port=port, transport_security=unnamed)
    elif _is_own_machine(host):
        build(_tables(hall, name or _("Language model"), token or "")).run("streamable-http", host=host, port=port)
    else:
        raise MeadhallError(
            _(
                "Others can reach {host}, and all clients would be one player there. Name a hall with --hall and leave "
                "--token out: then each client sends its own token of the hall. Or choose 127.0.0.1."
            ).format(host=host)
        )


def _is_own_machine(host: str) -> bool:
    """Return whether only programs of this machine reach a host. For these names the server also checks Host and Origin."""
    return host in ("127.0.0.1", "localhost", "::1")


def _tables(hall: str | None, name: str, token: str) -> Tables:
    if hall is None:
        from meadhall.mcp.local import LocalTables  # noqa: PLC0415

        return LocalTables(name)
    from meadhall.mcp.hall import HallTables  # noqa: PLC0415

    return HallTables(_checked(hall), name, token)


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
