"""The socket that the hall listens on, and its address for browsers."""

from __future__ import annotations

import socket
from dataclasses import replace

from meadhall.engine.errors import MeadhallError
from meadhall.server.settings import Settings


class CannotListen(MeadhallError):
    """The port is in use, or the user may not listen on it."""


def bind(settings: Settings) -> socket.socket:
    """Return a bound socket. Raises CannotListen."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        host, _port, *zone = socket.getaddrinfo(settings.host, None, family, socket.SOCK_STREAM)[0][4]
        listener.bind((host, settings.port, *zone))
    except (OSError, OverflowError) as error:
        listener.close()
        raise CannotListen(
            f"can't listen on {settings.authority} ({error.strerror if isinstance(error, OSError) else error}); "
            "choose another port with MEADHALL_PORT or another address with MEADHALL_HOST"
        ) from None
    return listener


def address(settings: Settings) -> str:
    """Return the address for a browser on this machine, also if the server listens on all interfaces."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104 - compared, not bound
    return f"http://{replace(settings, host=host).authority}/"
