"""Crystals and gold, and how they change hands."""

from __future__ import annotations

from meadhall.games.dungeon_allies.pieces import COLOURS, NONE, Item
from meadhall.games.dungeon_allies.state import Event, State
from meadhall.sdk import Grid, below, emit, rule

GOLD_FIRST = (int(Item.GOLD), *range(COLOURS))
"""The order in which items change hands. Plain integers: rules are compiled once for each type of argument."""


@rule
def holding(state: State, seat: int, item: int) -> int:
    """Return how much of an item a seat has."""
    return state.gold[seat] if item == Item.GOLD else state.crystals[seat, item]


@rule
def receive(state: State, seat: int, item: int, count: int, log: Grid) -> None:
    """Give a seat some items that have left their place already."""
    if count > 0:
        if item == Item.GOLD:
            state.gold[seat] += count
        else:
            state.crystals[seat, item] += count
        emit(log, Event.GAINS, seat, item, count)


@rule
def gain(state: State, seat: int, item: int, count: int, log: Grid) -> None:
    """DA-1.6: Crystals come from the box; those that the box lacks are lost. DA-1.7: Gold never runs out."""
    if item != Item.GOLD:
        count = min(count, state.box[item])
        state.box[item] -= count
    receive(state, seat, item, count, log)


@rule
def spend(state: State, seat: int, colour: int) -> None:
    """DA-1.6: A spent crystal returns to the box."""
    state.crystals[seat, colour] -= 1
    state.box[colour] += 1


@rule
def pay(state: State, seat: int, item: int, count: int, log: Grid) -> None:
    """DA-1.6: Crystals that are paid return to the box, gold to the supply."""
    if count > 0:
        if item == Item.GOLD:
            state.gold[seat] -= count
        else:
            state.crystals[seat, item] -= count
            state.box[item] += count
        emit(log, Event.PAYS, seat, item, count)


@rule
def draw_crystal(state: State) -> int:
    """DA-2.6, DA-12.2: Draw a crystal from the box, each equally likely; NONE if the box is empty."""
    left = 0
    for colour in range(COLOURS):
        left += state.box[colour]
    if left == 0:
        return NONE
    state.reveals += 1
    drawn = below(state.rng, left)
    colour = 0
    while drawn >= state.box[colour]:
        drawn -= state.box[colour]
        colour += 1
    state.box[colour] -= 1
    return colour
