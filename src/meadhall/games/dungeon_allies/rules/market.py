"""Places 7 and 8: trade, and the sorcerer."""

from __future__ import annotations

from meadhall.games.dungeon_allies.pieces import COLOURS, DICE, DISPLAY, NONE, Act, Item, Phase, Target, trade_action
from meadhall.games.dungeon_allies.rules.village import pay
from meadhall.games.dungeon_allies.state import Event, State, current_round
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


@rule
def resolve_sorcerer(state: State, log: Grid) -> bool:
    """DA-11.1: Space by space, players decide if they can pay. True when a player must decide."""
    while state.cursor < DISPLAY:
        seat = state.holder[Target.SORCERER + state.cursor]
        if seat != NONE:
            if state.crystals[seat, price(state)] > 0:
                state.actor = seat
                state.phase = Phase.BUY
                return True
            emit(log, Event.CANNOT_PAY, seat, state.display[state.cursor])
        state.cursor += 1
    return False


@rule
def price(state: State) -> int:
    """DA-11.1: One crystal: blue, yellow or green, by the current round (DA-12.1)."""
    return Item.BLUE + current_round(state) - 1


@rule
def list_answers(out: Row) -> int:
    """DA-11.1: The player may decline or buy."""
    out[0] = Act.DECLINE
    out[1] = Act.BUY
    return 2


@rule
def buy(state: State, log: Grid) -> None:
    """DA-11.2: The player keeps the card until the end."""
    space = state.cursor
    card = state.display[space]
    state.display[space] = NONE
    state.card_owner[card] = state.actor
    emit(log, Event.BUYS, state.actor, card)
    pay(state, state.actor, price(state), 1, log)
    state.cursor += 1


@rule
def decline(state: State, log: Grid) -> None:
    """DA-11.1: Declining is allowed: the price may have risen since the die was placed."""
    emit(log, Event.DECLINES, state.actor, state.display[state.cursor])
    state.cursor += 1


@rule
def show_cards(state: State, log: Grid) -> None:
    """DA-2.2, DA-11.3: Every empty space is filled from the deck while cards remain."""
    for space in range(DISPLAY):
        if state.display[space] == NONE and state.cards > 0:
            state.cards -= 1
            state.display[space] = state.deck[state.cards]
            state.deck[state.cards] = NONE
            state.reveals += 1
            emit(log, Event.CARD_SHOWN, space + 1, state.display[space])
