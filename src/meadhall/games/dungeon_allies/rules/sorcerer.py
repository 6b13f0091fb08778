"""Step 8, the sorcerer (§Sorcerer, §Rounds), and the cards on show."""

from __future__ import annotations

from meadhall.engine.events import emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.games.dungeon_allies.rules.supply import pay
from meadhall.games.dungeon_allies.state import BLUE, BUY, DECLINE, DISPLAY, NONE, ON_SORCERER, Event, Phase, Table, current_round


@rule
def resolve_sorcerer(table: Table, log: Grid) -> bool:
    """DA-11.1: space by space, who can pay is asked. True when a decision is due."""
    while table.cursor < DISPLAY:
        seat = table.holder[ON_SORCERER + table.cursor]
        if seat != NONE:
            if table.crystals[seat, price(table)] > 0:
                table.actor = seat
                table.phase = Phase.BUY
                return True
            emit(log, Event.CANNOT_PAY, seat, table.display[table.cursor])
        table.cursor += 1
    return False


@rule
def price(table: Table) -> int:
    """DA-11.1: one crystal: blue, yellow or green by the round, as it is now (DA-12.1)."""
    return BLUE + current_round(table) - 1


@rule
def list_answers(out: Row) -> int:
    """DA-11.1: to decline is allowed."""
    out[0] = DECLINE
    out[1] = BUY
    return 2


@rule
def buy(table: Table, log: Grid) -> None:
    """DA-11.2: the card is kept for the end."""
    space = table.cursor
    card = table.display[space]
    table.display[space] = NONE
    table.card_owner[card] = table.actor
    emit(log, Event.BUYS, table.actor, card)
    pay(table, table.actor, price(table), 1, log)
    table.cursor += 1


@rule
def decline(table: Table, log: Grid) -> None:
    """DA-11.1: the price may have risen since the die was placed."""
    emit(log, Event.DECLINES, table.actor, table.display[table.cursor])
    table.cursor += 1


@rule
def show_cards(table: Table, log: Grid) -> None:
    """DA-2.2, DA-11.3: every empty space is filled from the deck, while it lasts."""
    for space in range(DISPLAY):
        if table.display[space] == NONE and table.cards > 0:
            table.cards -= 1
            table.display[space] = table.deck[table.cards]
            table.deck[table.cards] = NONE
            table.reveals += 1
            emit(log, Event.CARD_SHOWN, space + 1, table.display[space])
