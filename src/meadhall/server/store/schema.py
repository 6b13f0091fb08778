"""The database's tables. A new database is made from them; the Alembic migrations in ``migrations/`` change older ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

NAMING_CONVENTION: Final = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
}
"""Names of constraints and indexes. A migration can refer to them."""

metadata = MetaData(naming_convention=NAMING_CONVENTION)

secrets = Table(
    "secrets",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", String(200), nullable=False),
)

# Keys that were replaced. They are accepted for a while.
retired_secrets = Table(
    "retired_secrets",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("name", String(40), nullable=False),
    Column("value", String(200), nullable=False),
    Column("valid_until", DateTime(timezone=True), nullable=False),
)

counters = Table(
    "counters",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", Integer, nullable=False),
)

guests = Table(
    "guests",
    metadata,
    Column("id", String(32), primary_key=True),  # a secret: the session cookie is this id, signed
    Column("public_id", String(16), nullable=False, unique=True),  # what other people may see, for example in addresses
    Column("name", String(40), nullable=False),
    Column("language", String(8), nullable=False),
    Column("theme", String(8), nullable=False),
    Column("motion", String(8), nullable=False, server_default="auto"),
    Column("confirm", String(8), nullable=False, server_default="slow"),
    Column("crest", String(16)),  # "raven-blue"; NULL until the guest chooses one
    Column("choices", JSON(none_as_null=True)),
    Column("profile", String(10), nullable=False, server_default="opponents"),
    Column("notifications", JSON(none_as_null=True)),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("admitted_at", DateTime(timezone=True)),  # by an invitation to the hall
    Column("admitted_by", String(16)),  # the id of that invitation
    Column("closed_at", DateTime(timezone=True)),  # by the host of the hall
)

# A guest with an account has proved who they are, by a passkey or a password. Their name, in ``guests``, is unique.
accounts = Table(
    "accounts",
    metadata,
    Column("guest", String(32), primary_key=True),
    Column("drawn_name", String(64), nullable=False, unique=True),  # hashes that look-alike names share, see lookalikes.py
    Column("folded_name", String(64), nullable=False, unique=True),
    Column("handle", String(64), nullable=False, unique=True),  # the user handle in passkeys (WebAuthn, 5.4.3)
    Column("password", String(200)),  # as Argon2 encodes its hash
    Column("created_at", DateTime(timezone=True), nullable=False),
)

passkeys = Table(
    "passkeys",
    metadata,
    Column("id", String(1400), primary_key=True),  # the credential id, in base64url
    Column("guest", String(32), nullable=False, index=True),
    Column("public_key", LargeBinary, nullable=False),
    Column("sign_count", BigInteger, nullable=False),
    Column("transports", JSON, nullable=False),
    Column("label", String(60), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("last_used_at", DateTime(timezone=True)),
)

# A code that was used has no row.
recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("guest", String(32), primary_key=True),
    Column("code", String(64), primary_key=True),  # its SHA-256
)

# Devices and programs that are signed in to an account.
sessions = Table(
    "sessions",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("token", String(64), nullable=False, unique=True),  # the SHA-256 of the cookie or bearer token
    Column("guest", String(32), nullable=False, index=True),
    Column("kind", String(8), nullable=False),
    Column("label", String(60), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("confirmed_at", DateTime(timezone=True), nullable=False),
    Column("last_used_at", DateTime(timezone=True), nullable=False, index=True),
)

# Passkeys that are being made or used. A challenge is accepted once, from the guest who got it.
challenges = Table(
    "challenges",
    metadata,
    Column("challenge", String(64), primary_key=True),
    Column("purpose", String(12), nullable=False),
    Column("guest", String(32), nullable=False),
    Column("handle", String(64)),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
)

# Failed attempts to sign in, by account, device and address; see queries/attempts.py.
failed_attempts = Table(
    "failed_attempts",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("next_at", DateTime(timezone=True), nullable=False),
    Column("last_at", DateTime(timezone=True), nullable=False, index=True),
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
    Column("is_public", Boolean, nullable=False),
    Column("seed", LargeBinary, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("started_at", DateTime(timezone=True)),
    Column("finished_at", DateTime(timezone=True)),
    Column("abandon_reason", Text),
    Column("outcome", JSON(none_as_null=True)),
    Column("rematch", String(16)),
    Column("daily", String(10)),
    Column("figures", JSON(none_as_null=True)),
    Column("standing", String(100)),
    Column("version", Integer, nullable=False, server_default="0"),
    Column("clock", JSON(none_as_null=True)),
    UniqueConstraint("daily", "host"),  # one attempt a day
    Index(None, "status", "created_at"),
    Index(None, "host", "status"),
    Index(None, "daily", "standing", "finished_at"),
)

# How many attempts at a daily puzzle have each result, so that its page need not read all attempts.
daily_scores = Table(
    "daily_scores",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("figures", String(300), primary_key=True),
    Column("standing", String(100), nullable=False),
    Column("attempts", Integer, nullable=False),
)

seats = Table(
    "seats",
    metadata,
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(8), nullable=False),
    Column("name", String(40), nullable=False),
    Column("bot", String(20)),
    Column("is_ready", Boolean, nullable=False, server_default=false()),
    Column("link_token", String(32), nullable=False, unique=True),
    Column("crest", String(16)),  # of the person, as the name
)

# A seat belongs to several guests after it was moved to another device.
seat_guests = Table(
    "seat_guests",
    metadata,
    Column("table_id", String(16), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("guest", String(32), primary_key=True, index=True),
    ForeignKeyConstraint(["table_id", "seat"], ["seats.table_id", "seats.seat"], ondelete="CASCADE"),
)

# Rows are appended and never changed.
match_entries = Table(
    "match_entries",
    metadata,
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("value", Integer, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("data", JSON(none_as_null=True)),
    Index(None, "table_id", sqlite_where=text("kind = 'stand_in'")),
)

# A finished match, as it counts for each guest who had a seat in it. The transaction that ends the match writes the rows; see
# queries/results.py. A copy of facts in other tables: the rows of one guest lie together, so a profile reads them quickly.
results = Table(
    "results",
    metadata,
    Column("guest", String(32), primary_key=True),
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("seat", Integer, nullable=False),
    Column("game", String(40), nullable=False),
    Column("variant", Text, nullable=False),
    Column("players", Integer, nullable=False),
    Column("people", Integer, nullable=False),
    Column("bots", String(20), nullable=False),
    Column("score", Float),
    Column("place", Integer),
    Column("decisions", Integer, nullable=False),
    Column("hints", Integer, nullable=False),
    Column("take_backs", Integer, nullable=False, server_default="0"),
    Column("daily", String(10)),
    Column("finished_at", DateTime(timezone=True), nullable=False),
    Index(None, "guest", "daily", "take_backs", "finished_at", "score"),
    sqlite_with_rowid=False,
)

# The records of finished matches, by the language of their texts; see queries/records.py.
records = Table(
    "records",
    metadata,
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("language", String(8), primary_key=True),
    Column("record", LargeBinary, nullable=False),
)

# A request for a new table that repeats a key of its guest gets the same table.
idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("guest", String(32), primary_key=True),
    Column("key", String(100), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("table_id", String(16), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, index=True),
)

uploads = Table(
    "uploads",
    metadata,
    Column("link_token", String(32), primary_key=True),
    Column("record", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, index=True),
)

# One row, which only health checks write: a database that can be read may not be writable.
health_checks = Table(
    "health_checks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("checked_at", DateTime(timezone=True)),
)

# One row: the version of Meadhall that has opened the hall last.
release = Table(
    "release",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("meadhall", String(40), nullable=False),
)

# One row: when the hall ran last; see queries/uptime.py.
pulse = Table(
    "pulse",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("alive_at", DateTime(timezone=True), nullable=False),
)

# The times in which the hall didn't run.
downtimes = Table(
    "downtimes",
    metadata,
    Column("began_at", DateTime(timezone=True), primary_key=True),
    Column("ended_at", DateTime(timezone=True), nullable=False),
)

# Players of running matches who have no open page, and since when.
departures = Table(
    "departures",
    metadata,
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("left_at", DateTime(timezone=True), nullable=False),
)

# The times in which the slow clocks of a guest stand; see hall/time/holidays.py.
holidays = Table(
    "holidays",
    metadata,
    Column("guest", String(32), primary_key=True),
    Column("began_at", DateTime(timezone=True), primary_key=True),
    Column("ended_at", DateTime(timezone=True), nullable=False),
)

# Work that waits for its time; see queries/jobs.py. A job that is done has no row.
jobs = Table(
    "jobs",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("key", String(100), nullable=False),
    Column("due_at", DateTime(timezone=True), nullable=False, index=True),
    Column("payload", JSON, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    UniqueConstraint("kind", "key"),
)

# Reports and prints. ``answer`` is that of their process, see hall/orders.py. The address of the guest is not stored.
orders = Table(
    "orders",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("guest", String(32), nullable=False, index=True),
    Column("kind", String(8), nullable=False),
    Column("request", JSON, nullable=False),
    Column("state", String(8), nullable=False),
    Column("answer", JSON(none_as_null=True)),
    Column("created_at", DateTime(timezone=True), nullable=False),
)

# The browsers that receive push messages of a guest, and the keys that encrypt them (RFC 8291).
push_subscriptions = Table(
    "push_subscriptions",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("guest", String(32), nullable=False, index=True),
    Column("endpoint", String(1000), nullable=False, unique=True),
    Column("p256dh", String(100), nullable=False),
    Column("auth", String(40), nullable=False),
    Column("vapid_key", String(100), nullable=False),
    Column("device", String(60), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("session", String(16), index=True),  # see queries/opened.py
    Column("refusal", String(200)),  # of the last message, by the push service
)

# What people say at a table. The lines of its players and those of its spectators are numbered separately: a number tells
# nothing of the others. A preset phrase is stored by its key.
chat_lines = Table(
    "chat_lines",
    metadata,
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("audience", String(12), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("id", String(16), nullable=False, unique=True),
    Column("guest", String(32), nullable=False),
    Column("seat", Integer),
    Column("name", String(40), nullable=False),
    Column("text", Text, nullable=False),
    Column("phrase", String(20)),
    Column("is_deleted", Boolean, nullable=False, server_default=false()),
    Column("request_key", String(100)),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Index(None, "guest", "created_at"),
)

# What a guest has noted at a table. Only that guest reads it.
notes = Table(
    "notes",
    metadata,
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("guest", String(32), primary_key=True, index=True),
    Column("text", Text, nullable=False),
    Column("changed_at", DateTime(timezone=True), nullable=False),
)

# The tables whose host has closed the chat.
closed_chats = Table(
    "closed_chats",
    metadata,
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("closed_at", DateTime(timezone=True), nullable=False),
)

# Whom a guest has muted or blocked.
ignored_guests = Table(
    "ignored_guests",
    metadata,
    Column("guest", String(32), primary_key=True),
    Column("kind", String(8), primary_key=True),
    Column("other", String(32), primary_key=True, index=True),
    Column("created_at", DateTime(timezone=True), nullable=False),
)

# Links that admit people to a hall for invited guests; see queries/admission_links.py.
admission_links = Table(
    "admission_links",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("token", String(64), nullable=False, unique=True),
    Column("note", String(100), nullable=False),
    Column("uses", Integer),
    Column("used", Integer, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("expires_at", DateTime(timezone=True)),
)

# Links that make another device the same guest; see queries/identity_links.py.
identity_links = Table(
    "identity_links",
    metadata,
    Column("token", String(64), primary_key=True),
    Column("guest", String(32), nullable=False, index=True),
    Column("for_account", Boolean, nullable=False),
    Column("confirms", Boolean, nullable=False),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
    Column("session", String(16), index=True),  # see queries/opened.py
)

# Guests who wait for other people to start a match with; see queries/match_requests.py.
seeks = Table(
    "seeks",
    metadata,
    Column("guest", String(32), primary_key=True),
    Column("id", String(16), nullable=False, unique=True),
    Column("game", String(40), nullable=False),
    Column("players", Integer, nullable=False),
    Column("options", JSON, nullable=False),
    Column("pool", String(64), nullable=False, index=True),
    Column("bot", String(20), nullable=False),
    Column("bots_after", Integer),
    Column("clock", JSON(none_as_null=True)),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("seen_at", DateTime(timezone=True), nullable=False, index=True),
    Column("table_id", String(16)),
    Column("matched_at", DateTime(timezone=True)),
)


# Invitations to tables: the guest invited, and the host who has invited them.
invitations = Table(
    "invitations",
    metadata,
    Column("table_id", String(16), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("guest", String(32), primary_key=True, index=True),
    Column("inviter", String(32), nullable=False, index=True),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("declined_at", DateTime(timezone=True)),
)

OnMerge = Literal["move", "keep"]
"""What happens to a row of a guest who becomes another one (the target), as at the sign-in on a device that had a guest already.

- ``move``: the row belongs to the target. If the target has such a row already (by a primary key or a unique constraint), the
  guest's row is deleted. If two columns of a primary key then name the same guest, as in a list of blocked people, it is deleted,
  too.
- ``keep``: ``queries/merging.py`` decides row by row.
"""

OnDelete = Literal["delete", "clear", "keep"]
"""What happens to a row of a guest whose data are deleted.

- ``delete``: the row is deleted.
- ``clear``: the column is set to NULL; the rest of the row stays.
- ``keep``: the row stays with the id of a guest who no longer exists. It tells nothing about a person, and no session has it.
"""

OnExport = Literal["rows", "omit"]
"""Whether a guest's own data contain the rows. ``omit``: they are contained in others, or they belong to the hall."""


@dataclass(frozen=True)
class GuestColumn:
    """A column that refers to a guest, and what happens to its rows."""

    column: Column[Any]
    merge: OnMerge
    delete: OnDelete
    export: OnExport


GUEST_COLUMNS: Final = (
    GuestColumn(guests.c.id, merge="keep", delete="delete", export="rows"),
    GuestColumn(accounts.c.guest, merge="move", delete="delete", export="rows"),
    GuestColumn(passkeys.c.guest, merge="move", delete="delete", export="rows"),
    GuestColumn(recovery_codes.c.guest, merge="move", delete="delete", export="omit"),
    GuestColumn(sessions.c.guest, merge="move", delete="delete", export="rows"),
    GuestColumn(challenges.c.guest, merge="move", delete="delete", export="omit"),
    GuestColumn(tables.c.host, merge="keep", delete="keep", export="rows"),
    GuestColumn(seat_guests.c.guest, merge="keep", delete="delete", export="rows"),
    GuestColumn(push_subscriptions.c.guest, merge="move", delete="delete", export="rows"),
    GuestColumn(idempotency_keys.c.guest, merge="move", delete="delete", export="omit"),
    GuestColumn(results.c.guest, merge="move", delete="delete", export="omit"),
    GuestColumn(chat_lines.c.guest, merge="move", delete="delete", export="rows"),
    GuestColumn(holidays.c.guest, merge="move", delete="delete", export="rows"),
    GuestColumn(notes.c.guest, merge="move", delete="delete", export="rows"),
    GuestColumn(ignored_guests.c.guest, merge="move", delete="delete", export="rows"),
    GuestColumn(ignored_guests.c.other, merge="move", delete="delete", export="omit"),
    GuestColumn(invitations.c.guest, merge="move", delete="delete", export="omit"),
    GuestColumn(invitations.c.inviter, merge="move", delete="delete", export="omit"),
    GuestColumn(identity_links.c.guest, merge="keep", delete="delete", export="omit"),  # of a merged guest it is worth nothing
    GuestColumn(orders.c.guest, merge="move", delete="delete", export="rows"),
    GuestColumn(seeks.c.guest, merge="move", delete="delete", export="omit"),
)
"""All columns that refer to a guest. A new table with such a column must be added here; a test checks it.

Deleting a guest also renames their seats, see ``queries/deleting.py``.
"""
