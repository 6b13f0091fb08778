"""Axes and Allies: the heuristics of the bots."""

from __future__ import annotations

from typing import Any

import numpy as np

from meadhall.games.axes_and_allies.exact import IMPATIENCE, MAX_SOLVED, is_printed, solved
from meadhall.games.axes_and_allies.rules import ALLY, ATTACK, DUEL, SIDES, State, can_be_chosen, killing_rolls, next_living
from meadhall.sdk import Advice, Row, below, rule


@rule
def greedy(state: State, legal: Row, count: int, rng: Row) -> int:
    """Attack if at least half of the rolls kill; otherwise ally with the player who could attack soonest.

    In a duel always attack: an alliance there only postpones the duel, and two such players would never finish.
    """
    if state.living == DUEL or 2 * killing_rolls(state) >= state.sides:
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


OFFSETS = tuple(np.cumsum([0, 0, 0, *(solved()[n].state_values.size for n in range(2, MAX_SOLVED + 1))]).tolist())
"""By number of players left: the index in ``VALUES`` where their values begin."""
VALUES = np.concatenate([solved()[n].state_values.ravel() for n in range(2, MAX_SOLVED + 1)])
"""By alliances, power and position: the chances to win before a decision, under exact play by all."""


@rule
def solved_value(state: State, out: Row) -> bool:
    """Write the exact chances of all seats to ``out`` if they are known, and return whether they are.

    Only a match of six uses this, once a player is dead. In a match of fewer every position would be known from the start, so the
    search gets no exact values there. They are not known with a house rule of AA-7.
    """
    if state.players <= MAX_SOLVED or state.living > MAX_SOLVED or not is_printed(state):
        return False
    place = (alliances(state) * SIDES + state.power - 1) * state.living + OFFSETS[state.living]
    for seat in range(state.players):
        out[seat] = 0
    seat = state.actor
    for position in range(state.living):
        out[seat] = VALUES[place + position]
        seat = next_living(state, seat)
    return True


@rule
def alliances(state: State) -> int:
    """AA-3.4: The alliances as in ``exact.graph_numbers``: a number with a bit for each pair, clockwise from the seat to move."""
    graph = 0
    bit = 1
    one = state.actor
    for position in range(state.living):
        other = next_living(state, one)
        for _ in range(position + 1, state.living):
            if state.allied[one, other]:
                graph |= bit
            bit <<= 1
            other = next_living(state, other)
        one = next_living(state, one)
    return graph


def plays_default(state: Any, draw: np.random.Generator) -> bool:
    """AA-2.2, AA-4.2: In a duel with power one, take the default action, an attack, one time in six.

    To ally again would be best for each of the two players, but then the duel would never end.
    """
    return bool(state.living == 2 and state.power == 1 and draw.random() < IMPATIENCE)


ADVICE = Advice(solved_value=solved_value, plays_default=plays_default)
