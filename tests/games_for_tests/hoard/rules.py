"""Hoard: the rules."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any

import numpy as np

from meadhall.engine.chance import shuffle
from meadhall.engine.events import NOBODY, emit, whisper
from meadhall.engine.rule import rule
from meadhall.engine.schema import I8, I16, Grid, Row, State, record

SEATS = 4
CARDS = 12
UNKNOWN = 0
ENOUGH = 30  # coins by which all win together
RIVALS, TOGETHER, SIDES = 0, 1, 2

# Actions: 0..11 play that card, then draw, look, boast.
DRAW = CARDS
LOOK = DRAW + 1
BOAST = LOOK + 1
ACTIONS = BOAST + 1


class Event(IntEnum):
    BOTTOM = 1
    DEALT = 2
    PLAYED = 3
    DREW = 4
    GOT = 5
    TURNED = 6
    LOOKED = 7
    SAW = 8
    BOASTED = 9
    COIN = 10
    ENDED = 11


@record
class Table(State):
    mode: I8
    left: I8  # cards in the deck; the last of them is on top
    boasted: I8  # whether the actor has, this turn
    looked: Annotated[Row, np.int8, SEATS]  # who has seen the top card
    cards: Annotated[Row, np.int8, SEATS]  # in each hand
    played: Annotated[Row, np.int8, CARDS]
    deck: Annotated[Row, np.int8, CARDS]
    hand: Annotated[Grid, np.int8, SEATS, CARDS]
    pile: Annotated[Row, np.int16, SEATS]
    turns: I16


@rule
def setup(table: Table, players: int, options: Any, log: Grid) -> None:
    """HO-1.1: two or three cards each, one at a time."""
    table.mode = options[1]
    for k in range(CARDS):
        table.deck[k] = k + 1
    table.left = CARDS
    table.reveals += 1
    shuffle(table.rng, table.deck, CARDS)
    whisper(log, NOBODY, Event.BOTTOM, table.deck[0])
    for _ in range(2 + options[0]):
        for seat in range(players):
            card = take_top(table)
            put_in_hand(table, seat, card)
            whisper(log, seat, Event.DEALT, seat, card)
    table.actor = 0


@rule
def take_top(table: Table) -> int:
    table.left -= 1
    card = table.deck[table.left]
    table.deck[table.left] = UNKNOWN
    return card


@rule
def put_in_hand(table: Table, seat: int, card: int) -> None:
    table.hand[seat, table.cards[seat]] = card
    table.cards[seat] += 1


@rule
def has_card(table: Table, seat: int, card: int) -> bool:
    for k in range(table.cards[seat]):
        if table.hand[seat, k] == card:
            return True
    return False


@rule
def legal(table: Table, out: Row) -> int:
    """HO-2: play a card, draw, look, boast."""
    count = 0
    for card in range(1, CARDS + 1):
        if has_card(table, table.actor, card):
            out[count] = card - 1
            count += 1
    if table.left > 0:
        out[count] = DRAW
        count += 1
        if not table.looked[table.actor]:
            out[count] = LOOK
            count += 1
    if not table.boasted:
        out[count] = BOAST
        count += 1
    return count


@rule
def play(table: Table, action: int, log: Grid) -> None:
    """HO-2: a look and a boast don't end the turn."""
    if action == BOAST:
        boast(table, log)
        return
    if action == LOOK:
        look(table, log)
        return
    if action == DRAW:
        draw_card(table, log)
    else:
        play_card(table, action + 1, log)
    next_turn(table, log)


@rule
def boast(table: Table, log: Grid) -> None:
    """HO-2.4: it changes nothing."""
    table.boasted = True
    emit(log, Event.BOASTED, table.actor)


@rule
def look(table: Table, log: Grid) -> None:
    """HO-2.3: the top card, for the actor's eyes."""
    table.looked[table.actor] = True
    table.reveals += 1
    emit(log, Event.LOOKED, table.actor)
    whisper(log, table.actor, Event.SAW, table.deck[table.left - 1])


@rule
def draw_card(table: Table, log: Grid) -> None:
    """HO-2.2: into the hand, secretly; a card that somebody has looked at goes to the pile, openly."""
    seat = table.actor
    known = False
    for other in range(table.players):
        known = known or bool(table.looked[other])
        table.looked[other] = False
    card = take_top(table)
    table.reveals += 1
    emit(log, Event.DREW, seat)
    if known:
        put_on_pile(table, seat, card)
        emit(log, Event.TURNED, seat, card)
    else:
        put_in_hand(table, seat, card)
        whisper(log, seat, Event.GOT, card)


@rule
def play_card(table: Table, card: int, log: Grid) -> None:
    """HO-2.1: onto the pile, openly."""
    seat = table.actor
    table.cards[seat] -= 1
    found = False
    for k in range(table.cards[seat] + 1):
        found = found or table.hand[seat, k] == card
        if found:
            table.hand[seat, k] = table.hand[seat, k + 1] if k < table.cards[seat] else UNKNOWN
    table.reveals += 1
    put_on_pile(table, seat, card)
    emit(log, Event.PLAYED, seat, card)


@rule
def put_on_pile(table: Table, seat: int, card: int) -> None:
    table.played[card - 1] = True
    table.pile[seat] += card


@rule
def next_turn(table: Table, log: Grid) -> None:
    """HO-3.1: clockwise, who has cards; when nobody has, it is over."""
    table.boasted = False
    table.turns += 1
    for step in range(1, table.players + 1):
        seat = (table.actor + step) % table.players
        if table.cards[seat] > 0:
            table.actor = seat
            return
    count_coins(table, log)
    table.actor = -1
    emit(log, Event.ENDED)


@rule
def count_coins(table: Table, log: Grid) -> None:
    """HO-3.2: every coin is counted out."""
    for seat in range(table.players):
        for coin in range(table.pile[seat]):
            emit(log, Event.COIN, seat, coin + 1)


@rule
def conceal(table: Table, seat: int) -> None:
    """HO-1.2: the hands of others, and the deck but for a top card that the seat has looked at."""
    for other in range(table.players):
        if other != seat:
            for k in range(table.cards[other]):
                table.hand[other, k] = UNKNOWN
    knows_top = seat >= 0 and bool(table.looked[max(seat, 0)])
    for k in range(table.left - 1 if knows_top else table.left):
        table.deck[k] = UNKNOWN


@rule
def redeal(table: Table, seat: int) -> None:
    """All cards that the seat has not seen, in any order."""
    unseen = np.zeros(CARDS, np.int8)
    count = 0
    for card in range(1, CARDS + 1):
        if not is_known(table, card):
            unseen[count] = card
            count += 1
    shuffle(table.rng, unseen, count)
    for other in range(table.players):
        for k in range(table.cards[other]):
            if table.hand[other, k] == UNKNOWN:
                count -= 1
                table.hand[other, k] = unseen[count]
    for k in range(table.left):
        if table.deck[k] == UNKNOWN:
            count -= 1
            table.deck[k] = unseen[count]


@rule
def is_known(table: Table, card: int) -> bool:
    if table.played[card - 1]:
        return True
    for seat in range(table.players):
        if has_card(table, seat, card):
            return True
    return table.left > 0 and table.deck[table.left - 1] == card


@rule
def score(table: Table, out: Any) -> None:
    """HO-4: who has won, in each mode."""
    if table.mode == TOGETHER:
        coins = 0
        for seat in range(table.players):
            coins += table.pile[seat]
        for seat in range(table.players):
            out[seat] = 1.0 if coins >= ENOUGH else 0.0
    elif table.mode == SIDES:
        ahead = 0
        for seat in range(table.players):
            ahead += table.pile[seat] if seat % 2 == 0 else -table.pile[seat]
        for seat in range(table.players):
            out[seat] = 0.5 if ahead == 0 else 1.0 if (ahead > 0) == (seat % 2 == 0) else 0.0
    else:
        score_rivals(table, out)


@rule
def score_rivals(table: Table, out: Any) -> None:
    most = 0
    tied = 0
    for seat in range(table.players):
        if table.pile[seat] > most:
            most = table.pile[seat]
            tied = 0
        tied += table.pile[seat] == most
    for seat in range(table.players):
        out[seat] = 1.0 / tied if table.pile[seat] == most else 0.0


@rule
def greedy(table: Table, legal: Row, count: int, rng: Row) -> int:
    """The highest card in hand."""
    best = legal[0]
    for k in range(count):
        if legal[k] < CARDS:
            best = legal[k]
    return best
