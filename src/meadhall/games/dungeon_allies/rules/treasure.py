"""Step 3, treasure (§Treasure), and how its spaces are filled."""

from __future__ import annotations

from meadhall.games.dungeon_allies.pieces import GOLD_TREASURE, MONSTERS, NONE, TREASURES, Item, Target
from meadhall.games.dungeon_allies.rules.supply import GOLD_FIRST, draw_crystal, receive
from meadhall.games.dungeon_allies.state import Event, State
from meadhall.sdk import Grid, emit, rule


@rule
def resolve_treasure(state: State, log: Grid) -> None:
    """DA-6.2: Space by space, the owner of the die takes everything; from a guarded space only after a win this turn."""
    for space in range(TREASURES):
        seat = state.holder[Target.TREASURE + space]
        if seat != NONE:
            if is_guarded(state, space) and not state.won_fight[seat]:
                emit(log, Event.GUARDED, seat, space + 1)
            else:
                loot(state, seat, space, log)


@rule
def is_guarded(state: State, space: int) -> bool:
    """DA-6.1: The gold and every space with a green or white crystal. DA-6.3: Nothing if no monster is left."""
    if state.removed == MONSTERS:
        return False
    return space == GOLD_TREASURE or state.treasure[space, Item.GREEN] > 0 or state.treasure[space, Item.WHITE] > 0


@rule
def loot(state: State, seat: int, space: int, log: Grid) -> None:
    """DA-6.2: The player takes everything, gold first."""
    emit(log, Event.LOOTS, seat, space + 1)
    for item in GOLD_FIRST:
        receive(state, seat, item, state.treasure[space, item], log)
        state.treasure[space, item] = 0


@rule
def add_treasure(state: State, log: Grid) -> None:
    """DA-2.6, DA-12.2: A crystal for each of the first four spaces while the box lasts, and one gold for the last."""
    for space in range(GOLD_TREASURE):
        colour = draw_crystal(state)
        if colour != NONE:
            state.treasure[space, colour] += 1
            emit(log, Event.TREASURE, space + 1, colour)
    state.treasure[GOLD_TREASURE, Item.GOLD] += 1
    emit(log, Event.TREASURE, GOLD_TREASURE + 1, Item.GOLD)
