"""How likely some dice reach a target together, each counted once or twice (DA-4.4)."""

from __future__ import annotations

import numpy as np

from meadhall.engine.rule import rule
from meadhall.engine.schema import Row
from meadhall.games.dungeon_allies.heuristics.worth import Values
from meadhall.games.dungeon_allies.state import DICE, NONE, SIDES, SKILLS, State

# A set of dice in a fight is a number in base 3: digit k is how often the die of that size counts.
WEIGHT = tuple(3**die for die in range(DICE))
HIGHEST = 2 * sum(SIDES)
ONCE = np.array([sum(WEIGHT[die] for die in range(DICE) if mask >> die & 1) for mask in range(1 << DICE)])
"""Every mask of dice as a set in which each counts once."""


def _chances() -> Values:
    """[set, target]: how likely the sum reaches the target."""
    reach = np.zeros((3**DICE, HIGHEST + 1))
    for dice in range(3**DICE):
        sums = np.ones(1)
        for die, sides in enumerate(SIDES):
            times = dice // WEIGHT[die] % 3
            if times:
                faces = np.zeros(times * sides + 1)
                faces[times::times] = 1 / sides
                sums = np.convolve(sums, faces)
        reach[dice, : len(sums)] = sums[::-1].cumsum()[::-1]
    return reach


REACH = _chances()


@rule
def chance(dice: int, target: int) -> float:
    """How likely a set of dice reaches a target."""
    return float(REACH[dice, min(max(target, 0), HIGHEST)])


@rule
def list_strong(state: State, seat: int, strong: Row) -> None:
    """DA-4.4: for each skill the dice of the seat's allies that have it, as a mask."""
    for die in range(DICE):
        if state.ally[seat, die] != NONE:
            strong[state.skill[state.ally[seat, die]]] |= 1 << die


@rule
def against(state: State, seat: int, mask: int, monster: int) -> int:
    """Dice of a seat's allies as a set against a monster."""
    strong = np.zeros(SKILLS, np.int64)
    list_strong(state, seat, strong)
    return int(ONCE[mask] + ONCE[mask & strong[state.weakness[monster]]])
