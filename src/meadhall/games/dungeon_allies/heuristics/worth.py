"""What crystals, cards and tiles are worth to a seat: points at the end of the match, as far as one can see."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid
from meadhall.games.dungeon_allies.rules.scoring import count_kept
from meadhall.games.dungeon_allies.state import (
    BLUE,
    CARDS,
    COLOURS,
    DISPLAY,
    GOLD,
    GREEN,
    MONSTERS,
    NONE,
    ON_SORCERER,
    ON_SQUARE,
    ROUND_ENDS,
    SQUARES,
    CardKind,
    State,
    has_tile,
)

Values = npt.NDArray[np.floating[Any]]

PACE = (1.0, 1.0, 28 / 17, 28 / 14, 28 / 12, 28 / 11)  # tiles that go in a turn, by the number of players
CRYSTAL = (0.45, 0.8, 1.1, 1.5, 2.2)  # a crystal of each colour, for what can be done with it
FADE = 3.0  # turns before the end from which on it is worth less and less
PRICE = 0.7  # more, if it can buy a card now,
NEXT_PRICE = 0.5  # or in the next round,
PROMISED = 3.0  # or if a card is waiting for it
ENOUGH = 2  # crystals for cards
CATCH = 0.75  # of the tiles that are left so many will be somebody's
OPEN = 0.5  # how likely a card that nobody has will still be for sale
INCOME = (0.8, 0.5, 0.3, 0.2, 0.1)  # crystals of each colour that come in a turn, to all players together


@rule
def tiles_left(state: State) -> int:
    """Tiles on which nobody has a die: they will still be there in the next turn."""
    count = 0
    for square in range(SQUARES):
        count += has_tile(state, square) and state.holder[ON_SQUARE + square] == NONE
    return count


@rule
def turns_left(state: State) -> float:
    """How many turns there seem to be after this one."""
    return tiles_left(state) / PACE[state.players]


@rule
def price_to_come(state: State) -> int:
    """DA-11.1: the colour that buys cards at the end of this turn, when every tile with dice on it has gone (DA-12.1)."""
    gone = MONSTERS - tiles_left(state)
    return BLUE + (gone >= ROUND_ENDS[0]) + (gone >= ROUND_ENDS[1])


@rule
def fill_purse(state: State, seat: int, purse: Values) -> None:
    """What a seat has, less the prices of the cards that wait for it."""
    for colour in range(COLOURS):
        purse[colour] = state.crystals[seat, colour]
    purse[GOLD] = state.gold[seat]
    for space in range(DISPLAY):
        if state.holder[ON_SORCERER + space] == seat and state.display[space] != NONE:
            purse[price_to_come(state)] -= 1


@rule
def appraise(state: State, seat: int, purse: Values, worth: Values) -> None:
    """What one more crystal of each colour is worth to a seat with such a purse."""
    left, price = turns_left(state), price_to_come(state)
    for colour in range(COLOURS):
        worth[colour] = CRYSTAL[colour] * min(left / FADE, 1.0)
        if has_cards(state) and purse[colour] < ENOUGH:
            if colour == price:
                worth[colour] += PRICE * min(left / 2, 1.0)
            elif colour == price + 1 and price < GREEN:
                worth[colour] += NEXT_PRICE
    if purse[price] < 0:
        worth[price] += PROMISED
    for card in range(CARDS):
        if state.card_owner[card] == seat and state.card_kind[card] == CardKind.CRYSTAL:
            worth[state.card_subject[card]] += state.card_points[card] / state.card_per[card]


@rule
def has_cards(state: State) -> bool:
    """Whether a card can still be bought."""
    for space in range(DISPLAY):
        if state.display[space] != NONE:
            return True
    return False


@rule
def worth_of(items: Grid, row: int, worth: Values) -> float:
    """What crystals and gold are worth together."""
    total = float(items[row, GOLD])
    for colour in range(COLOURS):
        total += items[row, colour] * worth[colour]
    return total


@rule
def card_worth(state: State, seat: int, card: int, purse: Values) -> float:
    """DA-13.2: what a card will score, if the seat gets its share of what the card counts."""
    points, subject = float(state.card_points[card]), state.card_subject[card]
    if state.card_kind[card] == CardKind.MONSTER:
        return points * (count_kept(state, seat, subject) + CATCH * count_weak(state, subject) / state.players)
    if state.card_kind[card] == CardKind.CRYSTAL:
        return float(points * (purse[subject] + turns_left(state) * INCOME[subject] / state.players) / state.card_per[card])
    return points


@rule
def count_weak(state: State, weakness: int) -> int:
    """DA-14.1: how many tiles with a weakness are still on the squares; everybody knows that."""
    count = 0
    for monster in range(MONSTERS):
        count += state.owner[monster] == NONE and state.weakness[monster] == weakness
    return count


@rule
def tile_worth(state: State, seat: int, weakness: int) -> float:
    """What keeping a tile with a weakness adds to the seat's cards, and to those that it may still buy."""
    worth = 0.0
    for card in range(CARDS):
        if state.card_kind[card] == CardKind.MONSTER and state.card_subject[card] == weakness:
            if state.card_owner[card] == seat:
                worth += state.card_points[card]
            elif state.card_owner[card] == NONE:
                worth += OPEN * state.card_points[card] / state.players
    return worth
