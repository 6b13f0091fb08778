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
    Step,
    Table,
)

PERCENTILE_SIDES = 10


@rule
def setup(table: Table, players: int, options: Any, log: Grid) -> None:
    """DA-2: the boards as they are before the first turn. DA-13.5: the number of players changes nothing else."""
    read_components(table, options)
    clear(table)
    place_monsters(table, log)
    deal_characters(table, players, log)
    roll_order(table, players, log)
    shuffle_cards(table, log)
    shuffle_followers(table, log)
    for colour in range(COLOURS):
        table.box[colour] = CRYSTALS[colour]
    add_treasure(table, log)
    table.turn = 1
    table.step = Step.PLACEMENT
    table.phase = Phase.ASSIGN
    table.actor = 0


@rule
def read_components(table: Table, codes: Row) -> None:
    """DA-1.1: what is printed on tiles, cards and boards, field after field as the state declares them."""
    at = read_grid(codes, 0, table.target)
    at = read_grid(codes, at, table.bounty)
    at = read_row(codes, at, table.weakness)
    at = read_row(codes, at, table.skill)
    at = read_grid(codes, at, table.track_gift)
    at = read_grid(codes, at, table.offering)
    at = read_grid(codes, at, table.reward)
    at = read_grid(codes, at, table.exchange)
    at = read_row(codes, at, table.card_kind)
    at = read_row(codes, at, table.card_subject)
    at = read_row(codes, at, table.card_per)
    read_row(codes, at, table.card_points)


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
def clear(table: Table) -> None:
    """Nobody has anything, and nothing is anywhere."""
    table.order[:] = NONE
    table.dealt[:] = NONE
    table.ally[:] = NONE
    table.place[:] = NONE
    table.former[:] = NONE
    table.owner[:] = NONE
    table.holder[:] = NONE
    table.square = NONE
    table.track[:] = NONE
    table.bidder = NONE
    table.display[:] = NONE
    table.card_owner[:] = NONE


@rule
def place_monsters(table: Table, log: Grid) -> None:
    """DA-2.4, DA-1.5: one on every square, face down."""
    lay_out(table.monster, 0, MONSTERS)
    table.reveals += 1
    shuffle(table.rng, table.monster, MONSTERS)
    for square in range(MONSTERS):
        whisper(log, NOBODY, Event.TILE, square, table.monster[square])


@rule
def lay_out(items: Row, first: int, count: int) -> None:
    """``count`` things in the order of the data."""
    for k in range(count):
        items[k] = first + k


@rule
def deal_characters(table: Table, players: int, log: Grid) -> None:
    """DA-2.1: two each, again and again until nobody has two of the same skill."""
    characters = np.zeros(CHARACTERS, np.int8)
    lay_out(characters, 0, CHARACTERS)
    shuffle(table.rng, characters, CHARACTERS)
    while has_equal_skills(table, players, characters):
        lay_out(characters, 0, CHARACTERS)
        shuffle(table.rng, characters, CHARACTERS)
    for seat in range(players):
        for k in range(DEALT):
            table.dealt[seat, k] = characters[DEALT * seat + k]
            emit(log, Event.CHARACTER, seat, table.dealt[seat, k])


@rule
def has_equal_skills(table: Table, players: int, characters: Row) -> bool:
    """DA-2.1: whether anybody would."""
    for seat in range(players):
        if table.skill[characters[DEALT * seat]] == table.skill[characters[DEALT * seat + 1]]:
            return True
    return False


@rule
def roll_order(table: Table, players: int, log: Grid) -> None:
    """DA-2.5, DA-1.4: the highest roll of the percentile die is first; those who are tied roll again."""
    place = np.zeros(SEATS, np.int8)  # how many are before a seat
    rolled = np.zeros(SEATS, np.int8)
    higher = np.zeros(SEATS, np.int8)
    while roll_ties(table, players, place, rolled, log):
        for seat in range(players):
            higher[seat] = count_higher(players, place, rolled, seat)
        for seat in range(players):
            place[seat] += higher[seat]
    for seat in range(players):
        table.order[place[seat]] = seat
    tell_order(table, log)


@rule
def roll_ties(table: Table, players: int, place: Row, rolled: Row, log: Grid) -> bool:
    """DA-2.5: those who share a place roll, in seat order. Whether anybody did."""
    tied = False
    for seat in range(players):
        if shares_place(players, place, seat):
            tied = True
            rolled[seat] = below(table.rng, PERCENTILE_SIDES)
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
def shuffle_cards(table: Table, log: Grid) -> None:
    """DA-2.2: five are shown, the others are the deck; the first one lies on top."""
    table.cards = CARDS
    shuffle_stack(table, table.deck, 0, CARDS)
    show_cards(table, log)


@rule
def shuffle_followers(table: Table, log: Grid) -> None:
    """DA-2.2: one stack, of which only the top is seen."""
    table.followers = FOLLOWERS
    shuffle_stack(table, table.stack, FIRST_FOLLOWER, FOLLOWERS)
    show_follower(table, log)


@rule
def shuffle_stack(table: Table, stack: Row, first: int, count: int) -> None:
    """Shuffled, the first one on top: at the end of the array."""
    shuffled = np.zeros(count, np.int8)
    lay_out(shuffled, first, count)
    table.reveals += 1
    shuffle(table.rng, shuffled, count)
    for k in range(count):
        stack[count - 1 - k] = shuffled[k]


@rule
def assign(table: Table, choice: int, log: Grid) -> None:
    """DA-2.3: the chosen character has the d6, the other one the d4; then the next seat chooses."""
    seat = table.actor
    for k in range(DEALT):
        die = D6 if k == choice else D4
        table.ally[seat, die] = table.dealt[seat, k]
        emit(log, Event.ASSIGNED, seat, table.dealt[seat, k], SIDES[die])
    table.actor += 1
    if table.actor == table.players:
        table.phase = Phase.PLACE
