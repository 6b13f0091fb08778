"""Rename tables and columns, give constraints and indexes names by a convention, keep all guests of a seat in one table.

SQLite can't rename constraints, and the old ones have different names on SQLite and PostgreSQL. So this migration renames all
old tables, creates the new ones, copies the rows, and drops the old tables.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

Time = sa.DateTime(timezone=True)

_OLD = sa.MetaData()
_NEW = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def upgrade() -> None:
    _replace(_OLD, _NEW, _TO_NEW)


def downgrade() -> None:
    _replace(_NEW, _OLD, _TO_OLD)


def _replace(before: sa.MetaData, after: sa.MetaData, copies: Sequence[str]) -> None:
    for table in before.sorted_tables:
        op.rename_table(table.name, f"before_{table.name}")
    after.create_all(op.get_bind(), checkfirst=False)
    for copy in copies:
        op.execute(copy)
    for table in reversed(before.sorted_tables):  # those that refer to others first
        op.drop_table(f"before_{table.name}")


# -------------------------------------------------------------------------------------------------------------------- rows

_TO_NEW = (
    "INSERT INTO secrets (name, value) SELECT name, value FROM before_secrets WHERE name <> 'csrf'",  # no longer used
    "INSERT INTO guests (id, name, language, theme, created_at) SELECT id, name, language, theme, created FROM before_guests",
    """
    INSERT INTO tables (id, game, rules, options, status, host, is_public, seed, created_at, started_at, finished_at,
                        abandon_reason, rematch, daily, figures, version)
    SELECT id, game, rules, options, status, host, public, seed, created, started, finished,
           abandoned, rematch, daily, figures, version
    FROM before_tables
    """,
    """
    INSERT INTO seats (table_id, seat, kind, name, bot, link_token)
    SELECT table_id, seat, kind, name, bot, key FROM before_seats
    """,
    """
    INSERT INTO seat_guests (table_id, seat, guest)
    SELECT table_id, seat, guest FROM before_seats WHERE guest IS NOT NULL
    UNION
    SELECT before_carried.table_id, before_carried.seat, before_carried.guest
    FROM before_carried JOIN before_seats USING (table_id, seat)
    """,
    """
    INSERT INTO match_entries (table_id, number, kind, seat, value, created_at)
    SELECT table_id, entry, kind, seat, value, at FROM before_entries
    """,
    "INSERT INTO uploads (link_token, record, created_at) SELECT key, record, created FROM before_records",
)

_TO_OLD = (
    "INSERT INTO secrets (name, value) SELECT name, value FROM before_secrets",
    "INSERT INTO guests (id, name, language, theme, created) SELECT id, name, language, theme, created_at FROM before_guests",
    """
    INSERT INTO tables (id, game, rules, options, status, host, public, seed, created, started, finished,
                        abandoned, rematch, daily, figures, version)
    SELECT id, game, rules, options, status, host, is_public, seed, created_at, started_at, finished_at,
           abandon_reason, rematch, daily, figures, version
    FROM before_tables
    """,
    """
    INSERT INTO seats (table_id, seat, kind, name, bot, guest, key)
    SELECT table_id, seat, kind, name, bot,
           (SELECT min(guest) FROM before_seat_guests AS other
            WHERE other.table_id = before_seats.table_id AND other.seat = before_seats.seat),
           link_token
    FROM before_seats
    """,
    """
    INSERT INTO carried (table_id, seat, guest)
    SELECT before_seat_guests.table_id, before_seat_guests.seat, before_seat_guests.guest
    FROM before_seat_guests JOIN seats USING (table_id, seat)
    WHERE before_seat_guests.guest <> seats.guest
    """,
    """
    INSERT INTO entries (table_id, entry, kind, seat, value, at)
    SELECT table_id, number, kind, seat, value, created_at FROM before_match_entries
    """,
    "INSERT INTO records (key, record, created) SELECT link_token, record, created_at FROM before_uploads",
)

# -------------------------------------------------------------------------------------------------------------- the old tables

sa.Table(
    "secrets",
    _OLD,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("value", sa.String(200), nullable=False),
)
sa.Table(
    "guests",
    _OLD,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("language", sa.String(8), nullable=False),
    sa.Column("theme", sa.String(8), nullable=False),
    sa.Column("created", Time, nullable=False),
)
sa.Table(
    "tables",
    _OLD,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("game", sa.String(40), nullable=False),
    sa.Column("rules", sa.Integer, nullable=False),
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("status", sa.String(12), nullable=False),
    sa.Column("host", sa.String(32), nullable=False),
    sa.Column("public", sa.Boolean, nullable=False),
    sa.Column("seed", sa.LargeBinary, nullable=False),
    sa.Column("created", Time, nullable=False),
    sa.Column("started", Time),
    sa.Column("finished", Time),
    sa.Column("abandoned", sa.Text),
    sa.Column("rematch", sa.String(16)),
    sa.Column("daily", sa.String(10)),
    sa.Column("figures", sa.JSON),
    sa.Column("version", sa.Integer, nullable=False, server_default="0"),
    sa.Index("tables_by_status", "status", "created"),
    sa.Index("tables_by_host", "host", "status"),
    sa.Index("one_attempt_a_day", "daily", "host", unique=True),
)
sa.Table(
    "seats",
    _OLD,
    sa.Column("table_id", sa.String(16), sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("bot", sa.String(20)),
    sa.Column("guest", sa.String(32)),
    sa.Column("key", sa.String(32), nullable=False, unique=True),
    sa.Index("seats_by_guest", "guest"),
)
sa.Table(
    "carried",
    _OLD,
    sa.Column("table_id", sa.String(16), sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("guest", sa.String(32), primary_key=True),
    sa.Index("carried_by_guest", "guest"),
)
sa.Table(
    "entries",
    _OLD,
    sa.Column("table_id", sa.String(16), sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("entry", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("value", sa.Integer, nullable=False),
    sa.Column("at", Time, nullable=False),
)
sa.Table(
    "records",
    _OLD,
    sa.Column("key", sa.String(32), primary_key=True),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("created", Time, nullable=False),
    sa.Index("records_by_age", "created"),
)

# -------------------------------------------------------------------------------------------------------------- the new tables

sa.Table(
    "secrets",
    _NEW,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("value", sa.String(200), nullable=False),
)
sa.Table(
    "guests",
    _NEW,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("language", sa.String(8), nullable=False),
    sa.Column("theme", sa.String(8), nullable=False),
    sa.Column("created_at", Time, nullable=False),
)
sa.Table(
    "tables",
    _NEW,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("game", sa.String(40), nullable=False),
    sa.Column("rules", sa.Integer, nullable=False),
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("status", sa.String(12), nullable=False),
    sa.Column("host", sa.String(32), nullable=False),
    sa.Column("is_public", sa.Boolean, nullable=False),
    sa.Column("seed", sa.LargeBinary, nullable=False),
    sa.Column("created_at", Time, nullable=False),
    sa.Column("started_at", Time),
    sa.Column("finished_at", Time),
    sa.Column("abandon_reason", sa.Text),
    sa.Column("rematch", sa.String(16)),
    sa.Column("daily", sa.String(10)),
    sa.Column("figures", sa.JSON),
    sa.Column("version", sa.Integer, nullable=False, server_default="0"),
    sa.UniqueConstraint("daily", "host"),
    sa.Index(None, "status", "created_at"),
    sa.Index(None, "host", "status"),
)
sa.Table(
    "seats",
    _NEW,
    sa.Column("table_id", sa.String(16), sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("bot", sa.String(20)),
    sa.Column("link_token", sa.String(32), nullable=False, unique=True),
)
sa.Table(
    "seat_guests",
    _NEW,
    sa.Column("table_id", sa.String(16), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("guest", sa.String(32), primary_key=True, index=True),
    sa.ForeignKeyConstraint(["table_id", "seat"], ["seats.table_id", "seats.seat"], ondelete="CASCADE"),
)
sa.Table(
    "match_entries",
    _NEW,
    sa.Column("table_id", sa.String(16), sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("value", sa.Integer, nullable=False),
    sa.Column("created_at", Time, nullable=False),
)
sa.Table(
    "uploads",
    _NEW,
    sa.Column("link_token", sa.String(32), primary_key=True),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("created_at", Time, nullable=False, index=True),
)
