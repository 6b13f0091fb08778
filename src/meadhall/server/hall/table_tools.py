"""The tools of a table for its players. A person alone needs fewer than several people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from meadhall.server.store.models import TableRow

Company = Literal["alone", "bots", "people"]
"""The players of a table: one person alone, one with bots, or several people."""


@dataclass(frozen=True)
class TableTools:
    """What a table has.

    Attributes:
        company: who plays.
        chat: people can write to each other.
        seats: the list of the players.
        proposals: players can propose something to each other, and resign.
        pause: a player can stop the clock alone.
        hints: players can ask for hints.
        rethinking: a player can take back a decision alone although dice have fallen since; it is counted.
    """

    company: Company
    chat: bool
    seats: bool
    proposals: bool
    pause: bool
    hints: bool
    rethinking: bool


def table_tools(table: TableRow) -> TableTools:
    """Return what a table has. The puzzle of the day has no hints, and nothing to rethink."""
    people = len([seat for seat in table.seats if seat.kind != "bot"])
    company: Company = "people" if people > 1 else "alone" if len(table.seats) == 1 or table.daily else "bots"
    with_people, is_daily = company == "people", table.daily is not None
    return TableTools(
        company=company,
        chat=with_people,
        seats=company != "alone",
        proposals=with_people and not is_daily,
        pause=not with_people and table.clock is not None,
        hints=not is_daily,
        rethinking=not with_people and not is_daily,
    )
