"""The value of crystals, cards and tiles to a seat: expected points at the end of the match."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.games.dungeon_allies.pieces import CARDS, COLOURS, DISPLAY, MONSTERS, NONE, SKILLS, SQUARES, Item, Target
from meadhall.games.dungeon_allies.rules.scoring import count_kept
from meadhall.games.dungeon_allies.state import ROUND_ENDS, State, has_tile
from meadhall.sdk import Grid, rule

Floats = npt.NDArray[np.floating[Any]]

TILES_PER_TURN = (1.0, 1.0, 28 / 17, 28 / 14, 28 / 12, 28 / 11)  # by the number of players
CRYSTAL_VALUE = (0.45, 0.8, 1.1, 1.5, 2.2)  # by colour, for spells and trade
FADE_TURNS = 3.0  # in the last turns the value falls to 0
PRICE_BONUS = 0.7  # extra value of a crystal that can buy a card now,
NEXT_PRICE_BONUS = 0.5  # or in the next round,
RESERVED_BONUS = 3.0  # or that pays for a card on which a die lies already
ENOUGH_CRYSTALS = 2  # crystals of a colour that cards can use up
KEPT_FRACTION = 0.75  # of the tiles left that players will defeat
FOR_SALE_PROBABILITY = 0.5  # that the seat can still buy a card without an owner
INCOME = (0.8, 0.5, 0.3, 0.2, 0.1)  # crystals of each colour in a turn, for all players together


@rule
def tiles_left(state: State) -> int:
    """Return the number of tiles without dice: they will still lie there next turn."""
    count = 0
    for square in range(SQUARES):
        count += has_tile(state, square) and state.holder[Target.SQUARE + square] == NONE
    return count


@rule
def turns_left(state: State) -> float:
    """Estimate how many turns follow this one."""
    return tiles_left(state) / TILES_PER_TURN[state.players]


@rule
def coming_price(state: State) -> int:
    """DA-11.1: The colour that cards cost at the end of this turn, when every tile with dice on it is gone (DA-12.1)."""
    gone = MONSTERS - tiles_left(state)
    return Item.BLUE + (gone >= ROUND_ENDS[0]) + (gone >= ROUND_ENDS[1])


@rule
def fill_budget(state: State, seat: int, budget: Floats) -> None:
    """Fill in what a seat has, less the prices of the cards on which it has placed dice."""
    for colour in range(COLOURS):
        budget[colour] = state.crystals[seat, colour]
    budget[Item.GOLD] = state.gold[seat]
    for space in range(DISPLAY):
        if state.holder[Target.SORCERER + space] == seat and state.display[space] != NONE:
            budget[coming_price(state)] -= 1


@rule
def fill_crystal_values(state: State, seat: int, budget: Floats, crystal_values: Floats) -> None:
    """Fill in the value of one more crystal of each colour to a seat with this budget."""
    left, price = turns_left(state), coming_price(state)
    for colour in range(COLOURS):
        crystal_values[colour] = CRYSTAL_VALUE[colour] * min(left / FADE_TURNS, 1.0)
        if has_cards(state) and budget[colour] < ENOUGH_CRYSTALS:
            if colour == price:
                crystal_values[colour] += PRICE_BONUS * min(left / 2, 1.0)
            elif colour == price + 1 and price < Item.GREEN:
                crystal_values[colour] += NEXT_PRICE_BONUS
    if budget[price] < 0:
        crystal_values[price] += RESERVED_BONUS
    for card in range(CARDS):
        if state.card_owner[card] == seat:
            for colour in range(COLOURS):
                if state.crystal_points[card, colour] > 0:
                    crystal_values[colour] += state.crystal_points[card, colour] / state.crystals_per[card, colour]


@rule
def has_cards(state: State) -> bool:
    """Return whether a card can still be bought."""
    for space in range(DISPLAY):
        if state.display[space] != NONE:
            return True
    return False


@rule
def value_of_items(items: Grid, row: int, crystal_values: Floats) -> float:
    """Return the value of the crystals and gold in a row of ``items``."""
    total = float(items[row, Item.GOLD])
    for colour in range(COLOURS):
        total += items[row, colour] * crystal_values[colour]
    return total


@rule
def card_value(state: State, seat: int, card: int, budget: Floats) -> float:
    """DA-13.2: Estimate the points of a card, if the seat gets an equal share of the tiles or crystals that it counts."""
    value = float(state.fixed_points[card])
    for skill in range(SKILLS):
        if state.tile_points[card, skill] > 0:
            tiles = count_kept(state, seat, skill) + KEPT_FRACTION * count_weak_tiles(state, skill) / state.players
            value += state.tile_points[card, skill] * tiles
    for colour in range(COLOURS):
        if state.crystal_points[card, colour] > 0:
            crystals = budget[colour] + turns_left(state) * INCOME[colour] / state.players
            value += state.crystal_points[card, colour] * crystals / state.crystals_per[card, colour]
    return value


@rule
def count_weak_tiles(state: State, weakness: int) -> int:
    """DA-14.1: The tiles with a weakness that are still on the squares. All players know their number."""
    count = 0
    for monster in range(MONSTERS):
        count += state.owner[monster] == NONE and state.weakness[monster] == weakness
    return count


@rule
def tile_value(state: State, seat: int, weakness: int) -> float:
    """Return what a tile with a weakness adds to the seat's cards, and to the cards that it may still buy."""
    owned = for_sale = 0
    for card in range(CARDS):
        owned += state.tile_points[card, weakness] * (state.card_owner[card] == seat)
        for_sale += state.tile_points[card, weakness] * (state.card_owner[card] == NONE)
    return owned + FOR_SALE_PROBABILITY * for_sale / state.players
