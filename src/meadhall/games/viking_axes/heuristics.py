"""Viking Axes: the heuristics of the bots.

A hit on one player helps all the others. So hits go to the strongest player, the one most likely to get ahead. Finishing off a
weak player only leaves the strong ones with fewer other targets.
"""

from __future__ import annotations

from meadhall.games.viking_axes.state import SEATS, Act, Card, State
from meadhall.sdk import Row, below, rule

# The worth of cards in hand, by kind. An armory costs nothing, because the card that it brings is played in the same turn. A
# shield is worth more than an axe, because it helps only its owner. A wench is worth less than any axe: players who
# keep their axes and play her instead would never finish once little else is left in the pile.
WORTH = (10, 20, 30, 14, 28, 42, 56, 100, 5)
EXTRA_TURN = 25  # a wench with two players left: one gains the turn that the other misses


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Choose an action of the highest worth; ties are broken at random."""
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
    """Return the worth of an action. Axes and wenches go to the strongest; armories are used at once, to get a card now."""
    if action < Act.DRAW:
        return strength(state, action % SEATS)
    if Act.PLAY <= action < Act.DISCARD:
        return EXTRA_TURN if action == Act.PLAY + Card.WENCH and state.living == 2 else WORTH[action - Act.PLAY]
    return action in (Act.DRAW, Act.CASH_IN)


@rule
def strength(state: State, seat: int) -> int:
    """Return the number of axes it would take to put a player out."""
    return state.limit - state.hits[seat] + state.unused[seat]
