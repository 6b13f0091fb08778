"""Luck: the part of each seat's payoff in a match that is due to dice, draws and the deal.

At every chance event, a seat's luck is the value of the resulting position less the mean value over all possible outcomes. Its
expectation is 0 however inaccurate the values are, so subtracting it doesn't bias a win rate. It reduces the variance if the
values are good. This is AIVAT without its terms for known policies: Burch et al.: AIVAT, A New Variance Reduction Technique for
Agent Evaluation in Imperfect Information Games (2018).

Because its expectation is known, luck can serve as a control variate of win rates. Its coefficient is fitted to the matches:
Lavenberg, Welch: A Perspective on the Use of Control Variables to Increase the Efficiency of Monte Carlo Simulations (1981).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from meadhall.bots.playouts import Rollouts
from meadhall.engine.compiled import loops
from meadhall.engine.compute.bulk import Floats
from meadhall.engine.match.deciders import acting
from meadhall.engine.match.match import Match
from meadhall.engine.match.step import Step
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, concealed
from meadhall.engine.state.chance import step_key
from meadhall.engine.state.events import NO_LOG_SHAPE
from meadhall.engine.state.schema import States, copied

PLAYOUTS = 256
"""The number of rollouts that estimate the value of a position."""
MIN_MATCHES = 20
"""The smallest number of matches for the regression."""
MIN_WINS = 5
"""The smallest number of wins, and of losses: without both there is no variance to base an interval on."""
NEGLIGIBLE = 1e-12
"""A variance below this is due to rounding alone."""


def luck(match: Match, seed: int) -> tuple[float, ...]:
    """Return each seat's luck in a match that is over, in shares of a win, see ``Game.shares``.

    While no seat has private information, positions are evaluated from the public information, and a revelation is a chance
    event. After that they are evaluated with full information, and only new dice and draws are chance events. The deal is
    compared with equal chances, because in a tournament every bot sits on every seat equally often.

    Args:
        match: a match of a game that is not cooperative.
        seed: keys the sampled alternatives.
    """
    first, later = values_and_luck(match, seed, PLAYOUTS, together=False)
    fair = 1 / len(match.game.parties(match.players, match.options))
    return tuple((first - fair + later).tolist())


def values_and_luck(match: Match, seed: int, playouts: int, *, together: bool = True) -> tuple[Floats, Floats]:
    """Return each seat's value of the first position, and its luck in all chance events after it, float64 (players,) each.

    Args:
        match: a match, see ``luck``; one that has just begun has no luck yet.
        seed: keys the sampled alternatives.
        playouts: the number of rollouts of a position. Few make the luck noisy, but don't shift its mean.
        together: evaluate private information from what the seats know together, all hands but no draw pile, if the game can deal
            the rest again. So a draw is a chance event, for more time and noise.
    """
    values = _Evaluator(match, seed, playouts, together=together)
    positions = [*(step.before for step in match.steps), match.states]
    viewer = values.viewer_of(positions[0], SPECTATOR)
    first = values.value(positions[0], viewer)
    later = np.zeros_like(first)
    for step, after in zip(match.steps, positions[1:], strict=True):
        viewer = values.viewer_of(step.before, viewer)
        rolled = tuple(after["rng"][0].tolist()) != step_key(match.seed, step.n)
        if rolled or (viewer == SPECTATOR and (after["reveals"] != step.before["reveals"]).any()):
            later += values.value(after, viewer) - values.mean_value_after(viewer, step)
    return first[: match.players], later[: match.players]


class _Evaluator:
    """Estimates the values of positions of a match, and of the positions that could have followed."""

    def __init__(self, match: Match, seed: int, playouts: int, *, together: bool) -> None:
        self._match = match
        self._together = together
        self._playouts = playouts
        self._loops = loops(match.game)
        self._rollouts = Rollouts(match.game, match.players, match.options)
        self._draw = np.random.default_rng(seed)
        self._silent = np.zeros(NO_LOG_SHAPE, np.int32)

    def viewer_of(self, position: States, before: int) -> int:
        """Return the viewer for a position: the spectator, until a seat first has private information.

        With ``together`` it is the spectator who knows what the seats know, until the game can't deal the rest again.
        """
        if before == EVERYTHING:
            return EVERYTHING
        game, seats = self._match.game, range(self._match.players)
        if self._together:
            known = self._known(position, SPECTATOR)
            supposed = copied(known)
            supposed["rng"] = self._draw.integers(1 << 64, size=2, dtype=np.uint64)
            self._loops.redeal_one(supposed, SPECTATOR)
            kept = all(concealed(game, supposed, seat).tobytes() == concealed(game, known, seat).tobytes() for seat in seats)
            return SPECTATOR if kept else EVERYTHING
        seen = [concealed(game, position, viewer) for viewer in (SPECTATOR, *seats)]
        for each in seen:
            each["actor"] = position["actor"]  # a seat that has still to choose is the actor of its own view
        open_ = all(each.tobytes() == seen[0].tobytes() for each in seen)
        return SPECTATOR if open_ else EVERYTHING

    def _known(self, position: States, viewer: int) -> States:
        """Return a position with what a viewer knows; with ``together`` the spectator knows what at least one seat knows."""
        known = concealed(self._match.game, position, viewer)
        if viewer == SPECTATOR and self._together:
            for seat in range(self._match.players):
                seen = concealed(self._match.game, position, seat)
                for name in set(seen.dtype.names or ()) - {"rng", "actor"}:
                    np.copyto(known[name], position[name], where=seen[name] == position[name])
        return known

    def value(self, position: States, viewer: int) -> Floats:
        """Return the value of a position to each seat from the viewer's information, float64 (max_players,)."""
        known = self._known(position, viewer)
        return self._rollouts.shares(known, viewer, self._playouts, self._seed()) / self._playouts

    def mean_value_after(self, viewer: int, step: Step) -> Floats:
        """Return the mean value after a step, over its chance events and over determinizations, float64 (max_players,)."""
        before = acting(self._match.game, step.before, step.seat)
        known, seed = self._known(before, viewer), self._seed()
        total = np.zeros(self._match.game.max_players, np.float64)
        for number in range(self._playouts):
            supposed = copied(known)
            supposed["rng"] = self._draw.integers(1 << 64, size=2, dtype=np.uint64)
            if viewer == SPECTATOR:
                self._loops.redeal_one(supposed, viewer)
            self._loops.play_one(supposed, step.action, self._silent)
            total += self._rollouts.shares(supposed, EVERYTHING, 1, seed, number)
        return total / self._playouts

    def _seed(self) -> int:
        return int(self._draw.integers(1 << 63))


# ------------------------------------------------------------------------------------------------ rates that are corrected for it


@dataclass(frozen=True)
class Adjusted:
    """A win rate corrected for luck.

    Attributes:
        share: the bot's mean payoff per seat or side, corrected for luck, 0 to 1.
        low: the lower end of its interval, by default of 95 %.
        high: its upper end.
        explained: the part of the variance of its payoff that luck explains, 0 to 1.
    """

    share: float
    low: float
    high: float
    explained: float

    @classmethod
    def of(cls, won: Floats, lucky: Floats, parties: npt.NDArray[np.int64], fair: float, z: float) -> Self | None:
        """Return a bot's win rate corrected for luck; None if there are too few matches, wins or losses.

        Args:
            won: float64 (matches,): the total payoff of its seats or sides, 0 to 1.
            lucky: float64 (matches,): their total luck.
            parties: int64 (matches,): the number of its seats or sides.
            fair: the payoff of each seat or side if all bots were equally strong.
            z: the normal quantile of the interval.
        """
        if len(won) < MIN_MATCHES or min(won.sum(), (1 - won).sum()) < MIN_WINS:
            return None
        gain = regress_on_luck(won - fair * parties, lucky)
        each = float(parties.mean())
        share, half = fair + gain.mean / each, student_quantile(z, gain.freedom) * gain.error / each
        low, high = max(0.0, share - half), min(1 / each, share + half)
        return cls(min(max(share, low), high), low, high, gain.explained)


class Gain(NamedTuple):
    """The mean gain at zero luck."""

    mean: float
    error: float  # its standard error
    freedom: int  # its degrees of freedom
    explained: float  # the part of the variance that luck explains, 0 to 1


def regress_on_luck(gained: Floats, lucky: Floats) -> Gain:
    """Regress gains on luck and return the intercept: the mean gain at zero luck.

    Args:
        gained: float64 (matches,): the payoff less the fair payoff; at least three matches.
        lucky: float64 (matches,): the luck.
    """
    matches = len(gained)
    spread = lucky - lucky.mean()
    squares, variance = float(spread @ spread), float(gained.var())
    slope, leverage = (float(spread @ gained) / squares, lucky.mean() ** 2 / squares) if squares > NEGLIGIBLE else (0.0, 0.0)
    rest = gained - slope * lucky
    error = (rest.var() * matches / (matches - 2) * (1 / matches + leverage)) ** 0.5
    explained = max(0.0, 1 - float(rest.var()) / variance) if variance > NEGLIGIBLE else 0.0
    return Gain(float(rest.mean()), float(error), matches - 2, explained)


def student_quantile(z: float, freedom: int) -> float:
    """Return the quantile of Student's t distribution that corresponds to the normal quantile ``z``.

    Abramowitz, Stegun: Handbook of Mathematical Functions (1964), 26.7.5, to the second order.
    """
    return z * (1 + (z**2 + 1) / (4 * freedom) + (5 * z**4 + 16 * z**2 + 3) / (96 * freedom**2))
