"""Step 8, the sorcerer (§Sorcerer, §Rounds), and the cards on show."""

from __future__ import annotations

from meadhall.games.dungeon_allies.actions import Act, Phase
from meadhall.games.dungeon_allies.pieces import DISPLAY, NONE, Item, Target
from meadhall.games.dungeon_allies.rules.supply import pay
from meadhall.games.dungeon_allies.state import Event, State, current_round
from meadhall.sdk import Grid, Row, emit, rule


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
