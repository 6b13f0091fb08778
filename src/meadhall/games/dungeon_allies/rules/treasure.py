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
    State,
)


@rule
def resolve_treasure(state: State, log: Grid) -> None:
    """DA-6.2: space by space, who may take what lies there takes all of it."""
    for space in range(TREASURES):
        seat = state.holder[ON_TREASURE + space]
        if seat != NONE:
            if is_guarded(state, space) and not state.won_fight[seat]:
                emit(log, Event.GUARDED, seat, space + 1)
            else:
                loot(state, seat, space, log)


@rule
def is_guarded(state: State, space: int) -> bool:
    """DA-6.1: the gold, and what holds a green or a white crystal. DA-6.3: nothing when no monster is left."""
    if state.removed == MONSTERS:
        return False
    return space == GOLD_TREASURE or state.treasure[space, GREEN] > 0 or state.treasure[space, WHITE] > 0


@rule
def loot(state: State, seat: int, space: int, log: Grid) -> None:
    """DA-6.2: everything, gold first."""
    emit(log, Event.LOOTS, seat, space + 1)
    for item in GOLD_FIRST:
        take(state, seat, item, state.treasure[space, item], log)
        state.treasure[space, item] = 0


@rule
def add_treasure(state: State, log: Grid) -> None:
    """DA-2.6, DA-12.2: a crystal on each of the first spaces while there are any, and a gold on the last."""
    for space in range(GOLD_TREASURE):
        colour = draw_crystal(state)
        if colour != NONE:
            state.treasure[space, colour] += 1
            emit(log, Event.TREASURE, space + 1, colour)
    state.treasure[GOLD_TREASURE, GOLD] += 1
    emit(log, Event.TREASURE, GOLD_TREASURE + 1, GOLD)
