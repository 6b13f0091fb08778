"""The database's tables. Alembic migrations (``migrations/``) make them; this is what queries are written against."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, DateTime, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table, Text

metadata = MetaData()

secrets = Table(
    "secrets",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", String(200), nullable=False),
)

guests = Table(
    "guests",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(40), nullable=False),
    Column("language", String(8), nullable=False),
    Column("theme", String(8), nullable=False),
    Column("created", DateTime(timezone=True), nullable=False),
)

tables = Table(
    "tables",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("game", String(40), nullable=False),
    Column("rules", Integer, nullable=False),
    Column("options", JSON, nullable=False),
    Column("status", String(12), nullable=False),
    Column("host", String(32), nullable=False),
    Column("public", Boolean, nullable=False),
    Column("seed", LargeBinary, nullable=False),
    Column("created", DateTime(timezone=True), nullable=False),
    Column("started", DateTime(timezone=True)),
    Column("finished", DateTime(timezone=True)),
    Column("abandoned", Text),
    Column("rematch", String(16)),
    Column("daily", String(10)),  # the day whose puzzle it is, e.g. "2026-11-21"
    Column("figures", JSON(none_as_null=True)),  # how that went, once it is over
    Column("version", Integer, nullable=False, server_default="0"),  # how often the row and its seats were changed
    Index("tables_by_status", "status", "created"),
    Index("tables_by_host", "host", "status"),
    Index("one_attempt_a_day", "daily", "host", unique=True),
)

seats = Table(
    "seats",
    metadata,
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(8), nullable=False),
    Column("name", String(40), nullable=False),
    Column("bot", String(20)),
    Column("guest", String(32)),
    Column("key", String(32), nullable=False, unique=True),
    Index("seats_by_guest", "guest"),
)

# A seat that was carried to another device belongs to that device's guest too.
carried = Table(
    "carried",
    metadata,
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("guest", String(32), primary_key=True),
    Index("carried_by_guest", "guest"),
)

# Appended to, never changed. Entry k of a match is the k-th thing that somebody did; whoever inserts it first has done it.
entries = Table(
    "entries",
    metadata,
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("entry", Integer, primary_key=True),
    Column("kind", String(8), nullable=False),  # "action", "hinted" (an action with a hint), "undo", "hint" (asked for)
    Column("seat", Integer, nullable=False),
    Column("value", Integer, nullable=False),  # the action; how many actions are taken back; at which decision it was asked
    Column("at", DateTime(timezone=True), nullable=False),
)

records = Table(
    "records",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("record", Text, nullable=False),
    Column("created", DateTime(timezone=True), nullable=False),
    Index("records_by_age", "created"),
)
