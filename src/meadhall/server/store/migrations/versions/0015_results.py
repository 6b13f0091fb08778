"""Add the results of finished matches, for profiles, and fill them in for the matches that have ended already."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_BATCH = 500

_tables = sa.table(
    "tables",
    sa.column("id", sa.String),
    sa.column("game", sa.String),
    sa.column("options", sa.JSON),
    sa.column("status", sa.String),
    sa.column("started_at", sa.DateTime(timezone=True)),
    sa.column("finished_at", sa.DateTime(timezone=True)),
    sa.column("outcome", sa.JSON(none_as_null=True)),
    sa.column("daily", sa.String),
)
_seats = sa.table("seats", sa.column("table_id"), sa.column("seat"), sa.column("kind"), sa.column("bot"))
_seat_guests = sa.table("seat_guests", sa.column("table_id"), sa.column("seat"), sa.column("guest"))
_entries = sa.table("match_entries", sa.column("table_id"), sa.column("kind"), sa.column("seat"), sa.column("value"))


def upgrade() -> None:
    op.add_column("guests", sa.Column("profile", sa.String(length=10), nullable=False, server_default="opponents"))
    results = op.create_table(
        "results",
        sa.Column("guest", sa.String(length=32), nullable=False),
        sa.Column("table_id", sa.String(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("bots", sa.String(length=20), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("hints", sa.Integer(), nullable=False),
        sa.Column("daily", sa.String(length=10), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_results_table_id_tables"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("guest", "table_id", name=op.f("pk_results")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_results_table_id"), "results", ["table_id"])
    op.create_index(op.f("ix_results_guest_daily_finished_at_score"), "results", ["guest", "daily", "finished_at", "score"])
    connection = op.get_bind()
    last = ""
    while ended := _ended(connection, last):
        last = ended[-1].id
        rows = _rows(connection, ended)
        if rows:
            connection.execute(sa.insert(results), rows)


def downgrade() -> None:
    op.drop_table("results")
    op.drop_column("guests", "profile")


def _ended(connection: sa.Connection, after: str) -> Sequence[Any]:
    has_ended = sa.and_(
        _tables.c.status.in_(("over", "abandoned")), _tables.c.started_at.is_not(None), _tables.c.finished_at.is_not(None)
    )
    query = sa.select(_tables).where(has_ended, _tables.c.id > after).order_by(_tables.c.id).limit(_BATCH)
    return connection.execute(query).all()


def _rows(connection: sa.Connection, ended: Sequence[Any]) -> list[dict[str, Any]]:
    ids = [table.id for table in ended]
    seats: dict[str, dict[int, Any]] = defaultdict(dict)
    guests: dict[str, list[tuple[int, str]]] = defaultdict(list)
    counts: dict[str, list[Any]] = defaultdict(list)
    for row in connection.execute(sa.select(_seats).where(_seats.c.table_id.in_(ids))):
        seats[row.table_id][row.seat] = row
    for row in connection.execute(sa.select(_seat_guests).where(_seat_guests.c.table_id.in_(ids))):
        guests[row.table_id].append((row.seat, row.guest))
    keys = (_entries.c.table_id, _entries.c.kind, _entries.c.seat)
    query = sa.select(*keys, sa.func.count().label("number"), sa.func.sum(_entries.c.value).label("total"))
    for row in connection.execute(query.where(_entries.c.table_id.in_(ids)).group_by(*keys)):
        counts[row.table_id].append(row)
    return [row for table in ended for row in _rows_of(table, seats[table.id], guests[table.id], counts[table.id])]


def _rows_of(
    table: Any, seats: Mapping[int, Any], guests: Sequence[tuple[int, str]], counts: Sequence[Any]
) -> Iterable[dict[str, Any]]:
    played = sum(row.number for row in counts if row.kind in ("action", "hinted"))
    taken_back = sum(row.total for row in counts if row.kind == "undo")
    levels = {seat.bot or "" for seat in seats.values() if seat.kind == "bot"}
    short = {name: value["sha256"][:12] if isinstance(value, dict) else value for name, value in table.options.items()}
    scores = None if table.outcome is None else table.outcome["scores"]
    rows: dict[str, dict[str, Any]] = {}
    for seat, guest in sorted(guests, reverse=True):  # the lowest seat of a guest counts
        rows[guest] = {
            "guest": guest,
            "table_id": table.id,
            "seat": seat,
            "game": table.game,
            "variant": json.dumps(short, sort_keys=True, separators=(",", ":")),
            "players": len(seats),
            "people": len({taken for taken, _guest in guests}),
            "bots": "mixed" if len(levels) > 1 else next(iter(levels), ""),
            "score": None if scores is None else scores[seat],
            "place": 2 - int(scores[seat]) if scores is not None and sorted(scores) == [0, 1] else None,
            "decisions": played - taken_back,
            "hints": sum(row.number for row in counts if row.kind == "hint" and row.seat == seat),
            "daily": table.daily,
            "finished_at": table.finished_at,
        }
    return rows.values()
