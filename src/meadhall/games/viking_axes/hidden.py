"""Viking Axes: hidden information. No player sees the order of the draw pile, and only its owner sees a hand."""

from __future__ import annotations

from meadhall.games.viking_axes.state import COPIES, KINDS, NO_CARD, Card, State, hand_size
from meadhall.sdk import rule, shuffle


@rule
def conceal(state: State, seat: int) -> None:
    """Hide the order of the draw pile, and the hands of the other seats."""
    for k in range(state.left):
        state.pile[k] = NO_CARD
    for other in range(state.players):
        if other != seat:
            for kind in range(KINDS):
                state.hand[other, kind] = 0


@rule
def redeal(state: State, seat: int) -> None:
    """Deal all cards that the seat can't see, uniformly, to the draw pile and the other hands (determinization).

    Two inferences are ignored: from the other players' choices to their hands, and, after the discard pile was shuffled (VA-2.2),
    that its cards can't have been in a hand at that time. The second matters with seven players late in a match.
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
                state.pile[count] = NO_CARD


@rule
def unseen(state: State, kind: int) -> int:
    """Count the cards of a kind that a concealed state doesn't show, in the open or in a visible hand."""
    count = COPIES[kind] - state.discarded[kind] - (state.card == kind)
    for seat in range(state.players):
        count -= state.hand[seat, kind]
        if kind < Card.ONE_SHIELD:
            count -= state.marks[seat, kind] + state.lying[seat, kind]
        elif kind < Card.ARMORY:
            count -= state.shields[seat, kind - Card.ONE_SHIELD]
        elif kind == Card.ARMORY:
            count -= state.armory[seat]
    return count
