"""The schema of the database, and what happens to the columns that refer to guests.

A new database is made from ``schema.sql``. An older one is changed by ``MIGRATIONS``. SQLite keeps the version of the schema as
its ``user_version``. Older halls have it in a table of Alembic.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from meadhall.server.store.database import Db

OLDEST: Final = 33
"""The version of the schema from which this Meadhall can upgrade: that of the last one that ran in several processes."""

MIGRATIONS: Final[Mapping[int, tuple[str, ...]]] = {
    34: (
        "DROP TABLE processes",
        "DROP INDEX ix_tables_driver_game_rules",
        "ALTER TABLE tables DROP COLUMN driver",
        "ALTER TABLE jobs DROP COLUMN claimed_by",
    ),
    35: (
        """CREATE TABLE orders (
            id VARCHAR(16) NOT NULL PRIMARY KEY, guest VARCHAR(32) NOT NULL, kind VARCHAR(8) NOT NULL, request JSON NOT NULL,
            state VARCHAR(8) NOT NULL, answer JSON, created_at DATETIME NOT NULL
        )""",
        "CREATE INDEX ix_orders_guest ON orders (guest)",
    ),
    36: ("DROP TABLE alembic_version",),
    37: (
        "DROP TABLE seeks",
        "DROP TABLE records",
        "DELETE FROM jobs WHERE kind IN ('quick-match-bots', 'quick-match-start')",
        *(
            f"UPDATE {table} SET {column} = '{level}' WHERE {column} = '{alias}'"
            for table, column in (("seats", "bot"), ("results", "bots"))
            for alias, level in (("greedy", "karl"), ("random", "thrall"))
        ),
    ),
    38: ("ALTER TABLE guests ADD COLUMN onward VARCHAR(8) DEFAULT 'stay' NOT NULL",),
    39: (
        """CREATE TABLE questions (
            id VARCHAR(16) NOT NULL PRIMARY KEY, guest VARCHAR(32) NOT NULL, game VARCHAR(40) NOT NULL,
            content JSON NOT NULL, revision INTEGER NOT NULL, changed_at DATETIME NOT NULL
        )""",
        "CREATE INDEX ix_questions_guest_changed_at ON questions (guest, changed_at)",
        "CREATE INDEX ix_questions_changed_at ON questions (changed_at)",
        """CREATE TABLE question_pasts (
            question VARCHAR(16) NOT NULL REFERENCES questions (id) ON DELETE CASCADE, revision INTEGER NOT NULL,
            content BLOB NOT NULL, PRIMARY KEY (question, revision)
        )""",
        "ALTER TABLE orders ADD COLUMN question VARCHAR(16)",
        "CREATE INDEX ix_orders_question ON orders (question)",
    ),
    40: (
        "ALTER TABLE guests ADD COLUMN role VARCHAR(8) DEFAULT '' NOT NULL",
        "ALTER TABLE guests ADD COLUMN closed_until DATETIME",
        "ALTER TABLE guests ADD COLUMN muted_until DATETIME",
        "ALTER TABLE guests ADD COLUMN reason VARCHAR(300) DEFAULT '' NOT NULL",
        "ALTER TABLE guests ADD COLUMN told VARCHAR(60) DEFAULT '' NOT NULL",
        "ALTER TABLE guests ADD COLUMN asks VARCHAR(200)",
        "CREATE INDEX ix_guests_asks ON guests (created_at) WHERE asks IS NOT NULL",
        """CREATE TABLE cases (
            id VARCHAR(16) NOT NULL PRIMARY KEY, kind VARCHAR(8) NOT NULL, subject VARCHAR(80) NOT NULL,
            person VARCHAR(32) NOT NULL, name VARCHAR(40) NOT NULL, evidence TEXT NOT NULL, table_id VARCHAR(16),
            address VARCHAR(64), created_at DATETIME NOT NULL, closed_at DATETIME, outcome VARCHAR(60) DEFAULT '' NOT NULL
        )""",
        "CREATE UNIQUE INDEX ix_cases_kind_subject ON cases (kind, subject) WHERE closed_at IS NULL",
        "CREATE INDEX ix_cases_person ON cases (person)",
        "CREATE INDEX ix_cases_closed_at ON cases (closed_at)",
        """CREATE TABLE reports (
            case_id VARCHAR(16) NOT NULL REFERENCES cases (id) ON DELETE CASCADE, guest VARCHAR(32) NOT NULL,
            reason VARCHAR(8) NOT NULL, words VARCHAR(300) NOT NULL, created_at DATETIME NOT NULL, PRIMARY KEY (case_id, guest)
        )""",
        "CREATE INDEX ix_reports_guest_created_at ON reports (guest, created_at)",
        "CREATE TABLE closings (address VARCHAR(64) NOT NULL PRIMARY KEY, guest VARCHAR(32), ends_at DATETIME)",
        "CREATE INDEX ix_closings_guest ON closings (guest)",
        """CREATE TABLE host_log (
            id INTEGER NOT NULL PRIMARY KEY, at DATETIME NOT NULL, done_by VARCHAR(16) NOT NULL, deed VARCHAR(20) NOT NULL,
            subject VARCHAR(80) NOT NULL, reason VARCHAR(300) NOT NULL
        )""",
        *(
            f"CREATE TRIGGER host_log_is_not_{done} BEFORE {statement} ON host_log"
            " BEGIN SELECT RAISE(ABORT, 'the log of the hosts stays as it is'); END"
            for statement, done in (("UPDATE", "changed"), ("DELETE", "deleted"))
        ),
        """CREATE TABLE evenings (
            id VARCHAR(16) NOT NULL PRIMARY KEY, leader VARCHAR(32) NOT NULL, name VARCHAR(60) NOT NULL, games JSON NOT NULL,
            rounds INTEGER NOT NULL, seats INTEGER NOT NULL, clock JSON, is_public BOOLEAN NOT NULL, created_at DATETIME NOT NULL,
            ended_at DATETIME
        )""",
        "CREATE INDEX ix_evenings_leader ON evenings (leader)",
        "CREATE INDEX ix_evenings_created_at ON evenings (created_at)",
        """CREATE TABLE evening_people (
            evening VARCHAR(16) NOT NULL REFERENCES evenings (id) ON DELETE CASCADE, guest VARCHAR(32) NOT NULL,
            joined_at DATETIME NOT NULL, left_at DATETIME, is_removed BOOLEAN DEFAULT 0 NOT NULL, PRIMARY KEY (evening, guest)
        )""",
        "CREATE INDEX ix_evening_people_guest ON evening_people (guest)",
        """CREATE TABLE evening_seats (
            evening VARCHAR(16) NOT NULL REFERENCES evenings (id) ON DELETE CASCADE, round INTEGER NOT NULL,
            guest VARCHAR(32) NOT NULL, table_id VARCHAR(16) NOT NULL, PRIMARY KEY (evening, round, guest)
        )""",
        "CREATE INDEX ix_evening_seats_guest ON evening_seats (guest)",
        "CREATE TABLE ladder_members (guest VARCHAR(32) NOT NULL PRIMARY KEY, joined_at DATETIME NOT NULL, left_at DATETIME)",
        """CREATE TABLE ladder_matches (
            table_id VARCHAR(16) NOT NULL PRIMARY KEY REFERENCES tables (id) ON DELETE CASCADE, game VARCHAR(40) NOT NULL,
            variant TEXT NOT NULL, players INTEGER NOT NULL, decisions INTEGER NOT NULL, given_up JSON NOT NULL,
            is_early BOOLEAN NOT NULL, excluded_at DATETIME, finished_at DATETIME NOT NULL
        )""",
        "CREATE INDEX ix_ladder_matches_game_variant_players_finished_at ON ladder_matches (game, variant, players, finished_at)",
        """CREATE TABLE ratings (
            game VARCHAR(40) NOT NULL, variant TEXT NOT NULL, guest VARCHAR(32) NOT NULL, mu FLOAT NOT NULL, sigma FLOAT NOT NULL,
            counted INTEGER NOT NULL, seats INTEGER NOT NULL, matches INTEGER NOT NULL, given_up INTEGER NOT NULL,
            PRIMARY KEY (game, variant, guest)
        ) WITHOUT ROWID""",
        "CREATE INDEX ix_ratings_guest ON ratings (guest)",
        "CREATE TABLE switches (name VARCHAR(20) NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
        """CREATE TABLE mail_addresses (
            guest VARCHAR(32) NOT NULL PRIMARY KEY, address VARCHAR(254) NOT NULL COLLATE NOCASE,
            turns BOOLEAN DEFAULT 1 NOT NULL, told_at DATETIME, refusal VARCHAR(160)
        )""",
        "CREATE INDEX ix_mail_addresses_address ON mail_addresses (address)",
        "CREATE INDEX ix_mail_addresses_told_at ON mail_addresses (told_at) WHERE told_at IS NOT NULL",
        """CREATE TABLE mail_confirmations (
            guest VARCHAR(32) NOT NULL PRIMARY KEY, address VARCHAR(254) NOT NULL, expires_at DATETIME NOT NULL,
            refusal VARCHAR(160)
        )""",
        "CREATE INDEX ix_mail_confirmations_expires_at ON mail_confirmations (expires_at)",
    ),
}
"""The statements that make a schema of the version before into each version."""


class UnknownVersion(Exception):
    """A database was written by a newer or another Meadhall."""


def upgrade(db: Db) -> None:
    """Create the schema in an empty database, or upgrade an older one.

    It belongs to the transaction of the caller: if a migration fails, the database is as before. Raises UnknownVersion.
    """
    db.begin()
    found = known_version(db)
    if found is None:
        for statement in _statements():
            db.run(statement)
    for number in range(newest_version() if found is None else found, newest_version()):
        for statement in MIGRATIONS[number + 1]:
            db.run(statement)
    if found != newest_version():
        db.run(f"PRAGMA user_version = {newest_version()}")


def newest_version() -> int:
    """Return the version of the schema that this Meadhall uses."""
    return max(MIGRATIONS)


def current_version(db: Db) -> int | None:
    """Return the version of a database's schema, None for a database without one."""
    found: int = db.value("PRAGMA user_version")
    if found:
        return found
    by_alembic = db.value("SELECT version_num FROM alembic_version") if _has(db, "alembic_version") else None
    return None if by_alembic is None else int(by_alembic)


def is_known(version: int | None) -> bool:
    """Return whether this Meadhall has this version of the schema, or can upgrade it."""
    return version is not None and OLDEST <= version <= newest_version()


def known_version(db: Db) -> int | None:
    """Return the version of a database's schema, None for a database without one.

    Raises UnknownVersion. It names the version of Meadhall that has written the database.
    """
    found = current_version(db)
    if found is not None and not is_known(found):
        written_by = writer(db)
        raise UnknownVersion(f"schema {found}" if written_by is None else f"version {written_by}, schema {found}")
    return found


def writer(db: Db) -> str | None:
    """Return the version of Meadhall that has opened a hall last; None if that was not noted."""
    found: str | None = db.value("SELECT meadhall FROM release") if _has(db, "release") else None
    return found


def note_writer(db: Db) -> None:
    """Note that this Meadhall has opened the hall."""
    here = version("meadhall")
    if writer(db) != here:
        db.run("DELETE FROM release")
        db.run("INSERT INTO release (id, meadhall) VALUES (1, ?)", here)


def differences(db: Db) -> list[str]:
    """Return how the schema of a database differs from the current one, for example by a table that is missing."""
    with closing(sqlite3.connect(":memory:")) as new:
        for statement in _statements():
            new.execute(statement)
        return sorted({*_parts(new)} ^ {*_parts(db.raw)})


def _parts(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the columns, keys and indexes of a database in words. The order of columns and the names of keys don't matter."""
    yield from (sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'"))
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"):
        for _id, name, kind, is_needed, default, key in connection.execute("SELECT * FROM pragma_table_info(?)", (table,)):
            yield f"column {table}.{name} {kind} {is_needed} {str(default).strip(chr(39))} {key}"
        for row in connection.execute("SELECT * FROM pragma_foreign_key_list(?)", (table,)):
            yield f"key of {table} {tuple(row)}"
        for _number, name, is_unique, origin, is_partial in connection.execute("SELECT * FROM pragma_index_list(?)", (table,)):
            columns = [row[0] for row in connection.execute("SELECT name FROM pragma_index_info(?)", (name,))]
            yield f"index {name if origin == 'c' else table} {columns} {is_unique} {origin} {is_partial}"


@cache
def triggers() -> frozenset[tuple[str]]:
    """Return the triggers of the schema, each as a row with its SQL. No other ones belong into a hall."""
    return frozenset((each,) for each in _statements() if each.startswith("CREATE TRIGGER"))


@cache
def _statements() -> tuple[str, ...]:
    """Return the statements of ``schema.sql``."""
    text = Path(__file__).with_name("schema.sql").read_text("utf-8")
    return tuple(each for each in map(str.strip, text.split(";\n")) if each)


def _has(db: Db, table: str) -> bool:
    return db.value("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table) is not None


# --------------------------------------------------------------------------------------------------------------------- guests

OnMerge = Literal["move", "keep"]
"""What happens to a row of a guest who becomes another one (the target), as at the sign-in on a device that had a guest already.

- ``move``: the row belongs to the target. If the target has such a row already (by a primary key or a unique constraint), the
  guest's row is deleted. If two columns of a primary key then name the same guest, as in a list of blocked people, it is deleted,
  too.
- ``keep``: ``personal_data.merge_guests`` decides row by row.
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

    table: str
    column: str
    merge: OnMerge
    delete: OnDelete
    export: OnExport


GUEST_COLUMNS: Final = (
    GuestColumn("guests", "id", merge="keep", delete="delete", export="rows"),
    GuestColumn("accounts", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("passkeys", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("recovery_codes", "guest", merge="move", delete="delete", export="omit"),
    GuestColumn("sessions", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("challenges", "guest", merge="move", delete="delete", export="omit"),
    GuestColumn("tables", "host", merge="keep", delete="keep", export="rows"),
    GuestColumn("seat_guests", "guest", merge="keep", delete="delete", export="rows"),
    GuestColumn("push_subscriptions", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("idempotency_keys", "guest", merge="move", delete="delete", export="omit"),
    GuestColumn("results", "guest", merge="move", delete="delete", export="omit"),
    GuestColumn("chat_lines", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("holidays", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("notes", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("ignored_guests", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("ignored_guests", "other", merge="move", delete="delete", export="omit"),
    GuestColumn("invitations", "guest", merge="move", delete="delete", export="omit"),
    GuestColumn("invitations", "inviter", merge="move", delete="delete", export="omit"),
    GuestColumn("identity_links", "guest", merge="keep", delete="delete", export="omit"),  # of a merged guest it is worth nothing
    GuestColumn("orders", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("questions", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("evenings", "leader", merge="move", delete="keep", export="rows"),
    GuestColumn("evening_people", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("evening_seats", "guest", merge="move", delete="keep", export="rows"),  # the points of the others depend on it
    GuestColumn("cases", "person", merge="move", delete="delete", export="rows"),
    GuestColumn("reports", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("closings", "guest", merge="move", delete="clear", export="omit"),
    GuestColumn("ladder_members", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("ratings", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("mail_addresses", "guest", merge="move", delete="delete", export="rows"),
    GuestColumn("mail_confirmations", "guest", merge="move", delete="delete", export="rows"),
)
"""All columns that refer to a guest. A new table with such a column must be added here; a test checks it.

Deleting a guest also renames their seats, see ``personal_data.delete_guest``.
"""
