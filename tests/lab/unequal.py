"""Simulated results of two bots of known strength, without a game, so that the true mean payoffs are known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from meadhall.engine.compute.bulk import Floats
from meadhall.lab.schedule import Schedule


@dataclass(frozen=True)
class Unequal:
    """A schedule, the chances of the parties (matches, parties), and the true mean payoff of the stronger bot's parties."""

    schedule: Schedule
    chances: Floats
    truth: float

    @classmethod
    def of(cls, seats: int, games: int, strength: float) -> Unequal:
        """Return a schedule in which ``karl`` is ``strength`` times as likely to win as ``thrall``."""
        parties = tuple((seat,) for seat in range(seats))
        schedule = Schedule("any", ("thrall", "karl"), {}, "truth", parties=parties, wanted=games)
        stronger = np.array([[name == "karl" for name in schedule.line_up(number)] for number in range(schedule.games)])
        chances = np.where(stronger, strength, 1.0)
        chances /= chances.sum(axis=1, keepdims=True)
        return cls(schedule, chances, float((chances * stronger).sum() / stronger.sum()))

    def played(self, times: int, rng: np.random.Generator) -> Iterator[Floats]:
        """Yield payoffs (matches, parties) of the whole schedule, ``times`` times."""
        for _ in range(times):
            winners = (rng.random((len(self.chances), 1)) > self.chances.cumsum(axis=1)).sum(axis=1)
            yield np.eye(self.chances.shape[1])[winners]
