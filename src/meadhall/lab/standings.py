"""What a tournament showed: how strong each bot is, and who finishes ahead of whom."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from meadhall.engine.bulk import Floats
from meadhall.engine.statistics import Rate, Spread
from meadhall.lab.adjusted import Adjusted
from meadhall.lab.ratings import Rating, ratings
from meadhall.lab.schedule import Schedule

Ended = Literal["complete", "sure", "interrupted"]


@dataclass(frozen=True)
class Standing:
    """How well a bot did.

    Attributes:
        games: in how many it took part.
        parties: how many of the parties of a game it had, on average: seats where each seat plays for itself, or sides.
        share: what it won with each of them on average, 0 to 1.
        low, high: the interval of ``share``, of 95 %.
        adjusted: what it won without luck; None if that was not measured, or can't be told: of too few games, or of games that
            nearly all ended alike.
        fair: what it would win if all were equally good; None where all win or lose together.
        rating: its rating; None likewise.
    """

    games: int
    parties: float
    share: float
    low: float
    high: float
    adjusted: Adjusted | None
    fair: float | None
    rating: Rating | None


@dataclass(frozen=True)
class Tournament:
    """The outcome of a tournament.

    Attributes:
        game, players, options: what was played.
        scoring: who played against whom: ``rivals``, ``sides``, or ``together``.
        bots: who took part, in the order given.
        seed: gives the same games again, where the bots are deterministic.
        games: how many were played, of those ``planned``.
        round: games after which everybody has met everybody and sat everywhere equally often.
        luck: whether everybody's luck was measured.
        ended: why it ended: all was played (``complete``), all was clear (``sure``), or somebody ended it (``interrupted``).
        standings: how well each bot did.
        ahead: ``ahead[a][b]``: how often a finished ahead of b when both sat at the table (together: had the same shuffle). Of
            several seats all pairs count; if neither is ahead, each is by half.
        length: decisions a game.
        seconds: how long it took.
    """

    game: str
    players: int
    options: dict[str, Any]
    scoring: str
    bots: tuple[str, ...]
    seed: str
    games: int
    planned: int
    round: int
    luck: bool
    ended: Ended
    standings: dict[str, Standing]
    ahead: dict[str, dict[str, Rate]]
    length: Spread
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-able data; ``docs/library/tournament.md`` describes it."""
        return asdict(self)


@dataclass(frozen=True)
class Meetings:
    """The outcomes of a tournament: in each meeting some bots were compared.

    A meeting is a match; where all win or lose together it is the matches of one shuffle, one for each bot.

    Attributes:
        who: int64 (meetings, parties): the bots' numbers.
        shares: float64 (meetings, parties): what each party won.
        bots: how many there are.
        z: how many standard deviations the intervals have to either side.
        luck: float64 (meetings, parties): how much of what each party won was luck; None if it was not measured.
    """

    who: npt.NDArray[np.int64]
    shares: Floats
    bots: int
    z: float
    luck: Floats | None = None

    @classmethod
    def of(cls, schedule: Schedule, shares: Floats, z: float, luck: Floats | None = None) -> Meetings:
        """What became of the first matches of a schedule: float64 (matches, parties)."""
        number = {name: k for k, name in enumerate(schedule.bots)}
        who = np.array([[number[name] for name in schedule.line_up(match)] for match in range(len(shares))], np.int64)
        who = who.reshape(shares.shape)
        if len(schedule.parties) == 1:
            whole = len(shares) - len(shares) % len(schedule.bots)
            who, shares = who[:whole].reshape(-1, len(schedule.bots)), shares[:whole].reshape(-1, len(schedule.bots))
        return cls(who, shares, len(schedule.bots), z, luck)

    def parties(self, bot: int) -> npt.NDArray[np.int64]:
        """How many parties the bot had in each meeting."""
        had: npt.NDArray[np.int64] = (self.who == bot).sum(axis=1)
        return had

    def together(self, bot: int, of_parties: Floats) -> Floats:
        """What the bot's parties have together in each meeting, of shares or luck."""
        had: Floats = np.where(self.who == bot, of_parties, 0.0).sum(axis=1)
        return had

    def means(self, of_parties: Floats) -> Floats:
        """float64 (meetings, bots): what each bot has with each of its parties; not a number where it had none."""
        columns = []
        for bot in range(self.bots):
            parties = self.parties(bot)
            columns.append(
                np.divide(self.together(bot, of_parties), parties, out=np.full(len(parties), np.nan), where=parties > 0)
            )
        return np.stack(columns, axis=1)

    @cached_property
    def mean_shares(self) -> Floats:
        """float64 (meetings, bots): what each bot won with each of its parties; not a number where it had none."""
        return self.means(self.shares)

    def standing(self, bot: int, fair: float | None, rating: Rating | None) -> Standing:
        """How well the bot did.

        What its parties win of a match together is one number between 0 and 1, and the matches are independent: so the interval
        is Wilson's for this number, divided by how many parties share it.
        """
        parties = self.parties(bot)
        there = parties > 0
        rate = Rate.of(self.together(bot, self.shares)[there], self.z)
        each = float(parties[there].mean()) if there.any() else 1.0
        adjusted = self._adjusted(bot, fair)
        return Standing(rate.games, each, rate.rate / each, rate.low / each, rate.high / each, adjusted, fair, rating)

    def _adjusted(self, bot: int, fair: float | None) -> Adjusted | None:
        """What the bot won without luck."""
        if self.luck is None or fair is None:
            return None
        parties = self.parties(bot)
        there = parties > 0
        won, lucky = (self.together(bot, of_parties)[there] for of_parties in (self.shares, self.luck))
        return Adjusted.of(won, lucky, parties[there], fair, self.z)

    def ahead(self, one: int, other: int) -> Rate:
        """How often one bot is ahead of another; the interval is of whole meetings, which are independent."""
        ones, others = self.who == one, self.who == other
        both = ones.any(axis=1) & others.any(axis=1)
        ones, others, shares = ones[both], others[both], self.shares[both]
        better = (np.sign(shares[:, :, None] - shares[:, None, :]) + 1) / 2
        pairs = ones[:, :, None] & others[:, None, :]
        return Rate.of((better * pairs).sum(axis=(1, 2)) / pairs.sum(axis=(1, 2)), self.z)


def standings(meetings: Meetings, names: tuple[str, ...], fair: float | None) -> dict[str, Standing]:
    """How well each bot did; ``fair`` is what each would win if all were equally good, None where they aren't rivals."""
    rated = ratings(meetings.mean_shares, meetings.z) if fair else (None,) * len(names)
    return {name: meetings.standing(bot, fair, rated[bot]) for bot, name in enumerate(names)}


def win_matrix(meetings: Meetings, names: tuple[str, ...]) -> dict[str, dict[str, Rate]]:
    """For each bot how often it was ahead of each other."""
    numbered = list(enumerate(names))
    return {name: {other: meetings.ahead(k, j) for j, other in numbered if j != k} for k, name in numbered}
