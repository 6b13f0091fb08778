"""Step 6, free prisoner (§Free Prisoner)."""

from __future__ import annotations

from meadhall.engine.events import emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid
from meadhall.games.dungeon_allies.pieces import ITEMS, NONE, PRISONERS, Target
from meadhall.games.dungeon_allies.rules.supply import GOLD_FIRST, gain, holding, pay
from meadhall.games.dungeon_allies.state import Event, State


@rule
def resolve_prisoners(state: State, log: Grid) -> None:
    """DA-9.1: Space by space, players pay the offering if they can."""
    for space in range(PRISONERS):
        seat = state.holder[Target.PRISONER + space]
        if seat != NONE:
            if can_pay(state, seat, space):
                free_prisoner(state, seat, space, log)
            else:
                emit(log, Event.PRISONER_FORFEIT, seat, space + 1)


@rule
def can_pay(state: State, seat: int, space: int) -> bool:
    """DA-9.1: Whether a seat has the whole offering."""
    for item in range(ITEMS):
        if holding(state, seat, item) < state.offering[space, item]:
            return False
    return True


@rule
def free_prisoner(state: State, seat: int, space: int, log: Grid) -> None:
    """DA-9.1: The player pays the offering, then gets as much of the reward as the box has."""
    emit(log, Event.FREES, seat, space + 1)
    for item in GOLD_FIRST:
        pay(state, seat, item, state.offering[space, item], log)
    for item in GOLD_FIRST:
        gain(state, seat, item, state.reward[space, item], log)
