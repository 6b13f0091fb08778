"""Who is likely to win, as it looks between two turns: what everybody has, in gold, and how much a lead of gold still means."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from meadhall.engine.rule import rule
from meadhall.engine.schema import Row
from meadhall.games.dungeon_allies.heuristics.learned import LEFT, SHARPNESS, VALUES
from meadhall.games.dungeon_allies.heuristics.worth import Values, price_to_come, turns_left
from meadhall.games.dungeon_allies.rules.scoring import points_of
from meadhall.games.dungeon_allies.state import (
    CARDS,
    COLOURS,
    DICE,
    MONSTERS,
    NONE,
    SIDES,
    SKILLS,
    SQUARES,
    CardKind,
    Phase,
    State,
    has_seen,
    has_tile,
)

# What a seat can have, in the order of the rows of VALUES.
POINTS = 0
PROMISE = 1  # what its cards will score for tiles that still lie on squares, if it gets as many of them as the others
CRYSTAL_CARDS = 2
CRYSTALS = 3  # of each colour
FIRST_CRYSTALS = CRYSTALS + COLOURS  # 1 for each colour of which it has any
ALLIES = FIRST_CRYSTALS + COLOURS  # 1 for each die that one of its allies has
SKILL = ALLIES + DICE  # sides of its dice that count double against a tile, on average over those that still lie on squares
PRECEDENCE = SKILL + 1  # how many come after it in the turn order
SEEN = PRECEDENCE + 1  # tiles that it knows
PRICE = SEEN + 1  # whether it can buy a card
OPEN = PRICE + 1  # what cards that nobody has would score for its tiles, shared by all players
ASSETS = OPEN + 1


@rule
def is_between_turns(state: State) -> bool:
    """DA-12.2: whether a turn begins, and no die has been placed."""
    if state.phase != Phase.PLACE or state.cursor > 0:
        return False
    for die in range(DICE):
        if state.place[state.order[0], die] != NONE:
            return False
    return True


@rule
def expect_payoffs(state: State, payoffs: Any) -> None:
    """How likely each seat wins, between two turns."""
    left = min(max(turns_left(state), LEFT[0]), LEFT[-1])
    k = 0
    while left > LEFT[k + 1]:
        k += 1
    part = (left - LEFT[k]) / (LEFT[k + 1] - LEFT[k])
    sharpness = (1 - part) * SHARPNESS[state.players - 2, k] + part * SHARPNESS[state.players - 2, k + 1]

    assets = np.zeros(ASSETS)
    tiles = np.zeros(SKILLS)
    count_tiles(state, NONE, tiles)
    highest = -np.inf
    for seat in range(state.players):
        list_assets(state, seat, tiles, assets)
        wealth = 0.0
        for asset in range(ASSETS):
            wealth += assets[asset] * ((1 - part) * VALUES[asset, k] + part * VALUES[asset, k + 1])
        payoffs[seat] = sharpness * wealth
        highest = max(highest, payoffs[seat])
    total = 0.0
    for seat in range(state.players):
        payoffs[seat] = exp(payoffs[seat] - highest)
        total += payoffs[seat]
    for seat in range(state.players):
        payoffs[seat] /= total


@rule
def list_assets(state: State, seat: int, tiles: Values, assets: Values) -> None:
    """What a seat has; ``tiles``: how many of each weakness still lie on squares."""
    assets[:] = 0.0
    assets[POINTS] = points_of(state, seat)
    list_cards(state, seat, tiles, assets)
    for colour in range(COLOURS):
        assets[CRYSTALS + colour] = state.crystals[seat, colour]
        assets[FIRST_CRYSTALS + colour] = min(state.crystals[seat, colour], 1)
    for die in range(DICE):
        ally = state.ally[seat, die]
        if ally != NONE:
            assets[ALLIES + die] = 1
            assets[SKILL] += SIDES[die] * tiles[state.skill[ally]] / max(MONSTERS - state.removed, 1)
    place = 0
    while state.order[place] != seat:
        place += 1
    assets[PRECEDENCE] = state.players - 1 - place
    for square in range(SQUARES):
        assets[SEEN] += has_tile(state, square) and has_seen(state, seat, square)
    assets[PRICE] = state.crystals[seat, price_to_come(state)] > 0


@rule
def list_cards(state: State, seat: int, tiles: Values, assets: Values) -> None:
    """What the seat's cards may still score, and those that it may still buy."""
    kept = np.zeros(SKILLS)
    count_tiles(state, seat, kept)
    for card in range(CARDS):
        subject = state.card_subject[card]
        if state.card_kind[card] == CardKind.MONSTER and state.card_owner[card] == seat:
            assets[PROMISE] += state.card_points[card] * tiles[subject] / state.players
        elif state.card_kind[card] == CardKind.MONSTER and state.card_owner[card] == NONE:
            assets[OPEN] += state.card_points[card] * kept[subject] / state.players
        elif state.card_kind[card] == CardKind.CRYSTAL and state.card_owner[card] == seat:
            assets[CRYSTAL_CARDS] += 1


@rule
def count_tiles(state: State, owner: int, tiles: Row) -> None:
    """How many tiles of each weakness somebody keeps; NONE: still lie on squares."""
    for monster in range(MONSTERS):
        tiles[state.weakness[monster]] += state.owner[monster] == owner
