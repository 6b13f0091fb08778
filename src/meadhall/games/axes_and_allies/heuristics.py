"""What the bots know about Axes and Allies."""

from __future__ import annotations

from meadhall.engine.chance import below
from meadhall.engine.rule import rule
from meadhall.engine.schema import Row
from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, State, can_be_named

# An attack with power p kills with probability (p - 1) / 6.
GOOD_ODDS = 4


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Strike with good odds, else bind the one who could strike soonest.

    In a duel it always strikes: an alliance there only puts the same duel off, and two such players would never end.
    """
    if state.living == 2 or state.power >= GOOD_ODDS:
        return ATTACK + most_dangerous(state, rng)
    return ALLY + next_to_strike(state)


@rule
def most_dangerous(state: State, rng: Row) -> int:
    """Among those who can be attacked, one with the most allies (the hardest to reach for the others); ties are drawn."""
    best = -1
    chosen = -1
    tied = 0
    for other in range(state.players):
        if not can_be_named(state, state.actor, other):
            continue
        friends = 0
        for friend in range(state.players):
            friends += state.alive[friend] and state.allied[other, friend]
        if friends > best:
            best = friends
            tied = 0
        if friends == best:
            tied += 1
            if below(rng, tied) == 0:
                chosen = other
    return chosen


@rule
def next_to_strike(state: State) -> int:
    """The first player clockwise who is alive and no ally."""
    other = state.actor
    while True:
        other += 1
        if other == state.players:
            other = 0
        if can_be_named(state, state.actor, other):
            return other
