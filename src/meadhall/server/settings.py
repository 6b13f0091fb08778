"""Settings of the server, from environment variables or flags of ``meadhall serve``."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from email.utils import parseaddr
from importlib.util import find_spec
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from platformdirs import user_data_path

from meadhall.engine.errors import MeadhallError, how_to_install
from meadhall.server.ops.logs import JSON, TEXT
from meadhall.server.ops.machine import host_here, host_in_network

_WEB_PORTS: Final = {"http": 80, "https": 443}

_SUB_PATH: Final = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?", re.ASCII)
"""Segments of unreserved characters (RFC 3986, 2.3), which are the same in every part of a proxy, a browser and a cookie."""

_NO_BRACKETS = str.maketrans("", "", "[]")

Number = TypeVar("Number", int, float)


OPEN: Final = "open"
INVITED: Final = "invited"
ACCOUNTS: Final = "accounts"
_ADMISSIONS: Final = (OPEN, INVITED, ACCOUNTS)

_NOW_SWITCHES: Final = {
    "MEADHALL_CHAT": "chat",
    "MEADHALL_REPORTS": "reports",
    "MEADHALL_TABLES_PER_GUEST": "tables_per_guest",
}
"""Variables of earlier versions, and the switches that have replaced them. A hall doesn't start as if they were not set."""

_READ_ELSEWHERE: Final = frozenset({"MEADHALL_BOTS", "MEADHALL_CACHE", "MEADHALL_INTERPRET", "MEADHALL_LANG", "MEADHALL_TOKEN"})
"""Variables that the engine and the command read."""


_OF_THE_START: Final = ("MEADHALL_HOST", "MEADHALL_PORT", "MEADHALL_SOCKET", "MEADHALL_URL", "MEADHALL_ADMISSION")
"""What commands beside a hall must know of its start, because they print links to it."""


class BadSetting(MeadhallError):
    """A setting has a value that can't be used."""


@dataclass(frozen=True)
class Retention:
    """For how many days a hall keeps what it may delete; 0: for ever.

    Attributes:
        lobbies: tables whose match has not begun, or that were closed before it, since they were opened.
        abandoned: matches that were given up without a result, since their end.
        chat: the chat of a table, since the end of its match; and cases that were decided, since then.
        guests: guests without an account of whom nothing else is stored, since their first choice.
    """

    lobbies: int = 30
    abandoned: int = 365
    chat: int = 365
    guests: int = 365


MAIL_ADDRESS: Final = re.compile(
    r"(?=.{3,254}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@"
    r"([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?",
    re.ASCII,
)
"""The form of mail addresses: a dot-atom and a host name (RFC 5321, 4.1.2), of at most 254 characters."""


@dataclass(frozen=True)
class MailServer:
    """The server that sends the mail of a hall.

    Attributes:
        host, port: where it listens.
        user, password: with which the hall signs in; "" to send without.
        security: ``tls`` from the first byte, ``starttls``, without which nothing is sent, or ``none``.
        sender: the address from which mails come, and ``name``, what stands before it.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    security: str
    sender: str
    name: str


@dataclass(frozen=True)
class Settings:
    """Settings of the server.

    Attributes:
        host: address to listen on: a name, an IPv4 address, or an IPv6 address without brackets.
        port: port to listen on.
        socket: path of a Unix socket to listen on, instead of the host and port.
        public_url: the address at which people reach the hall, without a slash at its end; "" if it is the one they asked for.
        data: folder of the database file.
        browser: whether to open a browser at the start.
        log: form of the log, ``text`` or ``json``.
        admission: who may play: ``open``, ``invited`` or ``accounts``.
        bot_pause: average seconds that a bot takes for an action, its search included.
        requests_per_minute: limit for one client address; 0 for no limit. Streams and static files don't count.
        retention: for how many days the hall keeps what it may delete.
        streams_per_client: number of live pages that one client address may keep open; a guest may keep 50.
        connections_per_client: number of connections, and of open requests, that one client address may have.
        proxies: addresses and networks of proxies whose forwarded headers are trusted, separated by commas; "*" for all.
        metrics_token: the bearer token with which other machines may read metrics; "" if only this one may.
        cluster: address of a Ray cluster whose nodes think for bots: ``auto``, or ``HOST:PORT``; "" if only this machine thinks.
        push_services: origins of push services besides those of the usual browsers.
        smtp: the server that sends mails; None if the hall sends none.
        development: whether developers of games may see everything. Only ``meadhall serve --dev`` sets it;
            no environment variable does.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    socket: Path | None = None
    public_url: str = ""
    data: Path = Path()
    browser: bool = True
    log: str = TEXT
    admission: str = OPEN
    bot_pause: float = 0.9
    requests_per_minute: int = 1200
    retention: Retention = Retention()
    streams_per_client: int = 150
    connections_per_client: int = 200
    proxies: str = "127.0.0.1"
    metrics_token: str = field(default="", repr=False)
    cluster: str = ""
    push_services: tuple[str, ...] = ()
    smtp: MailServer | None = None
    development: bool = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read ``MEADHALL_HOST``, ``MEADHALL_PORT`` and so on; ``environment`` defaults to ``os.environ``. Raises BadSetting."""
        given = os.environ if environment is None else environment
        default = cls()
        for name, switch in _NOW_SWITCHES.items():
            if given.get(name):
                raise BadSetting(f"{name} is a switch now: remove it, and run `meadhall host switch {switch} {given[name]}`")

        def number(name: str, fallback: Number) -> Number:
            text = given.get(name, "")
            try:
                value = type(fallback)(text) if text else fallback
            except ValueError:
                value = type(fallback)(-1)
            if not 0 <= value < math.inf:
                raise BadSetting(f"{name} must be a number of at least 0, not {text!r}")
            return value

        return cls(
            host=_checked_host(given.get("MEADHALL_HOST") or default.host),
            port=number("MEADHALL_PORT", default.port),
            socket=Path(given["MEADHALL_SOCKET"]) if given.get("MEADHALL_SOCKET") else None,
            public_url=_checked_public_url(given.get("MEADHALL_URL", "")),
            data=Path(given.get("MEADHALL_DATA") or user_data_path("meadhall")),
            browser=not given.get("MEADHALL_NO_BROWSER"),
            log=_one_of((TEXT, JSON), "MEADHALL_LOG", given.get("MEADHALL_LOG") or default.log),
            admission=_one_of(_ADMISSIONS, "MEADHALL_ADMISSION", given.get("MEADHALL_ADMISSION") or default.admission),
            bot_pause=number("MEADHALL_BOT_PAUSE", default.bot_pause),
            requests_per_minute=number("MEADHALL_REQUESTS_PER_MINUTE", default.requests_per_minute),
            retention=Retention(
                lobbies=number("MEADHALL_KEEP_LOBBIES", default.retention.lobbies),
                abandoned=number("MEADHALL_KEEP_ABANDONED", default.retention.abandoned),
                chat=number("MEADHALL_KEEP_CHAT", default.retention.chat),
                guests=number("MEADHALL_KEEP_GUESTS", default.retention.guests),
            ),
            streams_per_client=number("MEADHALL_STREAMS_PER_CLIENT", default.streams_per_client),
            connections_per_client=number("MEADHALL_CONNECTIONS_PER_CLIENT", default.connections_per_client),
            proxies=_checked_proxies(given.get("MEADHALL_PROXIES") or default.proxies),
            metrics_token=_checked_token(given.get("MEADHALL_METRICS_TOKEN", "")),
            cluster=_checked_cluster(given.get("MEADHALL_CLUSTER", "")),
            push_services=_checked_origins(given.get("MEADHALL_PUSH_SERVICES", "")),
            smtp=_checked_smtp(given.get("MEADHALL_SMTP", ""), given.get("MEADHALL_URL", "")),
        )

    @property
    def start_file(self) -> Path:
        """The file beside the database that has the settings of the last start."""
        return Path(f"{self.database}.start")

    def note_start(self) -> None:
        """Write the settings of this start for ``of_started_hall``. Raises OSError."""
        values = (self.host, self.port, self.socket or "", self.public_url, self.admission)
        self.start_file.touch(mode=0o600)
        self.start_file.write_text(json.dumps(dict(zip(_OF_THE_START, map(str, values), strict=True))), encoding="utf-8")

    @classmethod
    def of_started_hall(cls, environment: Mapping[str, str]) -> Settings:
        """Read settings as ``from_environment``; what that doesn't say is as at the last start of the hall. Raises BadSetting."""
        given = cls.from_environment(environment)
        with suppress(OSError, ValueError):
            return cls.from_environment(json.loads(given.start_file.read_text(encoding="utf-8")) | environment)
        return given

    @property
    def authority(self) -> str:
        """The host and port as URLs write them: an IPv6 address in brackets (RFC 3986, 3.2.2)."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_on_this_machine(self) -> bool:
        """Whether only this machine can reach the hall: it listens on a loopback address."""
        try:
            return self.socket is None and ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def url_here(self) -> str:
        """The address for this machine, without a slash at its end. It means nothing with a Unix socket."""
        return f"http://{replace(self, host=host_here(self.host)).authority}"

    @property
    def url_for_others(self) -> str:
        """The address for other people and devices, without a slash at its end; "" if only this machine can reach the hall."""
        if self.public_url or self.socket is not None or self.is_on_this_machine:
            return self.public_url
        host = host_in_network(self.host)
        return f"http://{replace(self, host=host).authority}" if host else ""

    @property
    def sub_path(self) -> str:
        """The path of the hall at its public address, without a slash at its end: "/hall", or "" for the whole host."""
        return urlsplit(self.public_url).path

    @property
    def database(self) -> Path:
        """The database file."""
        return self.data / "meadhall.db"


def _one_of(choices: Sequence[str], name: str, text: str) -> str:
    if text not in choices:
        raise BadSetting(f"{name} must be {', '.join(choices[:-1])} or {choices[-1]}, not {text!r}")
    return text


def _checked_cluster(text: str) -> str:
    if text and text != "auto" and not re.fullmatch(r"(ray://)?[^/\s]+:\d{1,5}", text, re.ASCII):
        raise BadSetting(f"MEADHALL_CLUSTER must be auto or an address such as 10.0.0.1:6379, not {text!r}")
    if text and find_spec("ray") is None:
        raise BadSetting(f"MEADHALL_CLUSTER needs Ray, which is not installed: {how_to_install('hall,cluster')}")
    return text


def _checked_token(text: str) -> str:
    if text and not re.fullmatch(r"[A-Za-z0-9._~+/-]{16,200}=*", text, re.ASCII):
        raise BadSetting("MEADHALL_METRICS_TOKEN must have at least 16 letters, digits and ._~+/- (try: openssl rand -hex 16)")
    return text


def known_variables() -> frozenset[str]:
    """Return the names of all environment variables that are settings: those that ``from_environment`` asks for, and others."""
    asked: set[str] = set()

    class Asked(dict[str, str]):
        def get(self, name: str, *_: Any) -> Any:
            asked.add(name)
            return ""

    Settings.from_environment(Asked())
    return _READ_ELSEWHERE | asked


def _checked_host(text: str) -> str:
    """Return the address to listen on, an IPv6 address without its brackets. Raises BadSetting."""
    host = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        if ":" in text or host != text:
            IPv6Address(host)
    except ValueError:
        raise BadSetting(
            "MEADHALL_HOST must be a host name, an IPv4 address or an IPv6 address like ::1 or [::1], without a port, "
            f"not {text!r}; the port is MEADHALL_PORT"
        ) from None
    return host


def _checked_public_url(text: str) -> str:
    """Return the public address without a slash at its end and without its scheme's own port. Raises BadSetting."""
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        port, name = parts.port, (parts.hostname or "").encode("idna").decode()
    except ValueError:  # a port that is no number, brackets that are wrong, a name that can't be written in ASCII
        parts, port, name = urlsplit(""), None, ""
    is_bare = not (parts.query or parts.fragment or "@" in parts.netloc)
    if not (name and is_bare and parts.scheme in _WEB_PORTS and _SUB_PATH.fullmatch(parts.path)):
        raise BadSetting(
            "MEADHALL_URL must be an address like https://hall.example.org/ or https://example.org/hall/, "
            f"its path of letters, digits, '-', '_', '.' and '~', not {text!r}"
        )
    host = f"[{name}]" if ":" in name else name
    written_port = "" if port in (None, _WEB_PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{host}{written_port}{parts.path.rstrip('/')}"


def _checked_origins(text: str) -> tuple[str, ...]:
    """Return origins, such as ``http://10.0.0.3:8030``, that are separated by commas. Raises BadSetting."""
    origins = tuple(each.strip().rstrip("/").lower() for each in text.split(",") if each.strip())
    for origin in origins:
        try:
            parts = urlsplit(origin)
            is_origin = parts.scheme in _WEB_PORTS and parts.hostname and origin == f"{parts.scheme}://{parts.netloc}"
            is_origin = is_origin and "@" not in origin and (parts.port is None or parts.port > 0)
        except ValueError:
            is_origin = False
        if not is_origin:
            raise BadSetting(
                f"MEADHALL_PUSH_SERVICES must be addresses without a path like https://push.example.org, not {origin!r}"
            )
    return origins


_MAIL_PORTS: Final = {"smtp": 587, "smtps": 465}


def _checked_smtp(text: str, public_url: str) -> MailServer | None:
    """Return the server that an address like ``smtp://user:password@host:587?from=…`` describes. Raises BadSetting.

    The error doesn't repeat the address, which has a password in it.
    """
    if not text:
        return None
    if not public_url:
        raise BadSetting("MEADHALL_SMTP needs MEADHALL_URL: mails have links to the hall")
    try:
        parts = urlsplit(text)
        port, options = parts.port, dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True))
    except ValueError:
        parts, port, options = urlsplit(""), None, {}
    name, sender = parseaddr(options.pop("from", ""))
    tls, host = options.pop("tls", ""), parts.hostname or ""
    is_right = parts.scheme in _MAIL_PORTS and host and not (options or parts.fragment or parts.path.strip("/"))
    is_right = is_right and tls in ("", "on", "off") and not (parts.scheme == "smtps" and tls) and port != 0
    if not is_right or bool(parts.username) != bool(parts.password):
        raise BadSetting(
            "MEADHALL_SMTP must be an address like smtp://user:password@mail.example.org:587?from=hall@example.org, or smtps://, "
            "the user and the password percent-encoded; ?tls=off sends without encryption"
        )
    if not MAIL_ADDRESS.fullmatch(sender) or not name.isprintable():
        raise BadSetting(
            f"MEADHALL_SMTP must say from which address mails come, like ?from=Meadhall <hall@example.org>, not {sender!r}"
        )
    here = Settings(host=host).is_on_this_machine
    security = "tls" if parts.scheme == "smtps" else "none" if tls == "off" or (here and not tls) else "starttls"
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return MailServer(host, port or _MAIL_PORTS[parts.scheme], user, password, security, sender, name)


def _checked_proxies(text: str) -> str:
    """Return the addresses of proxies, IPv6 ones without brackets. Raises BadSetting."""
    proxies = [each.strip() for each in text.translate(_NO_BRACKETS).split(",")]
    try:
        if proxies == ["*"]:
            return "*"
        return ",".join(str(ip_network(each, strict=False) if "/" in each else ip_address(each)) for each in proxies)
    except ValueError:
        raise BadSetting(
            f"MEADHALL_PROXIES must be addresses or networks like 127.0.0.1,10.0.0.0/8, or * for all, not {text!r}; "
            "a proxy on the Unix socket needs no name"
        ) from None
