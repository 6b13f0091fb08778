"""The report of a simulation: win rates by bot and seat, lengths, and the game's statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.bulk import Floats
from meadhall.engine.display import Displayed, Table
from meadhall.engine.game import Game
from meadhall.engine.language import grouped
from meadhall.engine.statistics import Counts, Rate, Spread
from meadhall.lab.tables import rate_in_words, report_parts, seed_in_json


@dataclass(frozen=True, repr=False)
class Report(Displayed):
    """The report of a simulation. It prints as tables in a terminal (with Rich) and in a notebook.

    Attributes:
        game: the name of the game.
        players: the number of players.
        options: the options.
        bots: the bots. In game g (from 0) seat k had ``bots[(k + g) % players]``, so that every bot sits on every seat.
        seed: the seed; it reproduces the games. An integer is stated as text, bytes are filled up to 32.
        games: the number of games.
        by_bot: every bot's rate over all its seats.
        by_seat: every seat's rate over all bots.
        by_bot_and_seat: every bot's rate on every seat.
        length: decisions per game.
        decisions: the total number of decisions.
        seconds: the duration.
        statistics: the game's own counters, see ``Game.statistics``.
    """

    game: str
    players: int
    options: dict[str, Any]
    bots: tuple[str, ...]
    seed: str | bytes
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
        """Return the speed on all cores together."""
        return self.decisions / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-able data, described in ``docs/library/simulate.md``."""
        return {**asdict(self), "seed": seed_in_json(self.seed), "decisions_per_second": self.decisions_per_second}

    def __repr__(self) -> str:
        rates = ", ".join(f"{name} {rate_in_words(rate)}" for name, rate in self.by_bot.items())
        return f"<Report of {self.game}: {grouped(self.games)} games of {self.players} players; {rates}>"

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form."""
        return report_parts(self)


def report(
    game: Game,
    options: dict[str, Any],
    bots: Sequence[str],
    seed: str | bytes,
    shares: Floats,
    lengths: npt.NDArray[np.int64],
    counts: Counts,
    seconds: float,
) -> Report:
    """Build the report of a simulation.

    Args:
        game, options, bots, seed: the setup.
        shares: float64 (games, players): the payoffs by seat.
        lengths: int64 (games,): decisions per game.
        counts: int64 (games, counters): the counters of the game's statistics.
        seconds: the duration.
    """
    games, players = shares.shape
    names = list(dict.fromkeys(bots))
    lineup = np.array([names.index(name) for name in bots])
    who = lineup[(np.arange(players)[None, :] + np.arange(games)[:, None]) % players]
    parties = [list(party) for party in game.parties(players, options)]

    def of_bot(seats: npt.NDArray[np.bool_]) -> Rate:
        """Return the rate of a bot on these seats (games, players). Seats that win together count as one observation."""
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
        statistics=game.statistics.fields(counts, players, options),
    )
