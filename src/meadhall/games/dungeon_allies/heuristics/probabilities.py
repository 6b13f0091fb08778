"""Probability that some dice reach a target together, each counted once or twice (DA-4.4)."""

from __future__ import annotations

import numpy as np

from meadhall.games.dungeon_allies.heuristics.valuation import Floats
from meadhall.games.dungeon_allies.pieces import DICE, FIGHT_DICE, NONE, SIDES, SKILLS
from meadhall.games.dungeon_allies.state import State
from meadhall.sdk import Row, rule

# The code of a set of dice in a fight is a number in base 3: digit k says how often the die of that size counts.
DIE_CODE = tuple(3**die for die in range(FIGHT_DICE))
HIGHEST = 2 * sum(SIDES)
MASK_CODE = np.array([sum(DIE_CODE[die] for die in range(DICE) if mask >> die & 1) for mask in range(1 << DICE)])
"""The code of every mask of allies' dice, if each counts once."""


def _reach_probabilities() -> Floats:
    """Return a table [code, target] of the probability that the total reaches the target."""
    reach = np.zeros((3**FIGHT_DICE, HIGHEST + 1))
    for code in range(3**FIGHT_DICE):
        sums = np.ones(1)
        for die, sides in enumerate(SIDES):
            times = code // DIE_CODE[die] % 3
            if times:
                faces = np.zeros(times * sides + 1)
                faces[times::times] = 1 / sides
                sums = np.convolve(sums, faces)
        reach[code, : len(sums)] = sums[::-1].cumsum()[::-1]
    return reach


REACH_PROBABILITY = _reach_probabilities()


@rule
def probability(code: int, target: int) -> float:
    """Return the probability that a set of dice reaches a target."""
    return float(REACH_PROBABILITY[code, min(max(target, 0), HIGHEST)])


@rule
def fill_skill_masks(state: State, seat: int, skill_masks: Row) -> None:
    """DA-4.4: For each skill, a mask of the seat's dice whose allies have it."""
    for die in range(DICE):
        if state.ally[seat, die] != NONE:
            skill_masks[state.skill[state.ally[seat, die]]] |= 1 << die


@rule
def code_against(state: State, seat: int, mask: int, monster: int) -> int:
    """Return the code of a seat's dice against a monster: dice with the right skill count twice."""
    skill_masks = np.zeros(SKILLS, np.int64)
    fill_skill_masks(state, seat, skill_masks)
    return int(MASK_CODE[mask] + MASK_CODE[mask & skill_masks[state.weakness[monster]]])
