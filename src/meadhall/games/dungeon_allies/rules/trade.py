"""Step 7, trade (§Trade)."""

from __future__ import annotations

from meadhall.games.dungeon_allies.actions import Act, Phase, trade_action
from meadhall.games.dungeon_allies.pieces import COLOURS, DICE, Target
from meadhall.games.dungeon_allies.state import Event, State
from meadhall.sdk import Grid, Row, emit, rule


@rule
def resolve_trade(state: State) -> bool:
    """DA-10.1: Players with a die here trade in turn order, as long as they can exchange anything. True when one must decide."""
    while state.cursor < state.players:
        seat = state.order[state.cursor]
        if is_at_trade(state, seat) and has_exchange(state, seat):
            state.actor = seat
            state.phase = Phase.TRADE
            return True
        end_visit(state)
    return False


@rule
def is_at_trade(state: State, seat: int) -> bool:
    """DA-10.1: Whether a seat has a die here. A second die adds nothing."""
    for die in range(DICE):
        if state.place[seat, die] == Target.TRADE:
            return True
    return False


@rule
def end_visit(state: State) -> None:
    """DA-10.2: The next visitor may use every line in either direction again."""
    state.cursor += 1
    for line in range(state.lines):
        state.traded[line] = 0


@rule
def has_exchange(state: State, seat: int) -> bool:
    """DA-10.1: Whether a seat can exchange anything."""
    for line in range(state.lines):
        if can_exchange(state, seat, line, 0) or can_exchange(state, seat, line, 1):
            return True
    return False


@rule
def can_exchange(state: State, seat: int, line: int, direction: int) -> bool:
    """DA-10.1: The seat has one side of the line, and the box the other. DA-10.2: Not back along the line in the same visit."""
    if state.traded[line] == 2 - direction:
        return False
    given, taken = 2 * line + direction, 2 * line + 1 - direction
    for colour in range(COLOURS):
        if state.crystals[seat, colour] < state.exchange[given, colour] or state.box[colour] < state.exchange[taken, colour]:
            return False
    return True


@rule
def list_exchanges(state: State, out: Row) -> int:
    """DA-10.1: End the visit, or exchange along a line."""
    out[0] = Act.END_TRADE
    count = 1
    for line in range(state.lines):
        for direction in range(2):
            if can_exchange(state, state.actor, line, direction):
                out[count] = trade_action(line, direction)
                count += 1
    return count


@rule
def exchange(state: State, line: int, direction: int, log: Grid) -> None:
    """DA-10.1: Direction 0 is from left to right."""
    given, taken = 2 * line + direction, 2 * line + 1 - direction
    for colour in range(COLOURS):
        difference = state.exchange[taken, colour] - state.exchange[given, colour]
        state.crystals[state.actor, colour] += difference
        state.box[colour] -= difference
    state.traded[line] = 1 + direction
    emit(log, Event.TRADES, state.actor, line, direction)
