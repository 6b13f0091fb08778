"""Hoard: the rules."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any

import numpy as np

from meadhall.sdk import HIDDEN, I8, I16, GameState, Grid, Row, emit, emit_private, record, rule, shuffle

SEATS = 4
CARDS = 12
UNKNOWN = 0
ENOUGH = 30  # coins with which all players win in mode together
RIVALS, TOGETHER, SIDES = 0, 1, 2

# Actions: 0 to 11 play that card; the others are draw, look and boast.
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
class State(GameState):
    mode: I8
    left: I8  # cards in the deck; the last of them is on top
    boasted: I8  # whether the actor has boasted in this turn
    looked: Annotated[Row, np.int8, SEATS]  # whether each seat has seen the top card
    cards: Annotated[Row, np.int8, SEATS]  # number of cards in each hand
    played: Annotated[Row, np.int8, CARDS]
    deck: Annotated[Row, np.int8, CARDS]
    hand: Annotated[Grid, np.int8, SEATS, CARDS]
    pile: Annotated[Row, np.int16, SEATS]
    turns: I16


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """HO-1.1: Shuffle, and deal two or three cards to each player, one at a time."""
    state.mode = options[1]
    for k in range(CARDS):
        state.deck[k] = k + 1
    state.left = CARDS
    state.reveals += 1
    shuffle(state.rng, state.deck, CARDS)
    emit_private(log, HIDDEN, Event.BOTTOM, state.deck[0])
    for _ in range(2 + options[0]):
        for seat in range(players):
            card = take_top(state)
            put_in_hand(state, seat, card)
            emit_private(log, seat, Event.DEALT, seat, card)
    state.actor = 0


@rule
def take_top(state: State) -> int:
    state.left -= 1
    card = state.deck[state.left]
    state.deck[state.left] = UNKNOWN
    return card


@rule
def put_in_hand(state: State, seat: int, card: int) -> None:
    state.hand[seat, state.cards[seat]] = card
    state.cards[seat] += 1


@rule
def has_card(state: State, seat: int, card: int) -> bool:
    for k in range(state.cards[seat]):
        if state.hand[seat, k] == card:
            return True
    return False


@rule
def legal(state: State, out: Row) -> int:
    """HO-2: Play a card, draw, look or boast."""
    count = 0
    for card in range(1, CARDS + 1):
        if has_card(state, state.actor, card):
            out[count] = card - 1
            count += 1
    if state.left > 0:
        out[count] = DRAW
        count += 1
        if not state.looked[state.actor]:
            out[count] = LOOK
            count += 1
    if not state.boasted:
        out[count] = BOAST
        count += 1
    return count


@rule
def play(state: State, action: int, log: Grid) -> None:
    """HO-2: A look and a boast don't end the turn."""
    if action == BOAST:
        boast(state, log)
        return
    if action == LOOK:
        look(state, log)
        return
    if action == DRAW:
        draw_card(state, log)
    else:
        play_card(state, action + 1, log)
    next_turn(state, log)


@rule
def boast(state: State, log: Grid) -> None:
    """HO-2.4: A boast changes nothing."""
    state.boasted = True
    emit(log, Event.BOASTED, state.actor)


@rule
def look(state: State, log: Grid) -> None:
    """HO-2.3: Only the actor sees the top card."""
    state.looked[state.actor] = True
    state.reveals += 1
    emit(log, Event.LOOKED, state.actor)
    emit_private(log, state.actor, Event.SAW, state.deck[state.left - 1])


@rule
def draw_card(state: State, log: Grid) -> None:
    """HO-2.2: A card is drawn in secret. A card that any player has looked at goes to the pile, in public."""
    seat = state.actor
    known = False
    for other in range(state.players):
        known = known or bool(state.looked[other])
        state.looked[other] = False
    card = take_top(state)
    state.reveals += 1
    emit(log, Event.DREW, seat)
    if known:
        put_on_pile(state, seat, card)
        emit(log, Event.TURNED, seat, card)
    else:
        put_in_hand(state, seat, card)
        emit_private(log, seat, Event.GOT, card)


@rule
def play_card(state: State, card: int, log: Grid) -> None:
    """HO-2.1: The card goes to the pile, in public."""
    seat = state.actor
    state.cards[seat] -= 1
    found = False
    for k in range(state.cards[seat] + 1):
        found = found or state.hand[seat, k] == card
        if found:
            state.hand[seat, k] = state.hand[seat, k + 1] if k < state.cards[seat] else UNKNOWN
    state.reveals += 1
    put_on_pile(state, seat, card)
    emit(log, Event.PLAYED, seat, card)


@rule
def put_on_pile(state: State, seat: int, card: int) -> None:
    state.played[card - 1] = True
    state.pile[seat] += card


@rule
def next_turn(state: State, log: Grid) -> None:
    """HO-3.1: The next player clockwise with cards plays. When no player has cards, the match is over."""
    state.boasted = False
    state.turns += 1
    for step in range(1, state.players + 1):
        seat = (state.actor + step) % state.players
        if state.cards[seat] > 0:
            state.actor = seat
            return
    count_coins(state, log)
    state.actor = -1
    emit(log, Event.ENDED)


@rule
def count_coins(state: State, log: Grid) -> None:
    """HO-3.2: Every coin is counted."""
    for seat in range(state.players):
        for coin in range(state.pile[seat]):
            emit(log, Event.COIN, seat, coin + 1)


@rule
def conceal(state: State, seat: int) -> None:
    """HO-1.2: Hide the other hands, and the deck except a top card that the seat has looked at."""
    for other in range(state.players):
        if other != seat:
            for k in range(state.cards[other]):
                state.hand[other, k] = UNKNOWN
    knows_top = seat >= 0 and bool(state.looked[max(seat, 0)])
    for k in range(state.left - 1 if knows_top else state.left):
        state.deck[k] = UNKNOWN


@rule
def redeal(state: State, seat: int) -> None:
    """Deal the cards that the seat has not seen at random."""
    unseen = np.zeros(CARDS, np.int8)
    count = 0
    for card in range(1, CARDS + 1):
        if not is_known(state, card):
            unseen[count] = card
            count += 1
    shuffle(state.rng, unseen, count)
    for other in range(state.players):
        for k in range(state.cards[other]):
            if state.hand[other, k] == UNKNOWN:
                count -= 1
                state.hand[other, k] = unseen[count]
    for k in range(state.left):
        if state.deck[k] == UNKNOWN:
            count -= 1
            state.deck[k] = unseen[count]


@rule
def is_known(state: State, card: int) -> bool:
    if state.played[card - 1]:
        return True
    for seat in range(state.players):
        if has_card(state, seat, card):
            return True
    return state.left > 0 and state.deck[state.left - 1] == card


@rule
def score(state: State, out: Any) -> None:
    """HO-4: Score the match by its mode."""
    if state.mode == TOGETHER:
        coins = 0
        for seat in range(state.players):
            coins += state.pile[seat]
        for seat in range(state.players):
            out[seat] = 1.0 if coins >= ENOUGH else 0.0
    elif state.mode == SIDES:
        ahead = 0
        for seat in range(state.players):
            ahead += state.pile[seat] if seat % 2 == 0 else -state.pile[seat]
        for seat in range(state.players):
            out[seat] = 0.5 if ahead == 0 else 1.0 if (ahead > 0) == (seat % 2 == 0) else 0.0
    else:
        score_rivals(state, out)


@rule
def score_rivals(state: State, out: Any) -> None:
    most = 0
    tied = 0
    for seat in range(state.players):
        if state.pile[seat] > most:
            most = state.pile[seat]
            tied = 0
        tied += state.pile[seat] == most
    for seat in range(state.players):
        out[seat] = 1.0 / tied if state.pile[seat] == most else 0.0


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Choose the highest card in hand, or the first legal action."""
    best = legal[0]
    for k in range(count):
        if legal[k] < CARDS:
            best = legal[k]
    return best
