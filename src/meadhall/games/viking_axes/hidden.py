"""Viking Axes: what is hidden. The order of the draw pile from everybody, hands from all but those who hold them."""

from __future__ import annotations

from meadhall.engine.chance import shuffle
from meadhall.engine.rule import rule
from meadhall.games.viking_axes.state import ARMORY, COPIES, KINDS, NONE, SHIELD, Table, hand_size


@rule
def conceal(table: Table, seat: int) -> None:
    """The order of the draw pile from all, hands from all but those who hold them."""
    for k in range(table.left):
        table.pile[k] = NONE
    for other in range(table.players):
        if other != seat:
            for kind in range(KINDS):
                table.hand[other, kind] = 0


@rule
def redeal(table: Table, seat: int) -> None:
    """All cards that the seat can't see, uniformly: the pile, and the hands of the others.

    What others' play gives away of their hands is not considered; nor, once the discarded cards have become the pile (VA-2.2),
    that none of those can have been in a hand then. It comes to that with seven players, late in a match.
    """
    count = 0
    for kind in range(KINDS):
        for _ in range(unseen(table, kind)):
            table.pile[count] = kind
            count += 1
    shuffle(table.rng, table.pile, count)
    for other in range(table.players):
        if other != seat:
            for _ in range(hand_size(table, other)):
                count -= 1
                table.hand[other, table.pile[count]] += 1
                table.pile[count] = NONE


@rule
def unseen(table: Table, kind: int) -> int:
    """How many cards of a kind lie neither in the open nor in a hand that the state, which is concealed, shows."""
    count = COPIES[kind] - table.discarded[kind] - (table.card == kind)
    for seat in range(table.players):
        count -= table.hand[seat, kind]
        if kind < SHIELD:
            count -= table.marks[seat, kind] + table.lying[seat, kind]
        elif kind < ARMORY:
            count -= table.shields[seat, kind - SHIELD]
        elif kind == ARMORY:
            count -= table.armory[seat]
    return count
