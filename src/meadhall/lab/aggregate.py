"""The figures of a simulation, summed up chunk by chunk, so that a run of any length needs the same memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from meadhall.engine.compute.bulk import Floats, Played
from meadhall.engine.game import Game
from meadhall.engine.statistics import Mean, Rate, Spread, Totals, added, histogram
from meadhall.lab.matches import Plan, shares_of

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

    @property
    def decisions(self) -> int:
        """Return the total number of decisions."""
        times = self.lengths[LENGTHS]
        return int(np.arange(len(times)) @ times)

    @property
    def length(self) -> Spread:
        """Return the spread of the decisions of a match."""
        return Spread.of_histogram(self.lengths[LENGTHS])

    def of_bot(self, bot: int) -> Rate:
        """Return a bot's rate on all its seats. Seats that win together count as one observation."""
        return Rate.of_sum(int(self.taken[bot].sum()), sum(self.shares[bot].tolist()), independent=int(self.parties[bot]))

    def payoff_of_bot(self, bot: int) -> Mean:
        """Return a bot's mean payoff on all its seats."""
        games, total, squares = self.payoffs[bot].tolist()
        return Mean.of_sums(int(games), total, squares)

    def of_seat(self, seat: int) -> Rate:
        """Return the rate of a seat over all players."""
        return Rate.of_sum(self.games, sum(self.shares[:, seat].tolist()))

    def of_place(self, place: int) -> Rate:
        """Return the rate of a place in the order of the first turns, over all players."""
        return Rate.of_sum(self.games, float(self.places[place]))

    def of_bot_on(self, bot: int, seat: int) -> Rate:
        """Return a bot's rate on one seat."""
        return Rate.of_sum(int(self.taken[bot, seat]), float(self.shares[bot, seat]))
