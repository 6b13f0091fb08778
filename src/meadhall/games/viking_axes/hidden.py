"""Viking Axes: what is hidden. The order of the draw pile from everybody, hands from all but those who hold them."""

from __future__ import annotations

from meadhall.engine.chance import shuffle
from meadhall.engine.rule import rule
from meadhall.games.viking_axes.state import ARMORY, COPIES, KINDS, NONE, SHIELD, State, hand_size


@rule
def conceal(state: State, seat: int) -> None:
    """The order of the draw pile from all, hands from all but those who hold them."""
    for k in range(state.left):
        state.pile[k] = NONE
    for other in range(state.players):
        if other != seat:
            for kind in range(KINDS):
                state.hand[other, kind] = 0


@rule
def redeal(state: State, seat: int) -> None:
    """All cards that the seat can't see, uniformly: the pile, and the hands of the others.

    What others' play gives away of their hands is not considered; nor, once the discarded cards have become the pile (VA-2.2),
    that none of those can have been in a hand then. It comes to that with seven players, late in a match.
    """
    count = 0
    for kind in range(KINDS):
        for _ in range(unseen(state, kind)):
            state.pile[count] = kind
            count += 1
    shuffle(state.rng, state.pile, count)
    for other in range(state.players):
        if other != seat:
            for _ in range(hand_size(state, other)):
                count -= 1
                state.hand[other, state.pile[count]] += 1
                state.pile[count] = NONE


@rule
def unseen(state: State, kind: int) -> int:
    """How many cards of a kind lie neither in the open nor in a hand that the state, which is concealed, shows."""
    count = COPIES[kind] - state.discarded[kind] - (state.card == kind)
    for seat in range(state.players):
        count -= state.hand[seat, kind]
        if kind < SHIELD:
            count -= state.marks[seat, kind] + state.lying[seat, kind]
        elif kind < ARMORY:
            count -= state.shields[seat, kind - SHIELD]
        elif kind == ARMORY:
            count -= state.armory[seat]
    return count
