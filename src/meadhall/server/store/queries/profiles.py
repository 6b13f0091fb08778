"""Queries for a person's profile: their results, the people they have met, their puzzles of the day."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, case, exists, func, or_, select

from meadhall.server.store import schema
from meadhall.server.store.models import Guest, Played, PlayedFilter, PuzzleDay, ResultGroup
from meadhall.server.store.queries import guests, tables

_RESULT: Final = schema.results.c
_SEAT_GUEST: Final = schema.seat_guests.c
_OTHER: Final = schema.results.alias("other")
_COUNTED: Final = and_(_RESULT.daily.is_(None), _RESULT.score.is_not(None))
"""Matches that count: not the puzzles of the day, and none that was given up without a winner."""


def results(connection: Connection, guest: str, before: str) -> tuple[list[ResultGroup], list[float], list[PuzzleDay]]:
    """Return the matches of a guest that count in groups, the payoffs in them, and the puzzles of the days ``before``."""
    return groups(connection, guest), scores(connection, guest), puzzle_days(connection, guest, before)


def groups(connection: Connection, guest: str) -> list[ResultGroup]:
    """Return the matches of a guest that count, in groups of equal game, options, number of players and level of bots."""
    keys = (_RESULT.game, _RESULT.variant, _RESULT.players, _RESULT.bots)
    query = (
        select(
            *keys,
            func.count(),
            func.sum(_RESULT.score),
            func.sum(case((_RESULT.score == 1, 1), else_=0)),
            func.sum(case((and_(_RESULT.score > 0, _RESULT.score < 1), 1), else_=0)),
            func.count(_RESULT.place),
            func.coalesce(func.sum(_RESULT.place), 0),
            func.sum(_RESULT.decisions),
            func.sum(_RESULT.hints),
            func.sum(_RESULT.take_backs),
            func.sum(case((and_(_RESULT.score == 1, _RESULT.hints == 0, _RESULT.take_backs == 0), 1), else_=0)),
        )
        .where(_RESULT.guest == guest, _COUNTED)
        .group_by(*keys)
    )
    return [ResultGroup(*row) for row in connection.execute(query).all()]


def scores(connection: Connection, guest: str) -> list[float]:
    """Return the payoffs of a guest in the matches that count for streaks, the first finished first: those without take-backs."""
    counted = and_(_RESULT.guest == guest, _COUNTED, _RESULT.take_backs == 0)
    query = select(_RESULT.score).where(counted).order_by(_RESULT.finished_at)
    return list(connection.execute(query).scalars())


def puzzle_days(connection: Connection, guest: str, before: str) -> list[PuzzleDay]:
    """Return the puzzles of the day that a guest has finished on their day, before a given day, the first one first."""
    query = select(_RESULT.daily, _RESULT.score, _RESULT.finished_at)
    rows = connection.execute(query.where(_RESULT.guest == guest, _RESULT.daily < before).order_by(_RESULT.daily)).all()
    return [PuzzleDay(row.daily, row.score == 1) for row in rows if _date(row.finished_at) <= date.fromisoformat(row.daily)]


def _date(time: datetime) -> date:
    return (time if time.tzinfo is None else time.astimezone(UTC)).date()  # SQLite stores no time zone


def played(connection: Connection, guest: str, wanted: PlayedFilter, limit: int, skip: int = 0) -> tuple[list[Played], int]:
    """Return a part of a guest's finished matches, the match that ended last first, and the number of all that are wanted."""
    condition = _wanted(guest, wanted)
    source = (
        schema.results.join(schema.tables, _RESULT.table_id == schema.tables.c.id)
        if wanted.viewer is not None
        else schema.results
    )
    count = connection.execute(select(func.count()).select_from(source).where(condition)).scalar_one()
    columns = (_RESULT.table_id, _RESULT.seat, _RESULT.score, _RESULT.place, _RESULT.hints)
    query = select(*columns).select_from(source).where(condition)
    rows = connection.execute(query.order_by(_RESULT.finished_at.desc(), _RESULT.table_id).limit(limit).offset(skip)).all()
    found = {table.id: table for table in tables.read(connection, schema.tables.c.id.in_([row.table_id for row in rows]), None)}
    return [
        Played(found[row.table_id], row.seat, row.score, row.place, row.hints) for row in rows if row.table_id in found
    ], count


def _wanted(guest: str, wanted: PlayedFilter) -> ColumnElement[bool]:
    conditions = [_RESULT.guest == guest, _RESULT.daily.is_(None), _RESULT.game.in_(wanted.games)]
    if wanted.result:
        conditions.append(_RESULTS[wanted.result])
    if wanted.opponent:
        conditions.append(_at_the_same_table(wanted.opponent))
    if wanted.viewer is not None:
        conditions.append(or_(schema.tables.c.is_public, _RESULT.people == 1, _at_the_same_table(wanted.viewer)))
    return and_(*conditions)


_RESULTS: Final = {
    "won": _RESULT.score == 1,
    "shared": and_(_RESULT.score > 0, _RESULT.score < 1),
    "lost": _RESULT.score == 0,
    "open": _RESULT.score.is_(None),
}
"""The conditions of the results that a filter can name."""

RESULTS: Final = tuple(_RESULTS)


def _at_the_same_table(other: str) -> ColumnElement[bool]:
    same = and_(_OTHER.c.guest == other, _OTHER.c.table_id == _RESULT.table_id)
    return exists(select(1).select_from(_OTHER).where(same))


def recordable(connection: Connection, guest: str) -> list[str]:
    """Return the tables of a guest's finished matches, the first finished first."""
    query = select(_RESULT.table_id).where(_RESULT.guest == guest).order_by(_RESULT.finished_at, _RESULT.table_id)
    return list(connection.execute(query).scalars())


def met(connection: Connection, guest: str, limit: int) -> list[Guest]:
    """Return people who have played matches with a guest, the most frequent first."""
    together = and_(_OTHER.c.table_id == _RESULT.table_id, _OTHER.c.seat != _RESULT.seat)
    query = (
        select(_OTHER.c.guest)
        .select_from(schema.results.join(_OTHER, together))
        .where(_RESULT.guest == guest, _RESULT.people > 1)
        .group_by(_OTHER.c.guest)
        .order_by(func.count().desc(), _OTHER.c.guest)
        .limit(limit)
    )
    return guests.find_all(connection, list(connection.execute(query).scalars()))


def have_met(connection: Connection, one: str, other: str) -> bool:
    """Return whether two guests have had seats at the same table whose match has begun."""
    mine = schema.seat_guests.alias("mine")
    query = (
        select(1)
        .select_from(schema.seat_guests.join(mine, mine.c.table_id == _SEAT_GUEST.table_id))
        .join(schema.tables, schema.tables.c.id == _SEAT_GUEST.table_id)
        .where(mine.c.guest == one, _SEAT_GUEST.guest == other, schema.tables.c.started_at.is_not(None))
        .limit(1)
    )
    return connection.execute(query).first() is not None
