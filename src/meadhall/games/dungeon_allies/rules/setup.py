"""Set-up (§Game Setup): everything that chance decides before the first decision, and that decision."""

from __future__ import annotations

from typing import Any

import numpy as np

from meadhall.engine.chance import below, shuffle
from meadhall.engine.events import NOBODY, emit, whisper
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid, Row
from meadhall.games.dungeon_allies.rules.sorcerer import show_cards
from meadhall.games.dungeon_allies.rules.tavern import show_follower
from meadhall.games.dungeon_allies.rules.treasure import add_treasure
from meadhall.games.dungeon_allies.rules.turn_order import tell_order
from meadhall.games.dungeon_allies.state import (
    CARDS,
    CHARACTERS,
    COLOURS,
    CRYSTALS,
    D4,
    D6,
    DEALT,
    FIRST_FOLLOWER,
    FOLLOWERS,
    MONSTERS,
    NONE,
    SEATS,
    SIDES,
    Event,
    Phase,
    State,
    Step,
)

PERCENTILE_SIDES = 10


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """DA-2: the boards as they are before the first turn. DA-13.5: the number of players changes nothing else."""
    read_components(state, options)
    clear(state)
    place_monsters(state, log)
    deal_characters(state, players, log)
    roll_order(state, players, log)
    shuffle_cards(state, log)
    shuffle_followers(state, log)
    for colour in range(COLOURS):
        state.box[colour] = CRYSTALS[colour]
    add_treasure(state, log)
    state.turn = 1
    state.step = Step.PLACEMENT
    state.phase = Phase.ASSIGN
    state.actor = 0


@rule
def read_components(state: State, codes: Row) -> None:
    """DA-1.1: what is printed on tiles, cards and boards, field after field as the state declares them."""
    at = read_grid(codes, 0, state.target)
    at = read_grid(codes, at, state.bounty)
    at = read_row(codes, at, state.weakness)
    at = read_row(codes, at, state.skill)
    at = read_grid(codes, at, state.track_gift)
    at = read_grid(codes, at, state.offering)
    at = read_grid(codes, at, state.reward)
    at = read_grid(codes, at, state.exchange)
    at = read_row(codes, at, state.card_kind)
    at = read_row(codes, at, state.card_subject)
    at = read_row(codes, at, state.card_per)
    read_row(codes, at, state.card_points)


@rule
def read_row(codes: Row, at: int, field: Row) -> int:
    """Fill a field from ``codes[at]`` on; where the next one begins."""
    for k in range(len(field)):
        field[k] = codes[at + k]
    return at + len(field)


@rule
def read_grid(codes: Row, at: int, field: Grid) -> int:
    """The same, row by row."""
    rows, columns = field.shape
    for row in range(rows):
        for column in range(columns):
            field[row, column] = codes[at]
            at += 1
    return at


@rule
def clear(state: State) -> None:
    """Nobody has anything, and nothing is anywhere."""
    state.order[:] = NONE
    state.dealt[:] = NONE
    state.ally[:] = NONE
    state.place[:] = NONE
    state.former[:] = NONE
    state.owner[:] = NONE
    state.holder[:] = NONE
    state.square = NONE
    state.track[:] = NONE
    state.bidder = NONE
    state.display[:] = NONE
    state.card_owner[:] = NONE


@rule
def place_monsters(state: State, log: Grid) -> None:
    """DA-2.4, DA-1.5: one on every square, face down."""
    lay_out(state.monster, 0, MONSTERS)
    state.reveals += 1
    shuffle(state.rng, state.monster, MONSTERS)
    for square in range(MONSTERS):
        whisper(log, NOBODY, Event.TILE, square, state.monster[square])


@rule
def lay_out(items: Row, first: int, count: int) -> None:
    """``count`` things in the order of the data."""
    for k in range(count):
        items[k] = first + k


@rule
def deal_characters(state: State, players: int, log: Grid) -> None:
    """DA-2.1: two each, again and again until nobody has two of the same skill."""
    characters = np.zeros(CHARACTERS, np.int8)
    lay_out(characters, 0, CHARACTERS)
    shuffle(state.rng, characters, CHARACTERS)
    while has_equal_skills(state, players, characters):
        lay_out(characters, 0, CHARACTERS)
        shuffle(state.rng, characters, CHARACTERS)
    for seat in range(players):
        for k in range(DEALT):
            state.dealt[seat, k] = characters[DEALT * seat + k]
            emit(log, Event.CHARACTER, seat, state.dealt[seat, k])


@rule
def has_equal_skills(state: State, players: int, characters: Row) -> bool:
    """DA-2.1: whether anybody would."""
    for seat in range(players):
        if state.skill[characters[DEALT * seat]] == state.skill[characters[DEALT * seat + 1]]:
            return True
    return False


@rule
def roll_order(state: State, players: int, log: Grid) -> None:
    """DA-2.5, DA-1.4: the highest roll of the percentile die is first; those who are tied roll again."""
    place = np.zeros(SEATS, np.int8)  # how many are before a seat
    rolled = np.zeros(SEATS, np.int8)
    higher = np.zeros(SEATS, np.int8)
    while roll_ties(state, players, place, rolled, log):
        for seat in range(players):
            higher[seat] = count_higher(players, place, rolled, seat)
        for seat in range(players):
            place[seat] += higher[seat]
    for seat in range(players):
        state.order[place[seat]] = seat
    tell_order(state, log)


@rule
def roll_ties(state: State, players: int, place: Row, rolled: Row, log: Grid) -> bool:
    """DA-2.5: those who share a place roll, in seat order. Whether anybody did."""
    tied = False
    for seat in range(players):
        if shares_place(players, place, seat):
            tied = True
            rolled[seat] = below(state.rng, PERCENTILE_SIDES)
            emit(log, Event.PERCENTILE, seat, PERCENTILE_SIDES * rolled[seat])
    return tied


@rule
def shares_place(players: int, place: Row, seat: int) -> bool:
    """DA-2.5: whether a seat is tied with another."""
    for other in range(players):
        if other != seat and place[other] == place[seat]:
            return True
    return False


@rule
def count_higher(players: int, place: Row, rolled: Row, seat: int) -> int:
    """DA-2.5: how many of those tied with a seat have rolled more."""
    count = 0
    for other in range(players):
        count += place[other] == place[seat] and rolled[other] > rolled[seat]
    return count


@rule
def shuffle_cards(state: State, log: Grid) -> None:
    """DA-2.2: five are shown, the others are the deck; the first one lies on top."""
    state.cards = CARDS
    shuffle_stack(state, state.deck, 0, CARDS)
    show_cards(state, log)


@rule
def shuffle_followers(state: State, log: Grid) -> None:
    """DA-2.2: one stack, of which only the top is seen."""
    state.followers = FOLLOWERS
    shuffle_stack(state, state.stack, FIRST_FOLLOWER, FOLLOWERS)
    show_follower(state, log)


@rule
def shuffle_stack(state: State, stack: Row, first: int, count: int) -> None:
    """Shuffled, the first one on top: at the end of the array."""
    shuffled = np.zeros(count, np.int8)
    lay_out(shuffled, first, count)
    state.reveals += 1
    shuffle(state.rng, shuffled, count)
    for k in range(count):
        stack[count - 1 - k] = shuffled[k]


@rule
def assign(state: State, choice: int, log: Grid) -> None:
    """DA-2.3: the chosen character has the d6, the other one the d4; then the next seat chooses."""
    seat = state.actor
    for k in range(DEALT):
        die = D6 if k == choice else D4
        state.ally[seat, die] = state.dealt[seat, k]
        emit(log, Event.ASSIGNED, seat, state.dealt[seat, k], SIDES[die])
    state.actor += 1
    if state.actor == state.players:
        state.phase = Phase.PLACE
