"""Step 3, treasure (§Treasure), and what is laid on its spaces."""

from __future__ import annotations

from meadhall.engine.events import emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid
from meadhall.games.dungeon_allies.rules.supply import GOLD_FIRST, draw_crystal, take
from meadhall.games.dungeon_allies.state import (
    GOLD,
    GOLD_TREASURE,
    GREEN,
    MONSTERS,
    NONE,
    ON_TREASURE,
    TREASURES,
    WHITE,
    Event,
    Table,
)


@rule
def resolve_treasure(table: Table, log: Grid) -> None:
    """DA-6.2: space by space, who may take what lies there takes all of it."""
    for space in range(TREASURES):
        seat = table.holder[ON_TREASURE + space]
        if seat != NONE:
            if is_guarded(table, space) and not table.won_fight[seat]:
                emit(log, Event.GUARDED, seat, space + 1)
            else:
                loot(table, seat, space, log)


@rule
def is_guarded(table: Table, space: int) -> bool:
    """DA-6.1: the gold, and what holds a green or a white crystal. DA-6.3: nothing when no monster is left."""
    if table.removed == MONSTERS:
        return False
    return space == GOLD_TREASURE or table.treasure[space, GREEN] > 0 or table.treasure[space, WHITE] > 0


@rule
def loot(table: Table, seat: int, space: int, log: Grid) -> None:
    """DA-6.2: everything, gold first."""
    emit(log, Event.LOOTS, seat, space + 1)
    for item in GOLD_FIRST:
        take(table, seat, item, table.treasure[space, item], log)
        table.treasure[space, item] = 0


@rule
def add_treasure(table: Table, log: Grid) -> None:
    """DA-2.6, DA-12.2: a crystal on each of the first spaces while there are any, and a gold on the last."""
    for space in range(GOLD_TREASURE):
        colour = draw_crystal(table)
        if colour != NONE:
            table.treasure[space, colour] += 1
            emit(log, Event.TREASURE, space + 1, colour)
    table.treasure[GOLD_TREASURE, GOLD] += 1
    emit(log, Event.TREASURE, GOLD_TREASURE + 1, GOLD)
