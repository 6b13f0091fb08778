"""Evaluation between two turns: a linear score of the features of each seat, and a softmax of these scores."""

from __future__ import annotations

from enum import IntEnum
from math import exp
from typing import Any

import numpy as np

from meadhall.games.dungeon_allies.actions import Phase
from meadhall.games.dungeon_allies.heuristics.learned import KNOTS, SHARPNESS, WEIGHTS
from meadhall.games.dungeon_allies.heuristics.valuation import Floats, coming_price, turns_left
from meadhall.games.dungeon_allies.pieces import CARDS, COLOURS, DICE, MONSTERS, NONE, SIDES, SKILLS, SQUARES
from meadhall.games.dungeon_allies.rules.scoring import points_of
from meadhall.games.dungeon_allies.state import State, has_seen, has_tile
from meadhall.sdk import Row, rule


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
