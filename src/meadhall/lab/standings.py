"""The report of a tournament: the strength of each bot, and how often each finishes ahead of each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from meadhall.engine.checks import Named, seed_label
from meadhall.engine.compute.bulk import Floats
from meadhall.engine.rating import Belief, after_match
from meadhall.engine.registry import game
from meadhall.engine.statistics import Z_95, Mean, Rate, Spread
from meadhall.engine.text.display import Table
from meadhall.engine.text.language import decimal, gettext as _, grouped, marked, percent, percent_with_interval
from meadhall.lab.luck import MIN_MATCHES, Adjusted
from meadhall.lab.output import Row, RunResult
from meadhall.lab.schedule import Schedule
from meadhall.lab.words import NONE, lengths_in_words, mean_in_words, rate_in_words, seed_in_json

Ended = Literal["complete", "sure", "interrupted"]


ENDINGS = {
    "interrupted": marked(
        "Interrupted after {games} of {planned} games: the bots have not met each other, or sat on each seat, equally often."
    ),
    "sure": marked("The order was significant after {games} of {planned} games."),
}
"""Notes on a tournament that ended early."""


@dataclass(frozen=True)
class Rating:
    """A rating on OpenSkill's scale, where every bot starts at 25.

    Attributes:
        mu: the mean of the belief about the strength.
        sigma: its standard deviation.
        low: the lower end of the interval of mu, by default of 95 %.
        high: its upper end.
    """

    mu: float
    sigma: float
    low: float
    high: float


def ratings(shares: Floats, z: float = Z_95) -> tuple[Rating, ...]:
    """Return every bot's rating after these matches, in order.

    A match ranks its bots by payoff; equal payoffs are ties. Bots don't learn, so their strength has no drift.

    Args:
        shares: float64 (matches, bots): each bot's payoff; NaN where it didn't play.
        z: the normal quantile of the interval.
    """
    beliefs = [Belief()] * shares.shape[1]
    for match in shares.round(9):
        there = np.flatnonzero(~np.isnan(match)).tolist()
        if len(there) > 1:
            for k, belief in zip(there, after_match([beliefs[k] for k in there], match[there].tolist()), strict=True):
                beliefs[k] = belief
    return tuple(Rating(each.mu, each.sigma, each.mu - z * each.sigma, each.mu + z * each.sigma) for each in beliefs)


@dataclass(frozen=True)
class Standing:
    """The result of a bot in a tournament.

    Attributes:
        games: the number of games it took part in.
        parties: its mean number of parties per game: seats if each seat plays for itself, otherwise sides.
        share: its mean share of a win per party, 0 to 1.
        low: the lower end of the 95 % interval of ``share``.
        high: its upper end.
        adjusted: the same corrected for luck; None if luck was not measured, or there were too few games, wins or losses.
        fair: the payoff per party if all bots were equally strong; None in a cooperative game.
        rating: its rating; None in a cooperative game.
        payoff: its mean payoff in points, if the payoffs of the game are points; otherwise None.
    """

    games: int
    parties: float
    share: float
    low: float
    high: float
    adjusted: Adjusted | None
    fair: float | None
    rating: Rating | None
    payoff: Mean | None = None


@dataclass(frozen=True, repr=False)
class Tournament(RunResult):
    """The report of a tournament. It prints as tables in a terminal (with Rich) and in a notebook.

    ``to_polars`` returns its figures as a table: ``share``, ``adjusted``, ``rating`` and ``payoff`` of each bot, and how often it
    finished ``ahead`` of each other.

    Attributes:
        game: the name of the game.
        players: the number of players.
        options: the options.
        scoring: how the seats compete: ``rivals``, ``sides``, ``together`` or ``points``.
        bots: the bots in the order given.
        seed: the seed; it reproduces the games if the bots are deterministic.
        games: the number of games played, of those ``planned``.
        limit: the decisions after which a game is stopped.
        stopped: the number of games that were stopped. They have no result, so the other figures leave them out.
        round: the number of games after which the schedule is balanced.
        luck: whether luck was measured.
        ended: why it ended: all games were played (``complete``), the order is significant (``sure``), or it was stopped
            (``interrupted``).
        standings: the result of each bot.
        ahead: ``ahead[a][b]``: how often a finished ahead of b in games with both (in a cooperative game: with the same shuffle).
            With several seats all pairs count; a tie counts as half.
        length: decisions per game that ended.
        seconds: the duration.

    Examples:
        >>> from meadhall.lab import tournament
        >>> table = tournament("axes-and-allies", ["thrall", "karl"], games=100, seed="mead")
        >>> table.to_dict()["bots"], next(table.rows())["figure"]
        (('thrall', 'karl'), 'share')
        >>> next(table.displayed())
        'Axes and Allies for 2: win rates with 95 % intervals'
    """

    game: str
    players: int
    options: dict[str, Any]
    scoring: str
    bots: tuple[str, ...]
    seed: str | bytes
    games: int
    planned: int
    limit: int
    stopped: int
    round: int
    luck: bool
    ended: Ended
    standings: dict[str, Standing]
    ahead: dict[str, dict[str, Rate]]
    length: Spread
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-able data, described in ``docs/library/tournament.md``."""
        return {**asdict(self), "seed": seed_in_json(self.seed)}

    def rows(self) -> Iterator[Row]:
        """Yield the figures of each bot, and of each pair."""
        for bot, each in self.standings.items():
            yield _row("share", each.share, each, each.games, bot)
            if each.adjusted is not None:
                yield _row("adjusted", each.adjusted.share, each.adjusted, each.games, bot)
            if each.rating is not None:
                yield _row("rating", each.rating.mu, each.rating, each.games, bot)
            if each.payoff is not None:
                yield _row("payoff", each.payoff.mean, each.payoff, each.payoff.games, bot)
        for bot, rates in self.ahead.items():
            for other, rate in rates.items():
                yield _row("ahead", rate.rate, rate, rate.games, bot, other)

    def __repr__(self) -> str:
        shares = ", ".join(f"{name} {percent(standing.share)}" for name, standing in self.standings.items())
        return f"<Tournament of {self.game}: {grouped(self.games)} games of {self.players} players; {shares}>"

    def displayed(self) -> Iterator[str | Table]:
        """Yield the parts of the readable form: the result of each bot, and how often each finished ahead of each other."""
        heading = _("{game} for {players}: win rates with 95 % intervals")
        yield heading.format(game=game(self.game).title, players=self.players)
        yield self._results()
        if self.luck:
            title = _("Corrected for luck (needs at least {least} games)").format(least=MIN_MATCHES)
            corrected = tuple((name, *_corrected(standing.adjusted)) for name, standing in self.standings.items())
            yield Table((_("bot"), _("win rate"), _("explained by luck")), corrected, title, numbers=True)
        if len(self.bots) > 1:
            title = _("How often the row finishes ahead of the column; a draw counts as half")
            cells = {name: {other: rate_in_words(rate) for other, rate in rates.items()} for name, rates in self.ahead.items()}
            rows = tuple((name, *(met.get(other, NONE) for other in self.bots)) for name, met in cells.items())
            yield Table(("", *self.bots), rows, title, numbers=True)
        if self.ended in ENDINGS:
            yield _(ENDINGS[self.ended]).format(games=grouped(self.games), planned=grouped(self.planned))
        yield from lengths_in_words(self.games, self.stopped, self.limit, self.length)
        yield _("{seconds} s; seed {seed}").format(seconds=decimal(self.seconds, 0), seed=seed_label(self.seed))

    def _results(self) -> Table:
        """Return a row for each bot, without fair rate and rating in a cooperative game."""
        heads: dict[str, None] = {}
        rows = []
        for name, standing in self.standings.items():
            share = percent_with_interval(standing.share, standing.low, standing.high)
            row = {_("bot"): name, _("games"): grouped(standing.games), _("win rate"): share}
            if standing.fair is not None and (rating := standing.rating) is not None:
                row[_("fair")] = percent(standing.fair)
                row[_("rating")] = f"{decimal(rating.mu, 1)} ({decimal(rating.low, 1)}-{decimal(rating.high, 1)})"
            if standing.payoff is not None:
                row[_("points per game")] = mean_in_words(standing.payoff)
            heads |= dict.fromkeys(row)
            rows.append(tuple(row.values()))
        return Table(tuple(heads), tuple(rows), numbers=True)


def _corrected(found: Adjusted | None) -> tuple[str, str]:
    """Return a win rate corrected for luck, and the variance that luck explains."""
    if found is None:
        return NONE, NONE
    return percent_with_interval(found.share, found.low, found.high), percent(found.explained, 0)


def _row(
    figure: str, value: float, of: Standing | Adjusted | Rating | Mean | Rate, games: int, bot: str, other: str | None = None
) -> Row:
    return {"figure": figure, "bot": bot, "other": other, "value": value, "low": of.low, "high": of.high, "games": games}


@dataclass(frozen=True)
class Meetings:
    """The outcomes of a tournament as comparisons between bots.

    A meeting is a match that ended. In a cooperative game it is the set of matches with one shuffle, one match for each bot.

    Attributes:
        who: int64 (meetings, parties): the indexes of the bots.
        shares: float64 (meetings, parties): the share of a win of each party.
        bots: the number of bots.
        z: the normal quantile of the intervals.
        luck: float64 (meetings, parties): the luck of each party; None if it was not measured.
        payoffs: float64 (meetings, parties): the payoff of each party in points; None if payoffs are shares.
    """

    who: npt.NDArray[np.int64]
    shares: Floats
    bots: int
    z: float
    luck: Floats | None = None
    payoffs: Floats | None = None

    @classmethod
    def of(
        cls, schedule: Schedule, shares: Floats, z: float, luck: Floats | None = None, payoffs: Floats | None = None
    ) -> Meetings:
        """Build the meetings from the payoffs of a schedule's first matches, float64 (matches, parties); NaN if stopped."""
        number = {name: k for k, name in enumerate(schedule.bots)}
        who = np.array([[number[name] for name in schedule.line_up(match)] for match in range(len(shares))], np.int64)
        who = who.reshape(shares.shape)
        if len(schedule.parties) == 1:
            whole = len(shares) - len(shares) % len(schedule.bots)
            who, shares = who[:whole].reshape(-1, len(schedule.bots)), shares[:whole].reshape(-1, len(schedule.bots))
            payoffs = None if payoffs is None else payoffs[:whole].reshape(-1, len(schedule.bots))
        ended = ~np.isnan(shares).any(axis=1)
        luck, payoffs = (None if each is None else each[ended] for each in (luck, payoffs))
        return cls(who[ended], shares[ended], len(schedule.bots), z, luck, payoffs)

    def parties(self, bot: int) -> npt.NDArray[np.int64]:
        """Return the number of the bot's parties in each meeting."""
        had: npt.NDArray[np.int64] = (self.who == bot).sum(axis=1)
        return had

    def together(self, bot: int, of_parties: Floats) -> Floats:
        """Return the total of the bot's parties in each meeting, of payoffs or luck."""
        had: Floats = np.where(self.who == bot, of_parties, 0.0).sum(axis=1)
        return had

    def means(self, of_parties: Floats) -> Floats:
        """Return each bot's mean per party, float64 (meetings, bots); NaN where it had no party."""
        there = self.who[:, :, None] == np.arange(self.bots)
        parties, nowhere = there.sum(axis=1), np.full((len(self.who), self.bots), np.nan)
        means: Floats = np.divide((there * of_parties[:, :, None]).sum(axis=1), parties, out=nowhere, where=parties > 0)
        return means

    @cached_property
    def mean_shares(self) -> Floats:
        """Return each bot's mean payoff per party, float64 (meetings, bots); NaN where it had no party."""
        return self.means(self.shares)

    def standing(self, bot: int, fair: float | None, rating: Rating | None) -> Standing:
        """Return the result of a bot.

        The total payoff of its parties in a match is a number between 0 and 1, and the matches are independent. So the interval
        is Wilson's for this total, divided by the number of parties.
        """
        parties = self.parties(bot)
        there = parties > 0
        parties, won = parties[there], self.together(bot, self.shares)[there]
        rate, each = Rate.of(won, self.z), float(parties.mean()) if len(parties) else 1.0
        adjusted = payoff = None
        if self.luck is not None and fair is not None:
            adjusted = Adjusted.of(won, self.together(bot, self.luck)[there], parties, fair, self.z)
        if self.payoffs is not None:
            means = self.together(bot, self.payoffs)[there] / parties
            payoff = Mean.of_sums(len(means), float(means.sum()), float(means @ means), self.z)
        return Standing(rate.games, each, rate.rate / each, rate.low / each, rate.high / each, adjusted, fair, rating, payoff)

    def ahead(self, one: int, other: int) -> Rate:
        """Return how often one bot is ahead of another. The interval counts whole meetings, which are independent."""
        ones, others = self.who == one, self.who == other
        both = ones.any(axis=1) & others.any(axis=1)
        ones, others, shares = ones[both], others[both], self.shares[both]
        better = (np.sign(shares[:, :, None] - shares[:, None, :]) + 1) / 2
        pairs = ones[:, :, None] & others[:, None, :]
        return Rate.of((better * pairs).sum(axis=(1, 2)) / pairs.sum(axis=(1, 2)), self.z)


def standings(meetings: Meetings, names: tuple[str, ...], fair: float | None) -> dict[str, Standing]:
    """Return the result of each bot. ``fair`` is the payoff if all were equally strong; None in a cooperative game."""
    rated = ratings(meetings.mean_shares, meetings.z) if fair else (None,) * len(names)
    return Named({name: meetings.standing(bot, fair, rated[bot]) for bot, name in enumerate(names)})
