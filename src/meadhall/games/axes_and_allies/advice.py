"""How to search Axes and Allies."""

from __future__ import annotations

from typing import Any

import numpy as np

from meadhall.engine.advice import Advice
from meadhall.engine.rule import rule
from meadhall.engine.schema import Row
from meadhall.games.axes_and_allies.exact import IMPATIENCE, MOST, solved
from meadhall.games.axes_and_allies.rules import SIDES, State, next_living

FIRST = tuple(np.cumsum([0, 0, 0, *(solved()[n].standing.size for n in range(2, MOST + 1))]).tolist())
"""Where in ``STANDINGS`` those of n players who are left begin."""
STANDINGS = np.concatenate([solved()[n].standing.ravel() for n in range(2, MOST + 1)])
"""By alliances, power and position: the chances to win before a decision, all playing on exactly."""


@rule
def solved_value(state: State, out: Row) -> bool:
    """With six at the table, it is known what is to come once one is dead. Where all could be known, search is on its own."""
    if state.players <= MOST or state.living > MOST:
        return False
    place = (alliances(state) * SIDES + state.power - 1) * state.living + FIRST[state.living]
    for seat in range(state.players):
        out[seat] = 0
    seat = state.actor
    for position in range(state.living):
        out[seat] = STANDINGS[place + position]
        seat = next_living(state, seat)
    return True


@rule
def alliances(state: State) -> int:
    """AA-3.4: the number of the alliances, as those count them who are exact: a bit for each pair, clockwise from the actor."""
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
    """AA-2.2, AA-4.2: in a duel, allying at every one is best for each and endless for both: patience is limited."""
    return bool(state.living == 2 and state.power == 1 and draw.random() < IMPATIENCE)


ADVICE = Advice(solved_value=solved_value, plays_default=plays_default)
