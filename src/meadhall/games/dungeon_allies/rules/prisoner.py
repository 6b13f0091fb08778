"""Step 6, free prisoner (§Free Prisoner)."""

from __future__ import annotations

from meadhall.games.dungeon_allies.actions import Act, Phase
from meadhall.games.dungeon_allies.pieces import ITEMS, NONE, Target
from meadhall.games.dungeon_allies.rules.supply import GOLD_FIRST, gain, holding, pay
from meadhall.games.dungeon_allies.state import Event, State
from meadhall.sdk import Grid, Row, emit, rule


@rule
def resolve_prisoners(state: State, log: Grid) -> bool:
    """DA-9.1: Space by space, players decide if they can pay the offering. True when a player must decide.

    DA-19.4: With this house rule they have paid already, and get the reward.
    """
    while state.cursor < state.prisoners:
        seat = state.holder[Target.PRISONER + state.cursor]
        if seat != NONE and state.offering_first:
            emit(log, Event.FREES, seat, state.cursor + 1)
            take_reward(state, seat, state.cursor, log)
        elif seat != NONE:
            if can_pay(state, seat, state.cursor):
                state.actor = seat
                state.phase = Phase.PRISONER
                return True
            emit(log, Event.PRISONER_FORFEIT, seat, state.cursor + 1)
        state.cursor += 1
    return False


@rule
def can_pay(state: State, seat: int, space: int) -> bool:
    """DA-9.1: Whether a seat has the whole offering."""
    for item in range(ITEMS):
        if holding(state, seat, item) < state.offering[space, item]:
            return False
    return True


@rule
def list_prisoner_answers(out: Row) -> int:
    """DA-9.1: The player may decline or pay."""
    out[0] = Act.KEEP_OFFERING
    out[1] = Act.FREE
    return 2


@rule
def free_prisoner(state: State, log: Grid) -> None:
    """DA-9.1: The player pays the offering, then gets as much of the reward as the box has."""
    space = state.cursor
    emit(log, Event.FREES, state.actor, space + 1)
    pay_offering(state, state.actor, space, log)
    take_reward(state, state.actor, space, log)
    state.cursor += 1


@rule
def pay_offering(state: State, seat: int, space: int, log: Grid) -> None:
    """DA-9.1, DA-19.4: The seat pays the whole offering."""
    for item in GOLD_FIRST:
        pay(state, seat, item, state.offering[space, item], log)


@rule
def take_reward(state: State, seat: int, space: int, log: Grid) -> None:
    """DA-9.1: The seat gets as much of the reward as the box has."""
    for item in GOLD_FIRST:
        gain(state, seat, item, state.reward[space, item], log)


@rule
def keep_offering(state: State, log: Grid) -> None:
    """DA-9.1: Declining is allowed: the crystal may be worth more at a later place."""
    emit(log, Event.PRISONER_DECLINED, state.actor, state.cursor + 1)
    state.cursor += 1
