"""The end (§End of the game): points, ties, winners."""

from __future__ import annotations

from typing import Any

from meadhall.engine.events import append_argument, emit
from meadhall.engine.rule import rule
from meadhall.engine.schema import Grid
from meadhall.games.dungeon_allies.state import (
    CARDS,
    COLOURS,
    MAX_TURNS,
    MONSTERS,
    NONE,
    CardKind,
    Event,
    Table,
)


@rule
def is_last_turn(table: Table) -> bool:
    """DA-13.1: no monster is left. DA-13.3: or the game has lasted long enough."""
    return table.removed == MONSTERS or table.turn == MAX_TURNS


@rule
def worth(table: Table, seat: int, card: int) -> int:
    """DA-13.2: what a card is worth to a seat now."""
    points = table.card_points[card]
    if table.card_kind[card] == CardKind.MONSTER:
        return points * count_kept(table, seat, table.card_subject[card])
    if table.card_kind[card] == CardKind.CRYSTAL:
        return points * (table.crystals[seat, table.card_subject[card]] // table.card_per[card])
    return points


@rule
def count_kept(table: Table, seat: int, weakness: int) -> int:
    """DA-13.2: a seat's tiles with a weakness."""
    count = 0
    for monster in range(MONSTERS):
        count += table.owner[monster] == seat and table.weakness[monster] == weakness
    return count


@rule
def points_from_cards(table: Table, seat: int) -> int:
    """DA-13.2: all cards of a seat together."""
    points = 0
    for card in range(CARDS):
        if table.card_owner[card] == seat:
            points += worth(table, seat, card)
    return points


@rule
def points_of(table: Table, seat: int) -> int:
    """DA-13.2: gold and cards."""
    return table.gold[seat] + points_from_cards(table, seat)


@rule
def is_ahead(table: Table, seat: int, other: int) -> bool:
    """DA-13.4: by points; if they are equal by white crystals, then green, yellow, blue, red."""
    lead = points_of(table, seat) - points_of(table, other)
    colour = COLOURS
    while lead == 0 and colour > 0:
        colour -= 1
        lead = table.crystals[seat, colour] - table.crystals[other, colour]
    return lead > 0


@rule
def has_won(table: Table, seat: int) -> bool:
    """DA-13.4: nobody is ahead."""
    for other in range(table.players):
        if is_ahead(table, other, seat):
            return False
    return True


@rule
def end_match(table: Table, log: Grid) -> None:
    """DA-13.2, DA-13.4: the points, and who has won."""
    for seat in range(table.players):
        emit(log, Event.SCORE, seat, table.gold[seat], points_from_cards(table, seat), points_of(table, seat))
    first = NONE
    for seat in range(table.players):
        if has_won(table, seat):
            if first == NONE:
                first = seat
                emit(log, Event.WON, seat)
            else:
                append_argument(log, seat)
    table.actor = NONE


@rule
def score(table: Table, out: Any) -> None:
    """DA-13.4: all to the winner, or shared in a draw."""
    winners = 0
    for seat in range(table.players):
        out[seat] = 1.0 if has_won(table, seat) else 0.0
        winners += has_won(table, seat)
    for seat in range(table.players):
        out[seat] /= winners
