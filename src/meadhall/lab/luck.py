"""Luck: how much of what everybody won came of dice, draws and the deal, and what they won without it.

Whenever something falls by chance, a seat's luck is what the position is worth then, less what it was worth on average over all
that could have fallen. On average that is nothing, however badly positions are judged; so what is won without it is the same on
average, and varies less where they are judged well. This is AIVAT without its terms for players whose policies are known: Burch
et al.: AIVAT, A New Variance Reduction Technique for Agent Evaluation in Imperfect Information Games (2018). How much luck counts
is fitted, as for any control variate: Lavenberg, Welch: A Perspective on the Use of Control Variables to Increase the Efficiency
of Monte Carlo Simulations (1981).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from meadhall.bots.continuations import Continuations
from meadhall.engine.chance import step_key
from meadhall.engine.events import NO_LOG_SHAPE
from meadhall.engine.kernels import Floats, loops
from meadhall.engine.match import EVERYTHING, SPECTATOR, Match, concealed
from meadhall.engine.schema import Tables, copied

CONTINUATIONS = 256
"""How many continuations of a position tell what it is worth."""
LEAST = 20
"""Matches from which on it can be told how much luck counts …"""
LEAST_WON = 5
"""… and how many of them must have been won, and lost: what always ends alike has no spread that an interval could be made of."""
NOTHING = 1e-12
"""A spread that comes of rounding."""


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
    positions = [*(step.before for step in match.steps), match.tables]
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
        self._continuations = Continuations(match.game)
        self._draw = np.random.default_rng(seed)
        self._silent = np.zeros(NO_LOG_SHAPE, np.int32)

    def viewer_of(self, position: Tables, before: int) -> int:
        """Who weighs a position: as ``before``, until a seat knows more than spectators do."""
        if before == EVERYTHING:
            return EVERYTHING
        seen = concealed(self._match.game, position, SPECTATOR).tobytes()
        seats = range(self._match.players)
        open_ = all(concealed(self._match.game, position, seat).tobytes() == seen for seat in seats)
        return SPECTATOR if open_ else EVERYTHING

    def worth(self, position: Tables, viewer: int) -> Floats:
        """What a position is worth to each seat as the viewer knows it, float64 (max_players,)."""
        known = concealed(self._match.game, position, viewer)
        return self._continuations.shares(known, viewer, CONTINUATIONS, self._seed()) / CONTINUATIONS

    def worth_on_average(self, before: Tables, viewer: int, action: int) -> Floats:
        """The same of what becomes of a position by an action, over all that can fall or come to light."""
        known, seed = concealed(self._match.game, before, viewer), self._seed()
        total = np.zeros(self._match.game.max_players, np.float64)
        for number in range(CONTINUATIONS):
            supposed = copied(known)
            supposed["rng"] = self._draw.integers(1 << 64, size=2, dtype=np.uint64)
            if viewer == SPECTATOR:
                self._loops.redeal_one(supposed, viewer)
            self._loops.play_one(supposed, action, self._silent)
            total += self._continuations.shares(supposed, EVERYTHING, 1, seed, number)
        return total / CONTINUATIONS

    def _seed(self) -> int:
        return int(self._draw.integers(1 << 63))


@dataclass(frozen=True)
class Adjusted:
    """What is won without luck.

    Attributes:
        share: what a bot won with each of its seats or sides on average, 0 to 1.
        low, high: its interval, by default of 95 %.
        explained: how much of the variance of what it won was luck, 0 to 1.
    """

    share: float
    low: float
    high: float
    explained: float

    @classmethod
    def of(cls, won: Floats, lucky: Floats, parties: npt.NDArray[np.int64], fair: float, z: float) -> Self | None:
        """What a bot won in these matches without luck; None of too few, or if it has won or lost nearly all.

        Args:
            won: float64 (matches,): what its seats or sides won together, 0 to 1.
            lucky: float64 (matches,): how much of that was luck.
            parties: int64 (matches,): how many seats or sides it had.
            fair: what each of them would win if all were equally good.
            z: how many standard deviations of a normal distribution the interval has to either side.
        """
        if len(won) < LEAST or min(won.sum(), (1 - won).sum()) < LEAST_WON:
            return None
        gain = without_luck(won - fair * parties, lucky)
        each = float(parties.mean())
        share, half = fair + gain.mean / each, student(z, gain.freedom) * gain.error / each
        low, high = max(0.0, share - half), min(1 / each, share + half)
        return cls(min(max(share, low), high), low, high, gain.explained)


class Gain(NamedTuple):
    """What was gained without luck: the mean, its standard error and degrees of freedom, what part of the variance luck was."""

    mean: float
    error: float
    freedom: int
    explained: float


def without_luck(gained: Floats, lucky: Floats) -> Gain:
    """The regression of gains on luck, where there is none. Both float64 (matches,), of three matches at least."""
    matches = len(gained)
    spread = lucky - lucky.mean()
    squares, variance = float(spread @ spread), float(gained.var())
    slope, leverage = (float(spread @ gained) / squares, lucky.mean() ** 2 / squares) if squares > NOTHING else (0.0, 0.0)
    rest = gained - slope * lucky
    error = (rest.var() * matches / (matches - 2) * (1 / matches + leverage)) ** 0.5
    explained = max(0.0, 1 - float(rest.var()) / variance) if variance > NOTHING else 0.0
    return Gain(float(rest.mean()), float(error), matches - 2, explained)


def student(z: float, freedom: int) -> float:
    """What ``z`` standard deviations of a normal distribution are where they are estimated with so many degrees of freedom.

    Abramowitz, Stegun: Handbook of Mathematical Functions (1964), 26.7.5, to the second order.
    """
    return z * (1 + (z**2 + 1) / (4 * freedom) + (5 * z**4 + 16 * z**2 + 3) / (96 * freedom**2))
