"""Queries about the results of a daily puzzle. None of them reads all attempts of a day."""

from __future__ import annotations

import json
from datetime import UTC, datetime, time, timedelta
from typing import Final

from sqlalchemy import Connection, and_, insert, null, or_, select, update

from meadhall.server.store import schema
from meadhall.server.store.models import Score, TableRow
from meadhall.server.store.queries import tables

_TABLE: Final = schema.tables.c
_SCORE: Final = schema.daily_scores.c


def unranked(connection: Connection, day: str, game: str, rules: int, limit: int = 200) -> list[TableRow]:
    """Return attempts that count and have no place yet, the first finished first.

    Attempts that have not been measured are left out unless they were played under these rules: others can't be replayed.
    """
    end = datetime.combine(datetime.fromisoformat(day) + timedelta(days=1), time(), UTC)
    finished = and_(_TABLE.daily == day, _TABLE.standing.is_(None), _TABLE.finished_at < end)
    measurable = or_(_TABLE.figures.is_not(null()), and_(_TABLE.game == game, _TABLE.rules == rules))
    return tables.read(connection, and_(finished, measurable), limit, _TABLE.finished_at)


def rank(connection: Connection, table: str, day: str, figures: dict[str, int], standing: str) -> None:
    """Store the place of a measured attempt among the others, once."""
    ranked = tables.change(table, standing=standing).where(_TABLE.standing.is_(None))
    if connection.execute(ranked).rowcount == 0:
        return
    text = json.dumps(figures, sort_keys=True)
    same = update(schema.daily_scores).where(_SCORE.day == day, _SCORE.figures == text)
    if connection.execute(same.values(attempts=_SCORE.attempts + 1)).rowcount == 0:
        connection.execute(insert(schema.daily_scores).values(day=day, figures=text, standing=standing, attempts=1))


def best(connection: Connection, day: str, limit: int) -> list[TableRow]:
    """Return the best attempts of a day; of equal ones those that were finished first."""
    ranked = and_(_TABLE.daily == day, _TABLE.standing.is_not(None))
    return tables.read(connection, ranked, limit, _TABLE.standing, _TABLE.finished_at)


def scores(connection: Connection, day: str) -> list[Score]:
    """Return the results of a day with the number of attempts that have them, the best first."""
    query = select(schema.daily_scores).where(_SCORE.day == day).order_by(_SCORE.standing)
    return [Score(row.standing, json.loads(row.figures), row.attempts) for row in connection.execute(query)]
