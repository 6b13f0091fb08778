"""Check every stored match by replaying it: its dice, its actions, its result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final

from meadhall.engine.errors import MeadhallError
from meadhall.engine.record.replay import replay
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.replaying import stored_outcome
from meadhall.server.hall.state import replayed
from meadhall.server.store import matches, tables
from meadhall.server.store.database import Db
from meadhall.server.store.models import Entry, TableRow

_BATCH: Final = 200
"""Tables that are read together, with their entries."""

Connect = Callable[[], AbstractContextManager[Db]]
"""Connects to a database for reading, as it is at this moment."""

_ANY_REASON: Final = "checked"
"""Written into the record of a running match, which has to end to be replayed."""


@dataclass
class RecordCheck:
    """What was found.

    Attributes:
        verified: number of matches whose record is right.
        other_rules: number of matches by game and version of the rules that aren't installed, so they can't be replayed.
        wrong: what is wrong with a match, by the id of its table.
    """

    verified: int = 0
    other_rules: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: dict[str, str] = field(default_factory=dict)


def check_records(connect: Connect, progress: Callable[[int], None]) -> RecordCheck:
    """Replay every match in the database. ``progress`` is told of each.

    No db is open during replays: a long transaction would let SQLite's log grow.
    """
    found = RecordCheck()
    for table, stored in _matches(connect):
        if table.game not in game_names() or game(table.game).version != table.rules:
            found.other_rules[table.game, table.rules] += 1
        else:
            try:
                check_match(table, stored)
            except MeadhallError as error:
                found.wrong[table.id] = str(error)
            else:
                found.verified += 1
        progress(1)
    return found


def check_match(table: TableRow, stored: list[Entry]) -> None:
    """Replay the match of a table, and replay and verify its record. Raises MeadhallError."""
    numbers = [entry.number for entry in stored]
    if numbers != list(range(1, len(stored) + 1)):
        raise MeadhallError(_("an entry is missing"))
    match = replayed(game(table.game), table, stored).match
    assert match is not None
    if match.ended != (table.status != "running"):
        raise MeadhallError(_("the entries end at another point than the match"))
    found = stored_outcome(match) or {}
    if table.outcome is not None and any(found.get(name) != value for name, value in table.outcome.items()):
        raise MeadhallError(_("the entries lead to another result than the stored one"))
    replay(match.record(abandoned=None if match.ended else _ANY_REASON))


def _matches(connect: Connect) -> Iterator[tuple[TableRow, list[Entry]]]:
    """Yield every table with a match and its entries, in the order of their ids."""
    last = ""
    while True:
        with connect() as db:
            rows = tables.with_match_after(db, last, _BATCH)
            found = [(row, matches.entries_of(db, row.id)) for row in rows]
        if not found:
            return
        yield from found
        last = rows[-1].id
