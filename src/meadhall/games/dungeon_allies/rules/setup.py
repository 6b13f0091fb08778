"""Set-up (§Game Setup): the deal, each player's choice of the d6, then turn order and treasure."""

from __future__ import annotations

from typing import Any

import numpy as np

from meadhall.games.dungeon_allies.pieces import (
    CARDS,
    CHARACTERS,
    COLOURS,
    CRYSTALS,
    DEALT,
    FIRST_FOLLOWER,
    FOLLOWERS,
    MONSTERS,
    NONE,
    SEATS,
    SIDES,
    Die,
    Phase,
)
from meadhall.games.dungeon_allies.rules.market import show_cards
from meadhall.games.dungeon_allies.rules.village import add_treasure, emit_order, show_follower
from meadhall.games.dungeon_allies.state import Event, State, Step
from meadhall.sdk import HIDDEN, Grid, Row, below, emit, emit_private, i64, rule, shuffle

PERCENTILE_SIDES = 10
LARGEST_STACK = max(CARDS, FOLLOWERS)


@rule
def setup(state: State, players: int, options: Any, log: Grid) -> None:
    """DA-2.1, DA-2.2, DA-2.4: The tiles and cards, up to the first decision. DA-13.5: The players change nothing else."""
    read_house_rules(state, options, read_components(state, options))
    clear(state)
    place_monsters(state, log)
    deal_characters(state, players, log)
    shuffle_cards(state, log)
    shuffle_followers(state, log)
    for colour in range(COLOURS):
        state.box[colour] = CRYSTALS[colour]
    state.turn = 1
    state.step = Step.PLACEMENT
    state.phase = Phase.ASSIGN
    state.actor = 0


@rule
def read_components(state: State, codes: Row) -> int:
    """DA-1.1: Copy what is printed on tiles, cards and boards, field by field in the order of the state.

    Return where the codes of the house rules start.
    """
    start = read_grid(codes, 0, state.target)
    start = read_grid(codes, start, state.bounty)
    start = read_row(codes, start, state.weakness)
    start = read_row(codes, start, state.skill)
    start = read_grid(codes, start, state.track_gift)
    start = read_row(codes, start, state.level)
    state.prisoners = codes[start]
    start = read_grid(codes, start + 1, state.offering)
    start = read_grid(codes, start, state.reward)
    state.lines = codes[start]
    start = read_grid(codes, start + 1, state.exchange)
    start = read_row(codes, start, state.enhancers)
    state.refill = codes[start]
    start = read_grid(codes, start + 1, state.tile_points)
    start = read_grid(codes, start, state.crystal_points)
    start = read_grid(codes, start, state.crystals_per)
    return read_row(codes, start, state.fixed_points)


@rule
def read_house_rules(state: State, codes: Row, start: int) -> None:
    """DA-19.1 to DA-19.7: Read which house rules hold. DA-19.5, DA-19.6: Two of them change what the components say.

    DA-19.8, DA-19.9: Numbers of the rules say when rounds 2 and 3 begin.
    """
    state.bids_return = codes[start]
    state.first_bid = codes[start + 1]
    state.below_characters = codes[start + 2]
    state.offering_first = codes[start + 3]
    if codes[start + 4]:
        state.enhancers[Die.D20] = True
    if codes[start + 5]:
        state.refill = False
    state.one_treasure = codes[start + 6]
    state.second_round = codes[start + 7]
    state.third_round = codes[start + 8]


@rule
def read_row(codes: Row, start: int, field: Row) -> int:
    """Fill a field with the codes from ``start`` on. Return where the next field starts."""
    for k in range(len(field)):
        field[k] = codes[start + k]
    return start + len(field)


@rule
def read_grid(codes: Row, start: int, field: Grid) -> int:
    """Fill a two-dimensional field row by row. Return where the next field starts."""
    rows, columns = field.shape
    for row in range(rows):
        for column in range(columns):
            field[row, column] = codes[start]
            start += 1
    return start


@rule
def clear(state: State) -> None:
    """Set every field in which 0 would name a piece, a seat or a space to NONE."""
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
    """DA-2.4, DA-1.5: One tile face down on every square."""
    fill_ascending(state.monster, 0, MONSTERS)
    state.reveals += 1
    shuffle(state.rng, state.monster, MONSTERS)
    for square in range(MONSTERS):
        emit_private(log, HIDDEN, Event.TILE, square, state.monster[square])


@rule
def fill_ascending(items: Row, first: int, count: int) -> None:
    """Fill the first ``count`` places with the numbers from ``first`` on: pieces in the order of the data."""
    for k in range(count):
        items[k] = first + k


@rule
def deal_characters(state: State, players: int, log: Grid) -> None:
    """DA-2.1: Two characters each. The deal is repeated until no player has two of the same skill."""
    characters = np.zeros(CHARACTERS, np.int8)
    fill_ascending(characters, 0, CHARACTERS)
    shuffle(state.rng, characters, CHARACTERS)
    while has_equal_skills(state, players, characters):
        fill_ascending(characters, 0, CHARACTERS)
        shuffle(state.rng, characters, CHARACTERS)
    for seat in range(players):
        for k in range(DEALT):
            state.dealt[seat, k] = characters[DEALT * seat + k]
            emit(log, Event.CHARACTER, seat, state.dealt[seat, k])


@rule
def has_equal_skills(state: State, players: int, characters: Row) -> bool:
    """DA-2.1: Whether a player would get two characters of the same skill."""
    for seat in range(players):
        if state.skill[characters[DEALT * seat]] == state.skill[characters[DEALT * seat + 1]]:
            return True
    return False


@rule
def shuffle_cards(state: State, log: Grid) -> None:
    """DA-2.2: Five cards are shown, the others are the deck; the first one lies on top."""
    state.cards = CARDS
    shuffle_stack(state, state.deck, 0, CARDS)
    show_cards(state, log)


@rule
def shuffle_followers(state: State, log: Grid) -> None:
    """DA-2.2: One stack, of which only the top is visible."""
    state.followers = FOLLOWERS
    shuffle_stack(state, state.stack, FIRST_FOLLOWER, FOLLOWERS)
    show_follower(state, log)


@rule
def shuffle_stack(state: State, stack: Row, first: int, count: int) -> None:
    """Shuffle pieces onto a stack. The first one lies on top, at the end of the array."""
    shuffled = np.zeros(LARGEST_STACK, np.int8)
    fill_ascending(shuffled, first, count)
    state.reveals += 1
    shuffle(state.rng, shuffled, count)
    for k in range(count):
        stack[count - 1 - k] = shuffled[k]


@rule
def assign(state: State, choice: int, log: Grid) -> None:
    """DA-2.3: The chosen character gets the d6, the other the d4; then the next seat chooses.

    DA-2.5, DA-2.6: After the last choice come turn order and treasure.
    """
    seat = state.actor
    for k in range(DEALT):
        die = i64(Die.D6 if k == choice else Die.D4)
        state.ally[seat, die] = state.dealt[seat, k]
        emit(log, Event.ASSIGNED, seat, state.dealt[seat, k], SIDES[die])
    state.actor += 1
    if state.actor == state.players:
        roll_order(state, state.players, log)
        add_treasure(state, log)
        state.phase = Phase.PLACE


@rule
def roll_order(state: State, players: int, log: Grid) -> None:
    """DA-2.5, DA-1.4: The highest roll of the percentile die is first; tied players roll again."""
    place = np.zeros(SEATS, np.int8)  # how many seats are ahead of a seat
    rolled = np.zeros(SEATS, np.int8)
    higher = np.zeros(SEATS, np.int8)
    while roll_ties(state, players, place, rolled, log):
        for seat in range(players):
            higher[seat] = count_higher(players, place, rolled, seat)
        for seat in range(players):
            place[seat] += higher[seat]
    for seat in range(players):
        state.order[place[seat]] = seat
    emit_order(state, log)


@rule
def roll_ties(state: State, players: int, place: Row, rolled: Row, log: Grid) -> bool:
    """DA-2.5: Seats that share a place roll, in seat order. Returns whether any seat rolled."""
    tied = False
    for seat in range(players):
        if shares_place(players, place, seat):
            tied = True
            state.reveals += 1
            rolled[seat] = below(state.rng, PERCENTILE_SIDES)
            emit(log, Event.PERCENTILE, seat, PERCENTILE_SIDES * rolled[seat])
    return tied


@rule
def shares_place(players: int, place: Row, seat: int) -> bool:
    """DA-2.5: Whether a seat is tied with another."""
    for other in range(players):
        if other != seat and place[other] == place[seat]:
            return True
    return False


@rule
def count_higher(players: int, place: Row, rolled: Row, seat: int) -> int:
    """DA-2.5: How many seats tied with this one rolled more."""
    count = 0
    for other in range(players):
        count += place[other] == place[seat] and rolled[other] > rolled[seat]
    return count
