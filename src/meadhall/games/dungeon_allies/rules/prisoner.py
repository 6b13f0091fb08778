"""Step 6, free prisoner (§Free Prisoner)."""

from __future__ import annotations

from meadhall.engine.events import emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid
from meadhall.games.dungeon_allies.rules.supply import GOLD_FIRST, gain, holding, pay
from meadhall.games.dungeon_allies.state import ITEMS, NONE, ON_PRISONER, PRISONERS, Event, Table


@rule
def resolve_prisoners(table: Table, log: Grid) -> None:
    """DA-9.1: space by space, who can pay the offering pays it."""
    for space in range(PRISONERS):
        seat = table.holder[ON_PRISONER + space]
        if seat != NONE:
            if can_pay(table, seat, space):
                free_prisoner(table, seat, space, log)
            else:
                emit(log, Event.PRISONER_FORFEIT, seat, space + 1)


@rule
def can_pay(table: Table, seat: int, space: int) -> bool:
    """DA-9.1: the whole offering, or nothing."""
    for item in range(ITEMS):
        if holding(table, seat, item) < table.offering[space, item]:
            return False
    return True


@rule
def free_prisoner(table: Table, seat: int, space: int, log: Grid) -> None:
    """DA-9.1: the offering is paid, then the reward comes, as far as the box has it."""
    emit(log, Event.FREES, seat, space + 1)
    for item in GOLD_FIRST:
        pay(table, seat, item, table.offering[space, item], log)
    for item in GOLD_FIRST:
        gain(table, seat, item, table.reward[space, item], log)
