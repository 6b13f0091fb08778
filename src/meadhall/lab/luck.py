"""Luck: how much of what everybody won in a match came of dice, draws and the deal.

Whenever something falls by chance, a seat's luck is what the position is worth then, less what it was worth on average over all
that could have fallen. On average that is nothing, however badly positions are judged; so what is won without it is the same on
average, and varies less where they are judged well. This is AIVAT without its terms for players whose policies are known: Burch
et al.: AIVAT, A New Variance Reduction Technique for Agent Evaluation in Imperfect Information Games (2018).
"""

from __future__ import annotations

import numpy as np

from meadhall.bots.rollouts import Rollouts
from meadhall.engine.bulk import Floats
from meadhall.engine.chance import step_key
from meadhall.engine.compiled import loops
from meadhall.engine.events import NO_LOG_SHAPE
from meadhall.engine.match import Match
from meadhall.engine.schema import States, copied
from meadhall.engine.view import EVERYTHING, SPECTATOR, concealed

CONTINUATIONS = 256
"""How many rollouts of a position tell what it is worth."""


def luck(match: Match, seed: int) -> tuple[float, ...]:
    """Each seat's luck in a match that is over, in shares of the win.

    As long as nobody has known more than everybody, positions are weighed by what everybody knew, and what comes to light is
    chance. From then on they are weighed by all that is there, and only what falls anew is chance: what was dealt by then is
    nobody's luck any more. A deal is compared with equal chances: who sits everywhere has as much of them as anybody.

    Args:
        match: of a game in which not all win or lose together.
        seed: keys what might have been.
    """
    scales = _Scales(match, seed)
    positions = [*(step.before for step in match.steps), match.states]
    viewer = scales.viewer_of(positions[0], SPECTATOR)
    total = scales.worth(positions[0], viewer) - 1 / len(match.game.parties(match.players, match.options))
    for step, after in zip(match.steps, positions[1:], strict=True):
        viewer = scales.viewer_of(step.before, viewer)
        if viewer == EVERYTHING:
            chance = tuple(after["rng"][0].tolist()) != step_key(match.seed, step.n)
        else:
            chance = bool((after["reveals"] != step.before["reveals"]).any())
        if chance:
            total += scales.worth(after, viewer) - scales.worth_on_average(step.before, viewer, step.action)
    return tuple(total[: match.players].tolist())


class _Scales:
    """Weighs positions of a match, and what might have become of them."""

    def __init__(self, match: Match, seed: int) -> None:
        self._match = match
        self._loops = loops(match.game)
        self._continuations = Rollouts(match.game)
        self._draw = np.random.default_rng(seed)
        self._silent = np.zeros(NO_LOG_SHAPE, np.int32)

    def viewer_of(self, position: States, before: int) -> int:
        """Who weighs a position: as ``before``, until a seat knows more than spectators do."""
        if before == EVERYTHING:
            return EVERYTHING
        seen = concealed(self._match.game, position, SPECTATOR).tobytes()
        seats = range(self._match.players)
        open_ = all(concealed(self._match.game, position, seat).tobytes() == seen for seat in seats)
        return SPECTATOR if open_ else EVERYTHING

    def worth(self, position: States, viewer: int) -> Floats:
        """What a position is worth to each seat as the viewer knows it, float64 (max_players,)."""
        known = concealed(self._match.game, position, viewer)
        return self._continuations.payoffs(known, viewer, CONTINUATIONS, self._seed()) / CONTINUATIONS

    def worth_on_average(self, before: States, viewer: int, action: int) -> Floats:
        """The same of what becomes of a position by an action, over all that can fall or come to light."""
        known, seed = concealed(self._match.game, before, viewer), self._seed()
        total = np.zeros(self._match.game.max_players, np.float64)
        for number in range(CONTINUATIONS):
            supposed = copied(known)
            supposed["rng"] = self._draw.integers(1 << 64, size=2, dtype=np.uint64)
            if viewer == SPECTATOR:
                self._loops.redeal_one(supposed, viewer)
            self._loops.play_one(supposed, action, self._silent)
            total += self._continuations.payoffs(supposed, EVERYTHING, 1, seed, number)
        return total / CONTINUATIONS

    def _seed(self) -> int:
        return int(self._draw.integers(1 << 63))
