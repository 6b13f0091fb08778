"""Two bots of which one is stronger, by a known number, without a game: what each wins on average is known exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from meadhall.engine.bulk import Floats
from meadhall.lab.schedule import Schedule


@dataclass(frozen=True)
class Unequal:
    """A schedule, the chance of every party in its matches (matches, parties), and what a party of the stronger bot wins."""

    schedule: Schedule
    chances: Floats
    truth: float

    @classmethod
    def of(cls, seats: int, games: int, strength: float) -> Unequal:
        """``karl`` is so many times as likely to win as ``thrall``."""
        parties = tuple((seat,) for seat in range(seats))
        schedule = Schedule("any", ("thrall", "karl"), {}, "truth", parties=parties, wanted=games)
        stronger = np.array([[name == "karl" for name in schedule.line_up(number)] for number in range(schedule.games)])
        chances = np.where(stronger, strength, 1.0)
        chances /= chances.sum(axis=1, keepdims=True)
        return cls(schedule, chances, float((chances * stronger).sum() / stronger.sum()))

    def played(self, times: int, rng: np.random.Generator) -> Iterator[Floats]:
        """The shares (matches, parties) of the whole schedule, so many times."""
        for _ in range(times):
            winners = (rng.random((len(self.chances), 1)) > self.chances.cumsum(axis=1)).sum(axis=1)
            yield np.eye(self.chances.shape[1])[winners]
