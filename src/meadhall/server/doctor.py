"""Checks of what a hall needs: its settings, folder, disk, compiled rules and port, and the way through a proxy.

Each check reports what it found, and a remedy. Nothing is changed.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import ssl
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final, Literal
from urllib.parse import SplitResult, urlsplit

from meadhall.engine.compile import mode
from meadhall.engine.compile.mode import cache_root
from meadhall.engine.compile.rule import check_cache
from meadhall.engine.errors import NoCache
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _, listed
from meadhall.lab.warm import is_warm
from meadhall.server.hall.mail_service import connection_to
from meadhall.server.listener import CannotListen, bind
from meadhall.server.ops.machine import host_here
from meadhall.server.routes.monitoring import PATH, PAUSE
from meadhall.server.settings import BadSetting, MailServer, Settings, known_variables
from meadhall.server.store.files import PRIVATE_FOLDER

_MEGABYTE: Final = 1 << 20

_LEAST_SPACE: Final = 200 * _MEGABYTE
"""Bytes of free space below which a hall will soon refuse to store."""

_SPACE_TO_COMPILE: Final = 500 * _MEGABYTE

_TIMEOUT: Final = 10.0
"""Seconds to wait for a connection or an answer."""

_LONGEST_ANSWER: Final = 10_000
"""Bytes. A program that is not a hall may answer anything."""

Status = Literal["ok", "warning", "wrong"]


@dataclass(frozen=True)
class Finding:
    """A result of a check.

    Attributes:
        check: what was checked: ``settings``, ``folder``, ``cache``, ``mail``, ``port`` or ``proxy``.
        status: ``wrong`` if the hall can't work like this, ``warning`` if it works worse than it could.
        text: what was found.
        advice: what to do about it; "" if all is well.
    """

    check: str
    status: Status
    text: str
    advice: str = ""


def examine(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Check the hall that these environment variables describe."""
    yield _check_variables(environment)
    try:
        settings = Settings.from_environment(environment)
    except BadSetting as error:
        yield Finding("settings", "wrong", str(error), _("Correct this setting; the other checks need it."))
        return
    yield from _check_folder(settings)
    yield from check_compiled_rules()
    if settings.smtp is not None:
        yield asyncio.run(_check_mail(settings.smtp, urlsplit(settings.public_url).hostname or ""))
    status = _status_of(settings)
    yield _check_port(settings, status)
    if settings.public_url and status:
        yield from check_proxy(settings.public_url)
    elif settings.public_url:
        text = _("no hall runs here, so {url} was not tried").format(url=settings.public_url)
        yield Finding("proxy", "warning", text, _("Start the hall and run this again."))


def _check_variables(environment: Mapping[str, str]) -> Finding:
    """Look for variables that no setting reads: their names are probably misspelt."""
    known = known_variables()
    unknown = sorted(name for name in environment if name.startswith("MEADHALL_") and name not in known)
    if not unknown:
        return Finding("settings", "ok", _("all settings can be used"))
    text = _("no setting is called {names}").format(names=listed(unknown))
    return Finding("settings", "warning", text, _("Compare the names with docs/host/settings.md."))


# ---------------------------------------------------------------------------------------------------------------- this machine


def _check_folder(settings: Settings) -> Iterator[Finding]:
    """Check the folder of the database: whether it can be written, who may read it, and the free space."""
    folder = settings.database.resolve().parent
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with TemporaryFile(dir=existing):
            pass
    except OSError as error:
        text = _("{folder} can't be written: {reason}").format(folder=existing, reason=error.strerror)
        advice = _("Give the user of the hall the right to write there, or choose another folder with MEADHALL_DATA.")
        yield Finding("folder", "wrong", text, advice)
        return
    if existing != folder:
        yield Finding("folder", "ok", _("{folder} will be created").format(folder=folder))
    elif os.name == "posix" and stat.S_IMODE(folder.stat().st_mode) & ~PRIVATE_FOLDER:
        text = _("other users can look into {folder}, where the keys of the hall are").format(folder=folder)
        yield Finding("folder", "warning", text, _("Run: {command}").format(command=f"chmod 700 {folder}"))
    else:
        yield Finding("folder", "ok", _("{folder} can be written").format(folder=folder))
    yield from _check_space("folder", existing, _LEAST_SPACE)


def check_compiled_rules() -> Iterator[Finding]:
    """Check that compiled rules can be stored, and whether they are."""
    if mode.interpreted:
        text = _("MEADHALL_INTERPRET is set, so bots run uncompiled")
        yield Finding("cache", "warning", text, _("Unset MEADHALL_INTERPRET, so that bots search as far as their level says."))
        return
    cold = [game(name).title for name in game_names() if not is_warm(game(name))]
    if not cold:
        yield Finding("cache", "ok", _("the rules of all games are compiled in {folder}").format(folder=cache_root()))
        return
    try:
        check_cache()
    except NoCache as error:
        yield Finding("cache", "wrong", str(error), _("Set MEADHALL_CACHE to a folder that the user of the hall may write to."))
        return
    advice = _("Run `meadhall warm`, or wait some minutes after the first start; it needs 1 GB of memory.")
    yield Finding("cache", "warning", _("not yet compiled: {games}").format(games=listed(cold)), advice)
    yield from _check_space("cache", cache_root(), _SPACE_TO_COMPILE)


def _check_space(check: str, folder: Path, least: int) -> Iterator[Finding]:
    free = shutil.disk_usage(folder).free
    if free < least:
        status: Status = "wrong" if free < least // 10 else "warning"
        text = _("only {free} MB are free at {folder}").format(free=free // _MEGABYTE, folder=folder)
        yield Finding(check, status, text, _("Make room on that disk."))


# -------------------------------------------------------------------------------------------------------------------- the port


class _UnixConnection(HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=_TIMEOUT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(_TIMEOUT)
        self.sock.connect(str(self._path))


async def _check_mail(server: MailServer, own_host: str) -> Finding:
    """Connect to the mail server and sign in, as for a mail, and send none."""
    where = f"{server.host}:{server.port}"
    try:
        async with asyncio.timeout(_TIMEOUT), await connection_to(server, own_host):
            return Finding("mail", "ok", _("{server} sends the mails of the hall").format(server=where))
    except Exception as error:  # aiosmtplib.SMTPException, OSError and what else may be wrong with a server
        text = _("{server} takes no mails: {reason}").format(server=where, reason=str(error) or _("no answer"))
        return Finding("mail", "wrong", text, _("Compare MEADHALL_SMTP with what the provider of the mailbox says."))


def _status_of(settings: Settings) -> str:
    """Return the status that a hall on this machine tells, "" if no hall answers."""
    host, path = host_here(settings.host), settings.socket
    connection = HTTPConnection(host, settings.port, timeout=_TIMEOUT) if path is None else _UnixConnection(path)
    with closing(connection), suppress(OSError, HTTPException, ValueError, LookupError, TypeError):
        connection.request("GET", "/health/ready")
        return str(json.loads(connection.getresponse().read(_LONGEST_ANSWER))["status"])
    return ""


def _check_port(settings: Settings, status: str) -> Finding:
    """Check that the address to listen on is free, unless a hall answers there with this status."""
    place = str(settings.socket or settings.authority)
    if status == "ok":
        return Finding("port", "ok", _("a hall answers at {place}").format(place=place))
    if status == "loading":
        advice = _("Wait until the log says that the hall is open; at the first start that takes some minutes.")
        return Finding("port", "warning", _("the hall at {place} still loads the rules of its games").format(place=place), advice)
    if status:
        text = _("the hall at {place} says: {status}").format(place=place, status=status)
        return Finding("port", "wrong", text, _("Look at the log of the hall."))
    try:
        with bind(settings):
            return Finding("port", "ok", _("{place} is free").format(place=place))
    except CannotListen as error:
        advice = _("Stop the program that listens there, or choose another port with MEADHALL_PORT.")
        return Finding("port", "wrong", str(error), advice)


# ------------------------------------------------------------------------------------------------------------------- the proxy


@dataclass(frozen=True)
class _Arrival:
    """How a request arrived at the hall: as the hall sees it, and what the proxy forwarded, trusted or not."""

    scheme: str
    host: str
    client: str
    forwarded_for: str
    forwarded_scheme: str


def check_proxy(public_url: str) -> Iterator[Finding]:
    """Ask the running hall at its public address how requests arrive, and whether its streams are held back."""
    url = urlsplit(public_url)
    try:
        arrival, pause = _ask(url)
    except ssl.SSLError as error:
        text = _("the certificate of {url} is refused: {reason}").format(url=public_url, reason=error.reason or str(error))
        yield Finding("proxy", "wrong", text, _("Renew the certificate of the proxy, or correct the name in MEADHALL_URL."))
        return
    except (OSError, HTTPException, ValueError, TypeError) as error:
        text = _("no hall answers at {url}: {reason}").format(url=public_url, reason=error)
        advice = _("Start the hall and the proxy, and compare MEADHALL_URL with the proxy's address and path.")
        yield Finding("proxy", "wrong", text, advice)
        return
    found = [*_check_arrival(arrival, url), *_check_way(url, pause)]
    text = _("the hall is reached at {url}, and sees this request come from {address}")
    yield from found or [Finding("proxy", "ok", text.format(url=public_url, address=arrival.client))]


def _ask(url: SplitResult) -> tuple[_Arrival, float]:
    """Return how a request arrives, and the seconds between the two events of the answer.

    Raises OSError, HTTPException, ValueError or TypeError if no hall answers.
    """
    connection: HTTPConnection
    if url.scheme == "https":
        connection = HTTPSConnection(url.netloc, timeout=_TIMEOUT, context=ssl.create_default_context())
    else:
        connection = HTTPConnection(url.netloc, timeout=_TIMEOUT)
    with closing(connection):
        connection.request("GET", f"{url.path}{PATH}", headers={"Accept-Encoding": "identity"})
        response: HTTPResponse = connection.getresponse()
        if response.status != 200:
            raise HTTPException(f"{response.status} {response.reason}")
        line = response.readline(_LONGEST_ANSWER).decode()
        arrival, first = _Arrival(**json.loads(line.removeprefix("data: "))), time.monotonic()
        response.read(_LONGEST_ANSWER)
        return arrival, time.monotonic() - first


def _check_arrival(arrival: _Arrival, url: SplitResult) -> Iterator[Finding]:
    """Check that the proxy tells the address of its clients, the host and the scheme, and that the hall believes it."""
    if arrival.forwarded_for and arrival.client not in arrival.forwarded_for:
        text = _("the hall does not trust the proxy at {address}, so all guests count as one client")
        advice = _("Set MEADHALL_PROXIES={address}.").format(address=arrival.client)
        yield Finding("proxy", "wrong", text.format(address=arrival.client), advice)
    elif not arrival.forwarded_for and url.scheme == "https":
        text = _("the proxy does not tell the address of its clients, so all guests count as one client")
        advice = _("Let it send X-Forwarded-For; deploy/ has a working file for nginx and one for Caddy.")
        yield Finding("proxy", "warning", text, advice)
    if arrival.host.lower() != url.netloc.lower():
        text = _("the hall is asked for the host {found} instead of {expected}")
        advice = _("Let the proxy pass the Host header on unchanged; otherwise links are wrong and forms are refused.")
        yield Finding("proxy", "wrong", text.format(found=arrival.host, expected=url.netloc), advice)
    if arrival.scheme != url.scheme or arrival.forwarded_scheme not in ("", url.scheme):
        text = _("the hall takes this request for {found}, but it was {expected}")
        advice = _("Let the proxy send X-Forwarded-Proto, and name it in MEADHALL_PROXIES; otherwise cookies are not secure.")
        found = arrival.forwarded_scheme or arrival.scheme
        yield Finding("proxy", "wrong", text.format(found=found, expected=url.scheme), advice)


def _check_way(url: SplitResult, pause: float) -> Iterator[Finding]:
    """Check that streams arrive at once, and that browsers can use HTTP/2: they open only six connections to an HTTP/1.1 host."""
    if pause < PAUSE / 2:
        text = _("the proxy holds streams back, so pages would not show other players' moves")
        yield Finding("proxy", "wrong", text, _("Switch buffering off for text/event-stream, e.g. proxy_buffering off in nginx."))
    if url.scheme == "https" and not _speaks_http2(url.hostname or "", url.port or 443):
        text = _("the proxy does not speak HTTP/2, so a browser can show only six pages of the hall")
        yield Finding("proxy", "warning", text, _("Switch HTTP/2 on at the proxy, e.g. http2 on in nginx."))


def _speaks_http2(host: str, port: int) -> bool:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        suppress(OSError),
        socket.create_connection((host, port), _TIMEOUT) as plain,
        context.wrap_socket(plain, server_hostname=host) as encrypted,
    ):
        return encrypted.selected_alpn_protocol() == "h2"
    return False
