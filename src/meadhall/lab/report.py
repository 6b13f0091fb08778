"""What a simulation showed: who wins how often, from which seat, and how long it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.bulk import Floats
from meadhall.engine.game import Game
from meadhall.engine.statistics import Counts, Rate, Spread


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
        statistics: what the game counts besides, see ``Game.statistics``.
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
    length: Spread
    decisions: int
    seconds: float
    statistics: dict[str, Any]

    @property
    def decisions_per_second(self) -> float:
        """How fast it went, on all cores together."""
        return self.decisions / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-able data; ``docs/library/simulate.md`` describes it."""
        return {**asdict(self), "decisions_per_second": self.decisions_per_second}


def report(
    game: Game,
    options: dict[str, Any],
    bots: Sequence[str],
    seed: str,
    shares: Floats,
    lengths: npt.NDArray[np.int64],
    counts: Counts,
    seconds: float,
) -> Report:
    """The report of games that ended with ``shares`` (games, players) after ``lengths`` (games,) decisions.

    ``counts`` (games, counters) is what was counted for the game's statistics.
    """
    games, players = shares.shape
    line = np.array([list(dict.fromkeys(bots)).index(name) for name in bots])
    who = line[(np.arange(players)[None, :] + np.arange(games)[:, None]) % players]
    names = list(dict.fromkeys(bots))
    parties = [list(party) for party in game.parties(players, options)]

    def of_bot(seats: npt.NDArray[np.bool_]) -> Rate:
        """The rate of a bot with these seats (games, players); of seats that win together each says the same."""
        return Rate.of(shares[seats], independent=sum(int(seats[:, party].any(axis=1).sum()) for party in parties))

    return Report(
        game=game.name,
        players=players,
        options=options,
        bots=tuple(bots),
        seed=seed,
        games=games,
        by_bot={name: of_bot(who == index) for index, name in enumerate(names)},
        by_seat=tuple(Rate.of(shares[:, seat]) for seat in range(players)),
        by_bot_and_seat={
            name: tuple(Rate.of(shares[:, seat][who[:, seat] == index]) for seat in range(players))
            for index, name in enumerate(names)
        },
        length=Spread.of(lengths),
        decisions=int(lengths.sum()),
        seconds=seconds,
        statistics=game.statistics.fields(counts, players),
    )
