"""What the bots know about Viking Axes.

Every hit on somebody else helps all the others too. So it goes where it keeps the others from getting ahead: at the strongest.
Who finishes off the weak only hastens the day on which the strong have nobody else to throw at.
"""

from __future__ import annotations

from meadhall.engine.chance import below
from meadhall.engine.rule import rule
from meadhall.engine.schema import Row
from meadhall.games.viking_axes.state import CASH_IN, DISCARD, DRAW, PLAY, SEATS, WENCH, State

# Of the cards in hand, by kinds. An armory costs nothing: the card that it brings is played in the same turn. A shield is worth
# more than an axe, as it serves nobody else. A wench is worth less than any axe: players who keep axes back for her don't come
# to an end once there is little else in the pile.
WORTH = (10, 20, 30, 14, 28, 42, 56, 100, 5)
EXTRA_TURN = 25  # but of two players who are left, the one gains the turn that the other misses


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """What is worth most; ties are drawn."""
    best = -1
    chosen = legal[0]
    tied = 0
    for k in range(count):
        value = worth(state, legal[k])
        if value > best:
            best = value
            tied = 0
        if value == best:
            tied += 1
            if below(rng, tied) == 0:
                chosen = legal[k]
    return chosen


@rule
def worth(state: State, action: int) -> int:
    """Axes and wenches go to the strongest, armories are used at once: a card today is worth more than one tomorrow."""
    if action < DRAW:
        return strength(state, action % SEATS)
    if PLAY <= action < DISCARD:
        return EXTRA_TURN if action == PLAY + WENCH and state.living == 2 else WORTH[action - PLAY]
    return action in (DRAW, CASH_IN)


@rule
def strength(state: State, seat: int) -> int:
    """How many axes it would take to put a player out."""
    return state.limit - state.hits[seat] + state.unused[seat]
