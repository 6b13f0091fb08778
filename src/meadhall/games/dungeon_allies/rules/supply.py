"""Crystals and gold: how they change hands."""

from __future__ import annotations

from meadhall.engine.chance import below
from meadhall.engine.events import emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid
from meadhall.games.dungeon_allies.state import BLUE, COLOURS, GOLD, GREEN, NONE, RED, WHITE, YELLOW, Event, State

GOLD_FIRST = (GOLD, RED, BLUE, YELLOW, GREEN, WHITE)
"""The order in which items change hands."""


@rule
def holding(state: State, seat: int, item: int) -> int:
    """How much of an item a seat has."""
    return state.gold[seat] if item == GOLD else state.crystals[seat, item]


@rule
def take(state: State, seat: int, item: int, count: int, log: Grid) -> None:
    """A seat is given what really is there."""
    if count > 0:
        if item == GOLD:
            state.gold[seat] += count
        else:
            state.crystals[seat, item] += count
        emit(log, Event.GAINS, seat, item, count)


@rule
def gain(state: State, seat: int, item: int, count: int, log: Grid) -> None:
    """DA-1.6: crystals come from the box, and what it lacks is lost. DA-1.7: gold never runs out."""
    if item != GOLD:
        count = min(count, state.box[item])
        state.box[item] -= count
    take(state, seat, item, count, log)


@rule
def spend(state: State, seat: int, colour: int) -> None:
    """DA-1.6: a crystal that is spent returns to the box."""
    state.crystals[seat, colour] -= 1
    state.box[colour] += 1


@rule
def pay(state: State, seat: int, item: int, count: int, log: Grid) -> None:
    """DA-1.6: what is paid returns to the box, or to the gold."""
    if count > 0:
        if item == GOLD:
            state.gold[seat] -= count
        else:
            state.crystals[seat, item] -= count
            state.box[item] += count
        emit(log, Event.PAYS, seat, item, count)


@rule
def draw_crystal(state: State) -> int:
    """DA-2.6, DA-12.2: one crystal of those in the box, each as likely as any other; NONE if there is none."""
    left = 0
    for colour in range(COLOURS):
        left += state.box[colour]
    if left == 0:
        return NONE
    state.reveals += 1
    drawn = below(state.rng, left)
    colour = RED
    while drawn >= state.box[colour]:
        drawn -= state.box[colour]
        colour += 1
    state.box[colour] -= 1
    return colour
