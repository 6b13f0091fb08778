"""Crystals and gold: how they change hands."""

from __future__ import annotations

from meadhall.engine.chance import below
from meadhall.engine.events import emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid
from meadhall.games.dungeon_allies.state import BLUE, COLOURS, GOLD, GREEN, NONE, RED, WHITE, YELLOW, Event, Table

GOLD_FIRST = (GOLD, RED, BLUE, YELLOW, GREEN, WHITE)
"""The order in which items change hands."""


@rule
def holding(table: Table, seat: int, item: int) -> int:
    """How much of an item a seat has."""
    return table.gold[seat] if item == GOLD else table.crystals[seat, item]


@rule
def take(table: Table, seat: int, item: int, count: int, log: Grid) -> None:
    """A seat is given what really is there."""
    if count > 0:
        if item == GOLD:
            table.gold[seat] += count
        else:
            table.crystals[seat, item] += count
        emit(log, Event.GAINS, seat, item, count)


@rule
def gain(table: Table, seat: int, item: int, count: int, log: Grid) -> None:
    """DA-1.6: crystals come from the box, and what it lacks is lost. DA-1.7: gold never runs out."""
    if item != GOLD:
        count = min(count, table.box[item])
        table.box[item] -= count
    take(table, seat, item, count, log)


@rule
def spend(table: Table, seat: int, colour: int) -> None:
    """DA-1.6: a crystal that is spent returns to the box."""
    table.crystals[seat, colour] -= 1
    table.box[colour] += 1


@rule
def pay(table: Table, seat: int, item: int, count: int, log: Grid) -> None:
    """DA-1.6: what is paid returns to the box, or to the gold."""
    if count > 0:
        if item == GOLD:
            table.gold[seat] -= count
        else:
            table.crystals[seat, item] -= count
            table.box[item] += count
        emit(log, Event.PAYS, seat, item, count)


@rule
def draw_crystal(table: Table) -> int:
    """DA-2.6, DA-12.2: one crystal of those in the box, each as likely as any other; NONE if there is none."""
    left = 0
    for colour in range(COLOURS):
        left += table.box[colour]
    if left == 0:
        return NONE
    table.reveals += 1
    drawn = below(table.rng, left)
    colour = RED
    while drawn >= table.box[colour]:
        drawn -= table.box[colour]
        colour += 1
    table.box[colour] -= 1
    return colour
