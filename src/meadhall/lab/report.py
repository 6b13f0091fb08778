"""The report of a simulation: win rates by bot and seat, lengths, and the game's statistics.

The figures are summed up chunk by chunk, so that a run of any length needs the same memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import Named, seed_label
from meadhall.engine.compute.bulk import Floats, Played
from meadhall.engine.game import Game
from meadhall.engine.registry import game
from meadhall.engine.statistics import Mean, Rate, Spread, Totals, added, histogram
from meadhall.engine.text.display import Table
from meadhall.engine.text.language import decimal, gettext as _, grouped
from meadhall.lab.matches import Plan, shares_of
from meadhall.lab.output import Row, RunResult
from meadhall.lab.words import lengths_in_words, mean_in_words, rate_in_words, seed_in_json, unknown_order

LENGTHS = "lengths"


@dataclass(frozen=True)
class Aggregate:
    """The sums over some matches of a plan.

    Attributes:
        games: the number of matches that ended.
        shares: float64 (bots, seats): the sum of the shares of a win of each bot on each seat, see ``Game.shares``.
        places: float64 (seats,): the sum of the shares of a win by place in the order of the first turns.
        taken: int64 (bots, seats): how often each bot had each seat.
        parties: int64 (bots,): the number of parties that each bot was in. Seats that win together are one party.
        payoffs: float64 (bots, 3): each bot's matches, and the sum of its mean payoffs in them and of their squares.
        lengths: the histogram of the decisions of a match, see ``statistics.histogram``.
        counted: the totals of the game's statistics.
        stopped: the number of matches that were stopped; nothing else counts them.
    """

    games: int
    shares: Floats
    places: Floats
    taken: npt.NDArray[np.int64]
    parties: npt.NDArray[np.int64]
    payoffs: Floats
    lengths: Totals
    counted: Totals
    stopped: int = 0

    @classmethod
    def nothing(cls, plan: Plan) -> Aggregate:
        """Return the sums over no match."""
        bots, table = len(plan.names), (len(plan.names), plan.players)
        shares, places, taken = np.zeros(table), np.zeros(plan.players), np.zeros(table, np.int64)
        return cls(0, shares, places, taken, np.zeros(bots, np.int64), np.zeros((bots, 3)), {}, {})

    @classmethod
    def of(cls, subject: Game, plan: Plan, first: int, played: Played) -> Aggregate:
        """Return the sums over the matches from number ``first`` on."""
        games, players = played.payoffs.shape
        empty = cls.nothing(plan)
        shares, taken, among, payoffs = empty.shares, empty.taken, empty.parties, empty.payoffs
        ended = ~np.isnan(played.payoffs[:, 0])
        won = np.nan_to_num(shares_of(subject, played.payoffs, plan.options))
        seats, parties = np.arange(players), subject.parties(players, plan.options)
        for turn in range(min(players, games)):  # in every ``players``-th match all bots sit on the same seats
            who = plan.who(range(first + turn, first + turn + 1))[0]
            times = int(ended[turn::players].sum())
            shares[who, seats] += won[turn::players].sum(axis=0)
            taken[who, seats] += times
            for bot in np.unique(who):
                means = played.payoffs[turn::players][ended[turn::players]][:, who == bot].mean(axis=1)
                payoffs[bot] += times, means.sum(), means @ means
            for party in parties:
                among[np.unique(who[list(party)])] += times
        counted = subject.statistics.gather(played.counts[ended], players)
        places = np.take_along_axis(won, played.orders.astype(np.int64), axis=1).sum(axis=0)
        lengths, count = {LENGTHS: histogram(played.lengths[ended])}, int(ended.sum())
        return cls(count, shares, places, taken, among, payoffs, lengths, counted, games - count)

    def __add__(self, more: Aggregate) -> Aggregate:
        return replace(
            self,
            games=self.games + more.games,
            shares=self.shares + more.shares,
            places=self.places + more.places,
            taken=self.taken + more.taken,
            parties=self.parties + more.parties,
            payoffs=self.payoffs + more.payoffs,
            lengths=added(self.lengths, more.lengths),
            counted=added(self.counted, more.counted),
            stopped=self.stopped + more.stopped,
        )

    def of_bot(self, bot: int) -> Rate:
        """Return a bot's rate on all its seats. Seats that win together count as one observation."""
        return Rate.of_sum(int(self.taken[bot].sum()), sum(self.shares[bot].tolist()), independent=int(self.parties[bot]))

    def payoff_of_bot(self, bot: int) -> Mean:
        """Return a bot's mean payoff on all its seats."""
        games, total, squares = self.payoffs[bot].tolist()
        return Mean.of_sums(int(games), total, squares)


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
        >>> report = meadhall.simulate("axes-and-allies", bots=["karl", "thrall"], games=200, seed="mead")
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
        """Yield the parts of the readable form: a table with a row for each seat and a column for each bot, and figures."""
        yield _("{game}: win rates with 95 % intervals").format(game=game(self.game).title)
        rows = [
            (str(seat + 1), *(rate_in_words(rates[seat]) for rates in self.by_bot_and_seat.values()), rate_in_words(rate))
            for seat, rate in enumerate(self.by_seat)
        ]
        every = (_("all"), *(rate_in_words(rate) for rate in self.by_bot.values()), "")
        yield Table((_("seat"), *self.by_bot, _("any bot")), (*rows, every), sums=1, numbers=True)
        if len(set(self.by_place)) > 1:
            yield from filter(None, [unknown_order(game(self.game))])
            rows = [(str(place), rate_in_words(rate)) for place, rate in enumerate(self.by_place, 1)]
            yield Table((_("place in the first order"), _("any bot")), tuple(rows), numbers=True)
        if self.payoffs is not None:
            rows = [(name, mean_in_words(payoff)) for name, payoff in self.payoffs.items()]
            yield Table((_("bot"), _("points per game")), tuple(rows), numbers=True)
        yield from lengths_in_words(self.games, self.stopped, self.limit, self.length)
        yield _("{speed} decisions/s; seed {seed}").format(
            speed=decimal(self.decisions_per_second, 0), seed=seed_label(self.seed)
        )
        if self.statistics:
            yield Table((), tuple(game(self.game).statistics.rows(self.statistics)))


def _row(
    figure: str, value: float, of: Rate | Mean, bot: str | None = None, seat: int | None = None, place: int | None = None
) -> Row:
    about = {"figure": figure, "bot": bot, "seat": seat, "place": place}
    return {**about, "value": value, "low": of.low, "high": of.high, "games": of.games}


def report(subject: Game, plan: Plan, sums: Aggregate, seconds: float) -> Report:
    """Build the report of the matches of a plan from their sums. ``seconds`` is the duration."""
    bots = tuple(enumerate(plan.names))
    times = sums.lengths[LENGTHS]
    return Report(
        game=subject.name,
        players=plan.players,
        options=plan.options,
        bots=plan.bots,
        seed=plan.seed,
        games=sums.games + sums.stopped,
        limit=plan.limit,
        stopped=sums.stopped,
        by_bot=Named({name: sums.of_bot(bot) for bot, name in bots}),
        by_seat=tuple(Rate.of_sum(sums.games, sum(won)) for won in sums.shares.T.tolist()),
        by_bot_and_seat=Named(
            {name: tuple(map(Rate.of_sum, sums.taken[bot].tolist(), sums.shares[bot].tolist())) for bot, name in bots}
        ),
        by_place=tuple(Rate.of_sum(sums.games, won) for won in sums.places.tolist()),
        payoffs=None
        if subject.scoring_of(plan.options).is_shared
        else Named({name: sums.payoff_of_bot(bot) for bot, name in bots}),
        length=Spread.of_histogram(times),
        decisions=int(np.arange(len(times)) @ times) + sums.stopped * plan.limit,
        seconds=seconds,
        statistics=Named(subject.statistics.fields(sums.counted, plan.players, plan.options) if sums.games else {}),
    )
