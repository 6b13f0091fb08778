"""Step 2, turn order (§Turn Order)."""

from __future__ import annotations

from meadhall.games.dungeon_allies.pieces import NONE
from meadhall.games.dungeon_allies.rules.supply import GOLD_FIRST, gain
from meadhall.games.dungeon_allies.state import Event, State
from meadhall.sdk import Grid, append_argument, emit, rule


@rule
def resolve_turn_order(state: State, log: Grid) -> None:
    """DA-5.1: Players get their gifts, then the order changes. DA-5.2: The new order applies from here on."""
    if state.track[0] == NONE:
        return
    taken = 0
    while taken < state.players and state.track[taken] != NONE:
        for item in GOLD_FIRST:
            gain(state, state.track[taken], item, state.track_gift[taken, item], log)
        taken += 1
    for space in range(taken - 1, -1, -1):
        move_to_front(state, state.track[space])
    emit_order(state, log)


@rule
def move_to_front(state: State, seat: int) -> None:
    """DA-5.1: The seats that were before this one move one place back and keep their order."""
    place = 0
    while state.order[place] != seat:
        place += 1
    for k in range(place, 0, -1):
        state.order[k] = state.order[k - 1]
    state.order[0] = seat


@rule
def emit_order(state: State, log: Grid) -> None:
    emit(log, Event.ORDER, state.order[0])
    for place in range(1, state.players):
        append_argument(log, state.order[place])
