"""The report of a simulation: win rates by bot and seat, lengths, and the game's statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from meadhall.engine.game import Game
from meadhall.engine.statistics import Mean, Rate, Spread
from meadhall.engine.text.display import Displayed, Table
from meadhall.engine.text.language import grouped
from meadhall.lab.aggregate import Aggregate
from meadhall.lab.frames import InFrames, Row, columns
from meadhall.lab.matches import Plan
from meadhall.lab.tables import rate_in_words, report_parts, seed_in_json

By = Literal["bot", "seat", "bot and seat", "place"]


@dataclass(frozen=True, repr=False)
class Report(Displayed, InFrames[By]):
    """The report of a simulation. It prints as tables in a terminal (with Rich) and in a notebook.

    ``to_polars`` and ``to_pandas`` return its rates as a data frame with a row for each ``"bot"``, each ``"seat"``, each
    ``"bot and seat"``, or each ``"place"`` in the first order.

    Attributes:
        game: the name of the game.
        players: the number of players.
        options: the options.
        bots: the bots. In game g (from 0) seat k had ``bots[(k + g) % players]``, so that every bot sits on every seat.
        seed: the seed; it reproduces the games. An integer is stated as text, bytes are filled up to 32.
        games: the number of games.
        limit: the decisions after which a game is stopped.
        stopped: the number of games that were stopped. They have no result, so the other figures leave them out.
        by_bot: every bot's rate over all its seats.
        by_seat: every seat's rate over all bots.
        by_bot_and_seat: every bot's rate on every seat.
        by_place: the rate of each place in the order of the first turns. Seats hide it where the first seat is drawn.
        payoffs: every bot's mean payoff in points, if the payoffs of the game are points; otherwise None.
        length: decisions per game that ended.
        decisions: the total number of decisions.
        seconds: the duration.
        statistics: the game's own counters, see ``Game.statistics``.

    Examples:
        >>> import meadhall
        >>> report = meadhall.simulate("axes-and-allies", bots=["greedy", "random"], games=200, seed="mead")
        >>> report.to_dict()["game"]
        'axes-and-allies'
        >>> next(report.displayed())
        'Axes and Allies: win rates with 95 % intervals'
    """

    game: str
    players: int
    options: dict[str, Any]
    bots: tuple[str, ...]
    seed: str | bytes
    games: int
    limit: int
    stopped: int
    by_bot: dict[str, Rate]
    by_seat: tuple[Rate, ...]
    by_bot_and_seat: dict[str, tuple[Rate, ...]]
    by_place: tuple[Rate, ...]
    payoffs: dict[str, Mean] | None
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

    def frame_rows(self) -> Mapping[By, Iterable[Row]]:
        means = self.payoffs or {}
        return {
            "bot": (
                {"bot": bot, **asdict(rate), **columns(means.get(bot), Mean, "payoff_")} for bot, rate in self.by_bot.items()
            ),
            "seat": ({"seat": seat, **asdict(rate)} for seat, rate in enumerate(self.by_seat)),
            "bot and seat": (
                {"bot": bot, "seat": seat, **asdict(rate)}
                for bot, rates in self.by_bot_and_seat.items()
                for seat, rate in enumerate(rates)
            ),
            "place": ({"place": place, **asdict(rate)} for place, rate in enumerate(self.by_place, 1)),
        }

    def __repr__(self) -> str:
        rates = ", ".join(f"{name} {rate_in_words(rate)}" for name, rate in self.by_bot.items())
        return f"<Report of {self.game}: {grouped(self.games)} games of {self.players} players; {rates}>"

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form."""
        return report_parts(self)


def report(subject: Game, plan: Plan, sums: Aggregate, seconds: float) -> Report:
    """Build the report of the matches of a plan from their sums. ``seconds`` is the duration."""
    seats = range(plan.players)
    bots = tuple(enumerate(plan.names))
    return Report(
        game=subject.name,
        players=plan.players,
        options=plan.options,
        bots=plan.bots,
        seed=plan.seed,
        games=sums.games + sums.stopped,
        limit=plan.limit,
        stopped=sums.stopped,
        by_bot={name: sums.of_bot(bot) for bot, name in bots},
        by_seat=tuple(map(sums.of_seat, seats)),
        by_bot_and_seat={name: tuple(sums.of_bot_on(bot, seat) for seat in seats) for bot, name in bots},
        by_place=tuple(map(sums.of_place, seats)),
        payoffs=None if subject.scoring_of(plan.options).is_shared else {name: sums.payoff_of_bot(bot) for bot, name in bots},
        length=sums.length,
        decisions=sums.decisions + sums.stopped * plan.limit,
        seconds=seconds,
        statistics=subject.statistics.fields(sums.counted, plan.players, plan.options) if sums.games else {},
    )
