"""Axes and Allies: advice for the search."""

from __future__ import annotations

from typing import Any

import numpy as np

from meadhall.games.axes_and_allies.exact import IMPATIENCE, MAX_SOLVED, solved
from meadhall.games.axes_and_allies.rules import SIDES, State, next_living
from meadhall.sdk import Advice, Row, rule

OFFSETS = tuple(np.cumsum([0, 0, 0, *(solved()[n].state_values.size for n in range(2, MAX_SOLVED + 1))]).tolist())
"""By number of players left: the index in ``VALUES`` where their values begin."""
VALUES = np.concatenate([solved()[n].state_values.ravel() for n in range(2, MAX_SOLVED + 1)])
"""By alliances, power and position: the chances to win before a decision, under exact play by all."""


@rule
def solved_value(state: State, out: Row) -> bool:
    """Write the exact chances of all seats to ``out`` if they are known, and return whether they are.

    Only a match of six uses this, once a player is dead. In a match of fewer every position would be known from the start, so the
    search gets no exact values there. They are not known with the house rule of AA-7.1.
    """
    if state.players <= MAX_SOLVED or state.living > MAX_SOLVED or state.last_two_fight:
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
