"""Results: what a finished match means for each guest who had a seat in it.

The transaction that ends a match writes its rows of ``results``. A later change of the table writes them again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from sqlalchemy import Connection, delete, func, insert, select

from meadhall.engine.errors import MeadhallError
from meadhall.engine.registry import game
from meadhall.server.store import schema
from meadhall.server.store.models import MIXED, TableRow

_RESULT: Final = schema.results.c
_ENTRY: Final = schema.match_entries.c


def record(connection: Connection, table: TableRow) -> None:
    """Store the results of a finished match for its guests, in place of earlier ones."""
    connection.execute(delete(schema.results).where(_RESULT.table_id == table.id))
    people = [seat for seat in table.seats if seat.guests]
    if table.started_at is None or table.finished_at is None or not people:
        return
    decisions, hints, take_backs = _counts(connection, table.id)
    left = _left(connection, table)
    levels = {seat.bot or "" for seat in table.seats if seat.kind == "bot"}
    common = {
        "table_id": table.id,
        "game": table.game,
        "variant": variant_of(_chosen(table)),
        "players": len(table.seats),
        "people": len(people),
        "bots": MIXED if len(levels) > 1 else next(iter(levels), ""),
        "decisions": decisions,
        "daily": table.daily,
        "finished_at": table.finished_at,
    }
    rows = [
        {
            **common,
            "guest": guest,
            "seat": seat.seat,
            "score": None if table.outcome is None else 0 if seat.seat in left else table.outcome["scores"][seat.seat],
            "place": None if seat.seat in left else place_of(table.outcome, seat.seat),
            "hints": hints.get(seat.seat, 0),
            "take_backs": take_backs.get(seat.seat, 0),
        }
        for seat in people
        for guest in sorted(seat.guests)
    ]
    unique = {row["guest"]: row for row in reversed(rows)}  # old tables may give a guest several seats: the lowest counts
    connection.execute(insert(schema.results), list(unique.values()))


def _chosen(table: TableRow) -> Mapping[str, Any]:
    """Return the options without the house rules that don't hold: a new house rule leaves the groups of results as they are."""
    with suppress(MeadhallError):  # the game is gone
        return game(table.game).recorded_options(table.options)
    return table.options


def variant_of(options: Mapping[str, Any]) -> str:
    """Return the options of a match in a short form that is equal for equal options. Of a document it has the hash."""
    short = {name: value["sha256"][:12] if isinstance(value, Mapping) else value for name, value in options.items()}
    return json.dumps(short, sort_keys=True, separators=(",", ":"))


def place_of(outcome: Mapping[str, Any] | None, seat: int) -> int | None:
    """Return the place of a seat in a finished match, None if its players were not ranked."""
    if outcome is None:
        return None
    places: Sequence[int] | None = outcome.get("places")
    if places is not None:
        return places[seat]
    scores: Sequence[float] = outcome["scores"]
    return 2 - int(scores[seat]) if sorted(scores) == [0, 1] else None  # of two rivals


def _left(connection: Connection, table: TableRow) -> set[int]:
    """Return the seats that a bot has played to the end for their owners. They are lost, unless a win was awarded."""
    if table.outcome is None or table.outcome["why"] is not None:
        return set()
    is_change = _ENTRY.kind.in_(("stand_in", "return"))
    query = select(_ENTRY.seat, _ENTRY.kind, _ENTRY.data).where(_ENTRY.table_id == table.id, is_change).order_by(_ENTRY.number)
    last = {row.seat: row for row in connection.execute(query)}
    return {seat for seat, row in last.items() if row.kind == "stand_in" and (row.data or {}).get("lasts") != "decision"}


def _counts(connection: Connection, table: str) -> tuple[int, Mapping[int, int], Mapping[int, int]]:
    """Return the number of decisions in a match, and by seat those of the hints and of the counted take-backs."""
    columns = (_ENTRY.kind, _ENTRY.seat, func.count(), func.count(_ENTRY.data), func.sum(_ENTRY.value))
    decisions, hints, take_backs = 0, {}, {}
    query = select(*columns).where(_ENTRY.table_id == table).group_by(_ENTRY.kind, _ENTRY.seat)
    for kind, seat, count, marked, total in connection.execute(query):
        if kind in ("action", "hinted"):
            decisions += count
        elif kind == "undo":
            decisions -= total
            take_backs[seat] = marked
        elif kind == "hint":
            hints[seat] = count
    return decisions, hints, take_backs
