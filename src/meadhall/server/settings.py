"""Settings of the server, from environment variables or flags of ``meadhall serve``."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address
from pathlib import Path
from typing import TypeVar

from platformdirs import user_data_path
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from meadhall.engine.errors import MeadhallError

_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}

_LAST_PORT = 65535

_NO_BRACKETS = str.maketrans("", "", "[]")

Number = TypeVar("Number", int, float)


class BadSetting(MeadhallError):
    """A setting has a value that can't be used."""


@dataclass(frozen=True)
class Settings:
    """Settings of the server.

    Attributes:
        host: address to listen on: a name, an IPv4 address, or an IPv6 address without brackets.
        port: port to listen on.
        data: folder of the database file.
        database_url: another database, e.g. ``postgresql+asyncpg://…``; "" for SQLite in ``data``.
        browser: whether to open a browser at the start.
        bot_pause: average seconds that a bot takes for an action, its search included.
        requests_per_minute: limit for one client address; 0 for no limit. Streams and static files don't count.
        tables_per_guest: number of unfinished tables that a guest may host.
        streams_per_client: number of live pages that one client address may keep open.
        connections_per_client: number of connections, and of open requests, that one client address may have.
        proxies: addresses of proxies whose forwarded headers are trusted, as uvicorn's ``forwarded_allow_ips``.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    data: Path = Path()
    database_url: str = ""
    browser: bool = True
    bot_pause: float = 0.9
    requests_per_minute: int = 1200
    tables_per_guest: int = 50
    streams_per_client: int = 50
    connections_per_client: int = 200
    proxies: str = "127.0.0.1"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read ``MEADHALL_HOST``, ``MEADHALL_PORT`` and so on; ``environment`` defaults to ``os.environ``. Raises BadSetting."""
        given = os.environ if environment is None else environment
        default = cls()

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
            data=Path(given.get("MEADHALL_DATA") or user_data_path("meadhall")),
            database_url=_checked_url(given.get("MEADHALL_DATABASE_URL", "")),
            browser=not given.get("MEADHALL_NO_BROWSER"),
            bot_pause=number("MEADHALL_BOT_PAUSE", default.bot_pause),
            requests_per_minute=number("MEADHALL_REQUESTS_PER_MINUTE", default.requests_per_minute),
            tables_per_guest=number("MEADHALL_TABLES_PER_GUEST", default.tables_per_guest),
            streams_per_client=number("MEADHALL_STREAMS_PER_CLIENT", default.streams_per_client),
            connections_per_client=number("MEADHALL_CONNECTIONS_PER_CLIENT", default.connections_per_client),
            proxies=(given.get("MEADHALL_PROXIES") or default.proxies).translate(_NO_BRACKETS),
        )

    @property
    def authority(self) -> str:
        """The host and port as URLs write them: an IPv6 address in brackets (RFC 3986, 3.2.2)."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def url(self) -> URL:
        """The URL of the database, with its driver."""
        if not self.database_url:
            return URL.create(_DRIVERS["sqlite"], database=str(self.data / "meadhall.db"))
        url = make_url(self.database_url)
        return url.set(drivername=_DRIVERS[url.get_backend_name()])

    @property
    def embedded(self) -> bool:
        """Whether the database is an SQLite file, which only one process can use."""
        return self.url.get_backend_name() == "sqlite"


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


def _checked_url(text: str) -> str:
    """Return ``text`` if it is the URL of a database that the server can use, with or without the name of its driver."""
    try:
        usable = not text or _is_usable(make_url(text))
    except (ArgumentError, ValueError):  # not a URL, or the port is not a number
        usable = False
    if not usable:
        raise BadSetting(
            "MEADHALL_DATABASE_URL must be a URL like postgresql://user:password@host/database or sqlite:////folder/file.db"
        )
    return text


def _is_usable(url: URL) -> bool:
    """Return whether the URL is of PostgreSQL or of an SQLite file. A database in memory would be lost at the end."""
    if url.get_backend_name() == "sqlite":
        return bool(url.database) and not str(url.database).startswith((":memory:", "file:"))
    return url.get_backend_name() in _DRIVERS and (url.port or 0) <= _LAST_PORT
