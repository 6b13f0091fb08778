"""Evaluation between two turns: a linear score of the features of each seat, and a softmax of these scores."""

from __future__ import annotations

from enum import IntEnum
from math import exp
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.games.dungeon_allies.heuristics.learned import KNOTS, SHARPNESS, WEIGHTS
from meadhall.games.dungeon_allies.pieces import (
    CARDS,
    COLOURS,
    DICE,
    DISPLAY,
    MONSTERS,
    NONE,
    SIDES,
    SKILLS,
    SQUARES,
    Item,
    Phase,
    Target,
)
from meadhall.games.dungeon_allies.rules import count_kept, points_of
from meadhall.games.dungeon_allies.state import State, has_seen, has_tile
from meadhall.sdk import Grid, Row, rule

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
    return Item.BLUE + (gone >= state.second_round) + (gone >= state.third_round)


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


class Feature(IntEnum):
    """The features of a seat: the rows of ``WEIGHTS``."""

    POINTS = 0
    CARD_PROMISE = 1  # points of its cards for tiles still on squares, if it gets an equal share of them
    CRYSTAL_CARDS = 2
    CRYSTALS = 3  # one row for each colour
    FIRST_CRYSTALS = CRYSTALS + COLOURS  # one row for each colour: 1 if it has any
    ALLIES = FIRST_CRYSTALS + COLOURS  # one row for each die: 1 if one of its allies has that die
    SKILL = ALLIES + DICE  # sides of its dice that count double, on average over the tiles still on squares
    PRECEDENCE = SKILL + 1  # how many seats come after it in the turn order
    SEEN = PRECEDENCE + 1  # tiles that it has seen
    PRICE = SEEN + 1  # 1 if it can pay for a card
    UNSOLD_CARDS = PRICE + 1  # points of cards without an owner for its tiles, divided by the players


FEATURES = Feature.UNSOLD_CARDS + 1


@rule
def is_between_turns(state: State) -> bool:
    """DA-12.2: Whether a turn begins and no die has been placed."""
    if state.phase != Phase.PLACE or state.cursor > 0:
        return False
    for die in range(DICE):
        if state.place[state.order[0], die] != NONE:
            return False
    return True


@rule
def estimate_payoffs(state: State, payoffs: Any) -> None:
    """Estimate the payoff of every seat. Weights are interpolated between the knots by the turns left."""
    left = min(max(turns_left(state), KNOTS[0]), KNOTS[-1])
    k = 0
    while left > KNOTS[k + 1]:
        k += 1
    part = (left - KNOTS[k]) / (KNOTS[k + 1] - KNOTS[k])
    sharpness = (1 - part) * SHARPNESS[state.players - 2, k] + part * SHARPNESS[state.players - 2, k + 1]

    features = np.zeros(FEATURES)
    tiles = np.zeros(SKILLS)
    count_tiles(state, NONE, tiles)
    highest = -np.inf
    for seat in range(state.players):
        fill_features(state, seat, tiles, features)
        score = 0.0
        for feature in range(FEATURES):
            score += features[feature] * ((1 - part) * WEIGHTS[feature, k] + part * WEIGHTS[feature, k + 1])
        payoffs[seat] = sharpness * score
        highest = max(highest, payoffs[seat])
    total = 0.0
    for seat in range(state.players):
        payoffs[seat] = exp(payoffs[seat] - highest)
        total += payoffs[seat]
    for seat in range(state.players):
        payoffs[seat] /= total


@rule
def fill_features(state: State, seat: int, tiles: Floats, features: Floats) -> None:
    """Fill in the features of a seat. ``tiles`` counts the tiles still on squares by weakness."""
    features[:] = 0.0
    features[Feature.POINTS] = points_of(state, seat)
    fill_card_features(state, seat, tiles, features)
    for colour in range(COLOURS):
        features[Feature.CRYSTALS + colour] = state.crystals[seat, colour]
        features[Feature.FIRST_CRYSTALS + colour] = min(state.crystals[seat, colour], 1)
    for die in range(DICE):
        ally = state.ally[seat, die]
        if ally != NONE:
            features[Feature.ALLIES + die] = 1
            features[Feature.SKILL] += SIDES[die] * tiles[state.skill[ally]] / max(MONSTERS - state.removed, 1)
    for place in range(state.players):
        if state.order[place] == seat:  # before DA-2.5 no seat has a place
            features[Feature.PRECEDENCE] = state.players - 1 - place
    for square in range(SQUARES):
        features[Feature.SEEN] += has_tile(state, square) and has_seen(state, seat, square)
    features[Feature.PRICE] = state.crystals[seat, coming_price(state)] > 0


@rule
def fill_card_features(state: State, seat: int, tiles: Floats, features: Floats) -> None:
    """Fill in what the seat's cards may still score, and the cards that it may still buy."""
    kept = np.zeros(SKILLS)
    count_tiles(state, seat, kept)
    for card in range(CARDS):
        if state.card_owner[card] == seat:
            for skill in range(SKILLS):
                features[Feature.CARD_PROMISE] += state.tile_points[card, skill] * tiles[skill]
            for colour in range(COLOURS):
                features[Feature.CRYSTAL_CARDS] += state.crystal_points[card, colour] > 0
        elif state.card_owner[card] == NONE:
            for skill in range(SKILLS):
                features[Feature.UNSOLD_CARDS] += state.tile_points[card, skill] * kept[skill]
    features[Feature.CARD_PROMISE] /= state.players
    features[Feature.UNSOLD_CARDS] /= state.players


@rule
def count_tiles(state: State, owner: int, tiles: Row) -> None:
    """Count the tiles of a seat by weakness; with NONE as the owner, the tiles still on squares."""
    for monster in range(MONSTERS):
        tiles[state.weakness[monster]] += state.owner[monster] == owner
