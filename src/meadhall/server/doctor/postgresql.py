"""Checks of a PostgreSQL server: its kind, settings and clock, its connections, and a connection pooler in front of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, func, select, text

from meadhall.engine.text.language import gettext as _
from meadhall.server.doctor.findings import TOLERANCE, Finding
from meadhall.server.settings import Settings
from meadhall.server.store.connections import OF_HALLS, Pooling, connections_possible

_OLDEST_POSTGRESQL: Final = 150_000
"""Version 15, the oldest that the PostgreSQL project maintains, as ``server_version_num`` counts."""

_OUTSIDE_THE_POOL: Final = 2
"""Other connections of a process: on one it hears of the others, on one it renews its lease."""


def connections_needed(settings: Settings) -> int:
    """Return how many connections the processes of a hall may need together."""
    return settings.workers * (settings.database_connections + _OUTSIDE_THE_POOL)


async def try_connections(settings: Settings) -> Finding:
    """Try whether a connection pooler has as many connections as needed."""
    needed = connections_needed(settings)
    possible = await connections_possible(settings.url, needed)
    if possible == needed:
        return Finding("database", "ok", _("a connection pooler gives the hall {count} connections").format(count=needed))
    return Finding(
        "database",
        "wrong",
        _("the hall may need {needed} connections, and the connection pooler gives {possible}").format(
            needed=needed, possible=possible
        ),
        _(
            "Raise default_pool_size in pgbouncer.ini and max_connections in postgresql.conf, lower "
            "MEADHALL_DATABASE_CONNECTIONS, or run fewer workers."
        ),
    )


def check_server(connection: Connection, needed: int, pooling: Pooling) -> Iterator[Finding]:
    """Check what kind of PostgreSQL this is, its settings and its clock, and whether it has as many connections as needed."""

    def setting(name: str) -> Any:
        return connection.execute(text("SELECT current_setting(:name, true)"), {"name": name}).scalar()

    version = int(setting("server_version_num"))
    if version < _OLDEST_POSTGRESQL:
        yield Finding(
            "database",
            "warning",
            _("PostgreSQL {version} is no longer maintained").format(version=setting("server_version")),
            _("Update PostgreSQL to version 15 or newer."),
        )
    else:
        yield Finding("database", "ok", _("PostgreSQL {version}").format(version=setting("server_version")))
    if setting("server_encoding") != "UTF8":
        yield Finding(
            "database",
            "wrong",
            _("the database has the encoding {encoding}").format(encoding=setting("server_encoding")),
            _("Create it with the encoding UTF8: createdb -E UTF8 -T template0 NAME."),
        )
    if setting("transaction_read_only") == "on":
        yield Finding(
            "database",
            "wrong",
            _("the server is read-only, e.g. a standby"),
            _("Let MEADHALL_DATABASE_URL name the primary server."),
        )
    if "off" in (setting("fsync"), setting("synchronous_commit")):
        yield Finding(
            "database",
            "warning",
            _("a power cut can lose actions that the hall has confirmed, because fsync or synchronous_commit is off"),
            _("Switch both on in postgresql.conf."),
        )
    if pooling is Pooling.NONE:
        yield _connections(connection, setting, needed)
    yield from _check_clocks(connection)


def _connections(connection: Connection, setting: Any, needed: int) -> Finding:
    reserved = int(setting("superuser_reserved_connections")) + int(setting("reserved_connections") or 0)
    others = connection.execute(
        text("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name !~ :halls"),
        {"halls": OF_HALLS},
    ).scalar_one()
    limits = connection.execute(
        text(
            "SELECT rolconnlimit, datconnlimit FROM pg_roles, pg_database "
            "WHERE rolname = current_user AND datname = current_database()"
        )
    ).one()
    free = int(setting("max_connections")) - reserved - int(others)
    free = min([free, *(limit for limit in limits if limit >= 0)])
    if free < needed:
        return Finding(
            "database",
            "wrong",
            _("the hall may need {needed} connections, and only {free} are free").format(needed=needed, free=free),
            _(
                "Raise max_connections in postgresql.conf, or the connection limit of the role or database, lower "
                "MEADHALL_DATABASE_CONNECTIONS, or run fewer workers."
            ),
        )
    return Finding("database", "ok", _("{free} connections are free, {needed} may be needed").format(needed=needed, free=free))


def _check_clocks(connection: Connection) -> Iterator[Finding]:
    """Compare this machine's clock with the server's, in the middle between question and answer."""
    before = time.time()
    there = connection.execute(select(func.clock_timestamp())).scalar_one()
    difference = there.timestamp() - (before + time.time()) / 2
    if abs(difference) > TOLERANCE:
        yield Finding(
            "clock",
            "warning",
            _("the clock of the database differs by {seconds} s from this one").format(seconds=round(difference)),
            _("Let both machines set their clocks by NTP, e.g. with systemd-timesyncd or chrony."),
        )
    else:
        yield Finding("clock", "ok", _("the database and this machine agree about the time"))
