"""What a simulation showed: who wins how often, from which seat, and how long it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from meadhall.engine.game import Game
from meadhall.engine.kernels import Floats

Z_95 = 1.959963984540054
"""How many standard deviations of a normal distribution to either side hold 95 % of it."""


def wilson(share: float, games: int) -> tuple[float, float]:
    """The 95 % interval for the rate behind ``share`` wins in ``games`` (Wilson, 1927): sound near 0 and 1 too."""
    if games == 0:
        return 0.0, 1.0
    rate, spread = share / games, Z_95 * Z_95 / games
    middle = (rate + spread / 2) / (1 + spread)
    half = Z_95 * ((rate * (1 - rate) + spread / 4) / games) ** 0.5 / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Rate:
    """How often somebody wins.

    Attributes:
        games: in how many games they had a seat; one who has two seats in a game counts twice.
        share: the wins; k winners of one game have 1/k each.
        rate: share / games.
        low, high: its 95 % interval.
    """

    games: int
    share: float
    rate: float
    low: float
    high: float

    @classmethod
    def of(cls, shares: Floats) -> Self:
        """The rate in games that ended with these shares."""
        games, share = len(shares), float(shares.sum())
        return cls(games, share, share / games if games else 0.0, *wilson(share, games))


@dataclass(frozen=True)
class Length:
    """How many decisions a game takes."""

    mean: float
    sd: float
    min: int
    median: float
    max: int

    @classmethod
    def of(cls, lengths: npt.NDArray[np.int64]) -> Self:
        """Of games that took so many decisions each."""
        median = float(np.median(lengths))
        return cls(float(lengths.mean()), float(lengths.std()), int(lengths.min()), median, int(lengths.max()))


@dataclass(frozen=True)
class Report:
    """The outcome of a simulation.

    Attributes:
        game, players, options: what was played.
        bots: who played. In game g (from 0) seat k had ``bots[(k + g) % players]``, so that everybody sits everywhere.
        seed: gives the same games again.
        games: how many were played.
        by_bot: every bot's rate, all its seats together.
        by_seat: every seat's rate, whoever sat there.
        by_bot_and_seat: every bot's rate on every seat.
        length: decisions a game.
        decisions, seconds: in all.
    """

    game: str
    players: int
    options: dict[str, Any]
    bots: tuple[str, ...]
    seed: str
    games: int
    by_bot: dict[str, Rate]
    by_seat: tuple[Rate, ...]
    by_bot_and_seat: dict[str, tuple[Rate, ...]]
    length: Length
    decisions: int
    seconds: float

    @property
    def decisions_per_second(self) -> float:
        """How fast it went, on all cores together."""
        return self.decisions / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-able data; ``docs/simulate.md`` describes it."""
        return {**asdict(self), "decisions_per_second": self.decisions_per_second}


def report(
    game: Game,
    options: dict[str, Any],
    bots: Sequence[str],
    seed: str,
    shares: Floats,
    lengths: npt.NDArray[np.int64],
    seconds: float,
) -> Report:
    """The report of games that ended with ``shares`` (games, players) after ``lengths`` (games,) decisions."""
    games, players = shares.shape
    line = np.array([list(dict.fromkeys(bots)).index(name) for name in bots])
    who = line[(np.arange(players)[None, :] + np.arange(games)[:, None]) % players]
    names = list(dict.fromkeys(bots))
    return Report(
        game=game.name,
        players=players,
        options=options,
        bots=tuple(bots),
        seed=seed,
        games=games,
        by_bot={name: Rate.of(shares[who == index]) for index, name in enumerate(names)},
        by_seat=tuple(Rate.of(shares[:, seat]) for seat in range(players)),
        by_bot_and_seat={
            name: tuple(Rate.of(shares[:, seat][who[:, seat] == index]) for seat in range(players))
            for index, name in enumerate(names)
        },
        length=Length.of(lengths),
        decisions=int(lengths.sum()),
        seconds=seconds,
    )
