"""The length of a match: an upper bound of its decisions, from the limits of turns, dice and crystals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from meadhall.games.dungeon_allies.components import Components, components_of
from meadhall.games.dungeon_allies.pieces import CRYSTALS, DICE, DISPLAY, Item
from meadhall.games.dungeon_allies.rules.placement import LOOKS
from meadhall.games.dungeon_allies.state import MAX_TURNS


def max_length(players: int, options: Mapping[str, Any]) -> int:
    """Return an upper bound of the number of decisions: DA-2.3, then DA-13.3 turns at their longest."""
    components, dice = components_of(options), players * DICE
    placing = 2 * dice + (1 + LOOKS) * CRYSTALS[Item.RED]  # DA-3.4, DA-8.1: a bid for each die, looks for each red crystal
    fights = 3 * dice  # DA-4.2, DA-4.5, DA-4.6: which fight, the roll, and accepting the loss
    spells = sum(CRYSTALS[item] for item in (Item.GREEN, Item.YELLOW, Item.BLUE))
    prisoners, follower = len(components.prisoner_space), 1
    trades = players * (1 + _exchanges(components))
    return players + MAX_TURNS * (placing + fights + spells + follower + prisoners + trades + DISPLAY)


def _exchanges(components: Components) -> int:
    """Return an upper bound of the exchanges of one visit.

    DA-10.2: Each line is used in one direction. As no line follows from the others, the crystals that a seat has gained and spent
    (DA-1.6: at most all there are) say how often each line was used.
    """
    lines = np.array([np.subtract(line.right.counts, line.left.counts)[: len(CRYSTALS)] for line in components.trade])
    if not len(lines):
        return 0
    uses = np.abs(np.linalg.pinv(lines.astype(np.float64)))
    return int(np.ceil(np.array(CRYSTALS) @ uses.sum(axis=1) - 1e-9))
