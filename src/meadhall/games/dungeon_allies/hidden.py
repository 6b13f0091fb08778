"""Hidden information: the tiles that a seat hasn't seen, and for every seat the order of the followers and of the cards."""

from __future__ import annotations

import numpy as np

from meadhall.games.dungeon_allies.pieces import CARDS, DISPLAY, FIRST_FOLLOWER, FOLLOWERS, MONSTERS, NONE, SQUARES
from meadhall.games.dungeon_allies.state import State, has_follower, has_seen
from meadhall.sdk import Row, rule, shuffle


@rule
def conceal(state: State, seat: int) -> None:
    """DA-14.2: Hide the tiles that the seat hasn't seen, the followers below the top one, and the deck."""
    for square in range(SQUARES):
        if state.monster[square] >= 0 and not has_seen(state, seat, square):
            state.monster[square] = NONE
    for k in range(state.followers - 1):
        state.stack[k] = NONE
    for k in range(state.cards):
        state.deck[k] = NONE


@rule
def redeal(state: State, seat: int) -> None:
    """DA-14.1: Draw a determinization: every arrangement of the hidden pieces, which all players know, is equally likely."""
    unseen = np.zeros(MONSTERS, np.int8)
    redeal_monsters(state, unseen)
    redeal_followers(state, unseen)
    redeal_cards(state, unseen)


@rule
def redeal_monsters(state: State, unseen: Row) -> None:
    """DA-14.1: Shuffle the tiles that still lie on squares and that the seat hasn't seen there."""
    count = 0
    for monster in range(MONSTERS):
        if state.owner[monster] == NONE and not is_located(state, monster):
            unseen[count] = monster
            count += 1
    shuffle(state.rng, unseen, count)
    for square in range(SQUARES):
        if state.monster[square] == NONE:
            count -= 1
            state.monster[square] = unseen[count]


@rule
def is_located(state: State, monster: int) -> bool:
    """Return whether the viewer knows on which square a tile lies."""
    for square in range(SQUARES):
        if state.monster[square] == monster:
            return True
    return False


@rule
def redeal_followers(state: State, unseen: Row) -> None:
    """Shuffle the followers in the stack, except the one on top."""
    top = state.followers - 1
    count = 0
    for follower in range(FIRST_FOLLOWER, FIRST_FOLLOWER + FOLLOWERS):
        if not has_follower(state, follower) and (top < 0 or state.stack[top] != follower):
            unseen[count] = follower
            count += 1
    shuffle(state.rng, unseen, count)
    for k in range(count):
        state.stack[k] = unseen[k]


@rule
def redeal_cards(state: State, unseen: Row) -> None:
    """Shuffle the deck: the cards that are not on show and have no owner."""
    count = 0
    for card in range(CARDS):
        if state.card_owner[card] == NONE and not is_on_show(state, card):
            unseen[count] = card
            count += 1
    shuffle(state.rng, unseen, count)
    for k in range(count):
        state.deck[k] = unseen[k]


@rule
def is_on_show(state: State, card: int) -> bool:
    """DA-11.1: Whether a card lies on one of the sorcerer's spaces."""
    for space in range(DISPLAY):
        if state.display[space] == card:
            return True
    return False
