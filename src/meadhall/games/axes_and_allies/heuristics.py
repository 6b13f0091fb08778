"""Axes and Allies: the heuristics of the bots."""

from __future__ import annotations

from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, DUEL, State, can_be_chosen
from meadhall.sdk import Row, below, rule

# An attack with power p kills with probability (p - 1) / 6.
GOOD_ODDS = 4


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Attack with good odds; otherwise ally with the player who could attack soonest.

    In a duel always attack: an alliance there only postpones the duel, and two such players would never finish.
    """
    if state.living == DUEL or state.power >= GOOD_ODDS:
        return ATTACK + most_dangerous(state, rng)
    return ALLY + next_attacker(state)


@rule
def most_dangerous(state: State, rng: Row) -> int:
    """Return the player with the most allies, whom the fewest others can attack. Ties are broken at random."""
    best = -1
    chosen = -1
    tied = 0
    for other in range(state.players):
        if not can_be_chosen(state, state.actor, other):
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
def next_attacker(state: State) -> int:
    """Return the first living player clockwise who is not an ally."""
    other = state.actor
    while True:
        other += 1
        if other == state.players:
            other = 0
        if can_be_chosen(state, state.actor, other):
            return other
