"""The report of a simulation: win rates by bot and seat, lengths, and the game's statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from meadhall.engine.game import Game
from meadhall.engine.statistics import Mean, Rate, Spread
from meadhall.engine.text.display import Table
from meadhall.engine.text.language import grouped
from meadhall.lab.aggregate import Aggregate
from meadhall.lab.matches import Plan
from meadhall.lab.output import Row, RunResult
from meadhall.lab.tables import rate_in_words, report_parts, seed_in_json


@dataclass(frozen=True, repr=False)
class Report(RunResult):
    """The report of a simulation. It prints as tables in a terminal (with Rich) and in a notebook.

    ``to_polars`` returns its rates as a table: of each bot, of each seat (from 0), of each bot on each seat, and of each place in
    the first order (from 1); the other columns of a row are null.

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
        >>> report.to_dict()["game"], next(report.rows())["figure"]
        ('axes-and-allies', 'rate')
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

    def rows(self) -> Iterator[Row]:
        """Yield the rates of bots, seats, both, and places, and the mean payoffs of bots."""
        for bot, rate in self.by_bot.items():
            yield _row("rate", rate.rate, rate, bot=bot)
        for bot, payoff in (self.payoffs or {}).items():
            yield _row("payoff", payoff.mean, payoff, bot=bot)
        for seat, rate in enumerate(self.by_seat):
            yield _row("rate", rate.rate, rate, seat=seat)
        for bot, rates in self.by_bot_and_seat.items():
            for seat, rate in enumerate(rates):
                yield _row("rate", rate.rate, rate, bot=bot, seat=seat)
        for place, rate in enumerate(self.by_place, 1):
            yield _row("rate", rate.rate, rate, place=place)

    def __repr__(self) -> str:
        rates = ", ".join(f"{name} {rate_in_words(rate)}" for name, rate in self.by_bot.items())
        return f"<Report of {self.game}: {grouped(self.games)} games of {self.players} players; {rates}>"

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form."""
        return report_parts(self)


def _row(
    figure: str, value: float, of: Rate | Mean, bot: str | None = None, seat: int | None = None, place: int | None = None
) -> Row:
    about = {"figure": figure, "bot": bot, "seat": seat, "place": place}
    return {**about, "value": value, "low": of.low, "high": of.high, "games": of.games}


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
