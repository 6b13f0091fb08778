"""The socket that the hall listens on, an address and port or a Unix socket, and what the host sees when the hall is open."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import webbrowser
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from stat import S_ISSOCK
from threading import Thread
from typing import Final

from filelock import FileLock, Timeout

from meadhall.engine.errors import MeadhallError
from meadhall.server.ops import systemd
from meadhall.server.ops.logs import JSON
from meadhall.server.ops.machine import is_every_address
from meadhall.server.ops.systemd import OWN, Sockets
from meadhall.server.settings import Settings

log = logging.getLogger(__name__)

_OTHERS_CAN_NOT_CONNECT: Final = 0o117
"""The umask of a Unix socket: its owner and its group may connect (mode 0660)."""


_PATIENCE: Final = 10.0
"""Seconds of a start after which the host wants to know what takes so long."""


class CannotListen(MeadhallError):
    """The port or the Unix socket is in use, or the user may not listen on it."""


@contextmanager
def bind(settings: Settings) -> Iterator[Sockets]:
    """Bind the socket of the settings, or take the one that was left open for this process. At the end of the block close it.

    A Unix socket that this process or an earlier self of it has made is removed then. Raises CannotListen.
    """
    given = systemd.inherited()
    if settings.socket is not None and (given is None or given.name == OWN):
        with _unix_socket(settings.socket, given) as sockets:
            yield sockets
    else:
        sockets = given or Sockets(_bound(settings))
        with sockets.listener:
            yield sockets


def listens_at(settings: Settings, sockets: Sockets) -> Settings:
    """Return the settings with the place at which the hall really listens.

    Another program may have chosen it, or the system: a free port for ``MEADHALL_PORT=0``.
    """
    if sockets.name == OWN and (settings.port or settings.socket):
        return settings
    name = sockets.listener.getsockname()
    place = {"socket": Path(name)} if isinstance(name, str) else {"socket": None, "host": name[0], "port": name[1]}
    return replace(settings, **place)


def _bound(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        if family == socket.AF_INET6 and is_every_address(settings.host):
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)  # IPv4, too, on every system
        host, _port, *zone = socket.getaddrinfo(settings.host, None, family, socket.SOCK_STREAM)[0][4]
        listener.bind((host, settings.port, *zone))
    except (OSError, OverflowError) as error:
        listener.close()
        raise CannotListen(
            f"can't listen on {settings.authority} ({error.strerror if isinstance(error, OSError) else error}); "
            "choose another port with MEADHALL_PORT or another address with MEADHALL_HOST"
        ) from None
    return listener


@contextmanager
def _unix_socket(path: Path, given: Sockets | None) -> Iterator[Sockets]:
    """Bind a Unix socket in place of one that a killed server left behind.

    A server holds a lock beside its socket. So a socket file without that lock is stale, also if two servers start at once.
    ``given``: what an earlier self of this process has bound.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise CannotListen("this system has no Unix sockets; use MEADHALL_HOST and MEADHALL_PORT instead of MEADHALL_SOCKET")
    lock = FileLock(path.with_name(f"{path.name}.lock"), mode=0o600)
    sockets = given or Sockets(socket.socket(socket.AF_UNIX))
    listener = sockets.listener
    try:
        lock.acquire(timeout=0 if given is None else _PATIENCE)  # another hall that starts may have it for a moment
        if given is None:
            _remove_stale(path)
            before = os.umask(_OTHERS_CAN_NOT_CONNECT)
            try:
                listener.bind(str(path))
            finally:
                os.umask(before)
    except Timeout:
        listener.close()
        raise CannotListen(f"another hall listens on {path}; stop it, or choose another path with MEADHALL_SOCKET") from None
    except OSError as error:
        listener.close()
        lock.release()
        raise CannotListen(
            f"can't listen on the Unix socket {path} ({error.strerror or error}); choose another path with MEADHALL_SOCKET, "
            "in a folder that this user may write to"
        ) from None
    try:
        with listener:
            yield sockets
    finally:
        with suppress(FileNotFoundError):  # the folder may have been removed first
            path.unlink()
        lock.release()


def _remove_stale(path: Path) -> None:
    """Remove a socket at which no program listens. Raises OSError if one does, or if the file is not a socket."""
    try:
        if not S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(None, "there is a file that is not a socket")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
        else:
            raise FileExistsError(None, "another program listens there")


def address(settings: Settings) -> str:
    """Return the address for everyone, or else for a browser on this machine if only that can reach the hall."""
    if settings.socket is not None and not settings.public_url:
        return f"unix:{settings.socket}"
    return f"{settings.url_for_others or settings.url_here}/"


def _about_reach(settings: Settings) -> Iterator[str]:
    """Yield a line for a host at home about who can open the hall, unless that goes without saying."""
    if settings.public_url or settings.socket is not None or settings.development:
        return
    if settings.is_on_this_machine:
        yield "Only this machine can open it. To let others in, start it with: make play LAN=1 (or: meadhall serve --lan)"
    elif not settings.url_for_others:
        yield "Only this machine can open it: it is in no network."
    elif is_every_address(settings.host):
        yield f"On this machine also: {settings.url_here}/"


async def announce(settings: Settings, ready: Awaitable[object]) -> None:
    """Say that the hall is open, when it is ready: to the host, and to systemd. If that takes long, say what it waits for."""
    url = address(settings)
    waiting = asyncio.ensure_future(ready)
    if not (await asyncio.wait([waiting], timeout=_PATIENCE))[0]:
        log.info("The rules of the games are being loaded; at the first start that takes minutes. %s answers meanwhile", url)
        systemd.notify("STATUS=The rules of the games are being loaded")
    await waiting
    if settings.log == JSON:
        log.info("The hall is open: %s", url)
    else:
        print("\n".join([f"The hall is open: {url}", *_about_reach(settings)]), flush=True)
    systemd.notify(systemd.READY, f"STATUS=The hall is open: {url}")


def open_browser(settings: Settings) -> None:
    """Let a browser on this machine show the hall, if the settings want one."""
    url = address(settings)
    if settings.browser and url.startswith("http"):
        Thread(target=webbrowser.open, args=(url,), name="browser", daemon=True).start()
