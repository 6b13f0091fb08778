"""Checks of the network: the port or Unix socket, and the way through a proxy to a running hall."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from meadhall.engine.text.language import gettext as _
from meadhall.server.doctor.findings import Finding
from meadhall.server.hall.notices.push_service import contact_at
from meadhall.server.listener import CannotListen, bind
from meadhall.server.ops.machine import host_here
from meadhall.server.routes.echo import PATH, PAUSE
from meadhall.server.settings import Settings

_TIMEOUT: Final = 10.0
"""Seconds to wait for a connection or an answer."""

_LONGEST_ANSWER: Final = 10_000
"""Bytes. A program that is not a hall may answer anything."""


@dataclass(frozen=True)
class Arrival:
    """How a request arrived at the hall.

    Attributes:
        scheme: as the hall sees it.
        host: the Host header as the hall sees it.
        client: the address of the client as the hall sees it.
        forwarded_for: the header ``X-Forwarded-For``, trusted or not.
        forwarded_scheme: the header ``X-Forwarded-Proto``, trusted or not.
    """

    scheme: str
    host: str
    client: str
    forwarded_for: str
    forwarded_scheme: str


class _UnixConnection(HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=_TIMEOUT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(_TIMEOUT)
        self.sock.connect(str(self._path))


def status_of(settings: Settings) -> str:
    """Return the status that a hall on this machine tells, "" if no hall answers."""
    host, path = host_here(settings.host), settings.socket
    connection = HTTPConnection(host, settings.port, timeout=_TIMEOUT) if path is None else _UnixConnection(path)
    with closing(connection), suppress(OSError, HTTPException, ValueError, LookupError, TypeError):
        connection.request("GET", "/health/ready")
        return str(json.loads(connection.getresponse().read(_LONGEST_ANSWER))["status"])
    return ""


def check_port(settings: Settings, status: str) -> Iterator[Finding]:
    """Check that the address to listen on is free, unless a hall answers there with this status."""
    place = str(settings.socket or settings.authority)
    if status == "ok":
        yield Finding("port", "ok", _("a hall answers at {place}").format(place=place))
    elif status == "loading":
        advice = _("Wait until the log says that the hall is open; at the first start that takes some minutes.")
        yield Finding("port", "warning", _("the hall at {place} still loads the rules of its games").format(place=place), advice)
    elif status:
        advice = _("Look at the log of the hall, and at what this says about the database.")
        yield Finding("port", "wrong", _("the hall at {place} says: {status}").format(place=place, status=status), advice)
    else:
        try:
            with bind(settings):
                pass
        except CannotListen as error:
            advice = _("Stop the program that listens there, or choose another port with MEADHALL_PORT.")
            yield Finding("port", "wrong", str(error), advice)
        else:
            yield Finding("port", "ok", _("{place} is free").format(place=place))


def check_push(public_url: str) -> Iterator[Finding]:
    """Check that the hall has a public address, without which it offers no push messages."""
    if contact := contact_at(public_url):
        yield Finding("push", "ok", _("push services get the contact {url}").format(url=contact))
    elif public_url:
        advice = _("Set MEADHALL_URL to an address with a name that begins with https://.")
        yield Finding("push", "warning", _("no push messages are offered: {url} isn't public").format(url=public_url), advice)
    else:
        yield Finding("push", "ok", _("no push messages are offered: MEADHALL_URL isn't set"))


def check_proxy(public_url: str) -> Iterator[Finding]:
    """Ask the running hall at its public address how requests arrive, and whether its streams are held back."""
    parts = urlsplit(public_url)
    connection: HTTPConnection
    if parts.scheme == "https":
        connection = HTTPSConnection(parts.netloc, timeout=_TIMEOUT, context=ssl.create_default_context())
    else:
        connection = HTTPConnection(parts.netloc, timeout=_TIMEOUT)
    try:
        with closing(connection):
            connection.request("GET", f"{parts.path}{PATH}", headers={"Accept-Encoding": "identity"})
            response = connection.getresponse()
            if response.status != 200:
                yield _not_the_hall(public_url, f"{response.status} {response.reason}")
                return
            arrival = _first_event(response)
            first = time.monotonic()
            response.read(_LONGEST_ANSWER)
            pause = time.monotonic() - first
    except ssl.SSLError as error:
        advice = _("Renew the certificate of the proxy, or correct the name in MEADHALL_URL.")
        text = _("the certificate of {url} is refused: {reason}").format(url=public_url, reason=error.reason or str(error))
        yield Finding("proxy", "wrong", text, advice)
        return
    except (OSError, HTTPException, ValueError, TypeError) as error:
        yield _not_the_hall(public_url, str(error))
        return
    yield from _check_arrival(arrival, parts.scheme, parts.netloc)
    yield _streams(pause)
    if parts.scheme == "https":
        yield _protocol(parts.hostname or "", parts.port or 443)


def _first_event(response: HTTPResponse) -> Arrival:
    """Return the content of the first event. Raises ValueError or TypeError if it is not from a hall."""
    line = response.readline(_LONGEST_ANSWER).decode()
    return Arrival(**json.loads(line.removeprefix("data: ")))


def _not_the_hall(url: str, reason: str) -> Finding:
    return Finding(
        "proxy",
        "wrong",
        _("no hall answers at {url}: {reason}").format(url=url, reason=reason),
        _("Start the hall and the proxy, and compare MEADHALL_URL with the proxy's address and path."),
    )


def _check_arrival(arrival: Arrival, scheme: str, host: str) -> Iterator[Finding]:
    if arrival.forwarded_for and arrival.client not in arrival.forwarded_for:
        yield Finding(
            "proxy",
            "wrong",
            _("the hall does not trust the proxy at {address}, so all guests count as one client").format(address=arrival.client),
            _("Set MEADHALL_PROXIES={address}.").format(address=arrival.client),
        )
    elif not arrival.forwarded_for and scheme == "https":
        yield Finding(
            "proxy",
            "warning",
            _("the proxy does not tell the address of its clients, so all guests count as one client"),
            _("Let it send X-Forwarded-For; deploy/ has a working file for nginx and one for Caddy."),
        )
    else:
        yield Finding("proxy", "ok", _("the hall sees this request come from {address}").format(address=arrival.client))
    if arrival.host.lower() != host.lower():
        yield Finding(
            "proxy",
            "wrong",
            _("the hall is asked for the host {found} instead of {expected}").format(found=arrival.host, expected=host),
            _("Let the proxy pass the Host header on unchanged; otherwise links are wrong and forms are refused."),
        )
    else:
        yield Finding("proxy", "ok", _("the Host header arrives unchanged"))
    if arrival.scheme != scheme or arrival.forwarded_scheme not in ("", scheme):
        yield Finding(
            "proxy",
            "wrong",
            _("the hall takes this request for {found}, but it was {expected}").format(
                found=arrival.forwarded_scheme or arrival.scheme, expected=scheme
            ),
            _("Let the proxy send X-Forwarded-Proto, and name it in MEADHALL_PROXIES; otherwise cookies are not secure."),
        )
    else:
        yield Finding("proxy", "ok", _("the hall knows that it is reached by {scheme}").format(scheme=scheme))


def _streams(pause: float) -> Finding:
    if pause < PAUSE / 2:
        return Finding(
            "proxy",
            "wrong",
            _("the proxy holds streams back, so pages would not show other players' moves"),
            _("Switch buffering off for text/event-stream, e.g. proxy_buffering off in nginx."),
        )
    return Finding("proxy", "ok", _("streams arrive at once"))


def _protocol(host: str, port: int) -> Finding:
    """Check that the proxy speaks HTTP/2: a browser opens only six connections to an HTTP/1.1 host."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        suppress(OSError),
        socket.create_connection((host, port), _TIMEOUT) as plain,
        context.wrap_socket(plain, server_hostname=host) as encrypted,
    ):
        if encrypted.selected_alpn_protocol() == "h2":
            return Finding("proxy", "ok", _("browsers can use HTTP/2"))
    return Finding(
        "proxy",
        "warning",
        _("the proxy does not speak HTTP/2, so a browser can show only six pages of the hall"),
        _("Switch HTTP/2 on at the proxy, e.g. http2 on in nginx."),
    )
