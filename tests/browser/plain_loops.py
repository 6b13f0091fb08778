"""Plain loops over matches, which count what a balance report says: nothing here uses the laboratory.

Each returns ``Counted`` by the name of a figure. Matches are played by karl, as in a report.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

import meadhall
from meadhall.bots import bot
from meadhall.engine.match.match import Match
from meadhall.engine.state.events import Event


class Counted(NamedTuple):
    """A mean with its standard error."""

    value: float
    error: float

    def agrees(self, low: float, high: float, sigmas: float = 4.0) -> bool:
        """Return whether a value with this 95 % interval is the same within ``sigmas`` standard errors of both."""
        error = sqrt(self.error**2 + ((high - low) / 3.92) ** 2)
        return abs((low + high) / 2 - self.value) <= sigmas * max(error, 1e-9)


def ratio(sums: Sequence[float], counts: Sequence[float]) -> Counted:
    """Return a quotient of sums over matches, with the error of its linearization."""
    games, total = len(sums), sum(counts)
    if not total:
        return Counted(0.0, 0.0)
    value = sum(sums) / total
    residuals = [(one - value * count) * games / total for one, count in zip(sums, counts, strict=True)]
    return Counted(value, sqrt(sum(each * each for each in residuals)) / games)


def mean(values: Sequence[float]) -> Counted:
    """Return the mean of one value of each match."""
    return ratio(values, [1.0] * len(values))


@dataclass
class Played:
    """A match with its events, and the decisions: the seat, the legal actions and the action."""

    match: Match
    events: list[Event]
    decisions: list[tuple[int, tuple[int, ...], int]]

    def named(self, name: str) -> Iterator[Event]:
        """Yield the events of a kind."""
        return (event for event in self.events if event.name == name)

    @property
    def wins(self) -> list[float]:
        """Return the share of the win of each seat, in fair shares."""
        result = self.match.result()
        assert result is not None
        return [share * self.match.players for share in result.shares]


def play(
    game: str,
    players: int,
    number: int,
    options: Mapping[str, Any] | None = None,
    levels: Sequence[str] = ("karl",),
    seed: str = "plain",
) -> Played:
    """Play a match. ``levels``: the bots; seat k of match n has level k + n."""
    subject = meadhall.game(game)
    match = subject.match(players=players, seed=f"{seed}/{number}", **(options or {}))
    bots = [bot(subject, levels[(seat + number) % len(levels)], f"{seed}/{number}/{seat}") for seat in range(players)]
    played = Played(match, list(match.setup), [])
    while not match.over:
        seat = match.actor
        assert seat is not None
        view = match.view(seat)
        action = bots[seat].choose(view)
        played.decisions.append((seat, tuple(view.legal), action))
        played.events += match.play(action)
    return played


def matches(
    game: str, players: int, count: int, options: Mapping[str, Any] | None = None, levels: Sequence[str] = ("karl",)
) -> Iterator[Played]:
    """Play this many matches."""
    return (play(game, players, number, options, levels) for number in range(count))


def places(game: str, players: int, count: int, options: Mapping[str, Any] | None = None) -> dict[str, Counted]:
    """Return the wins by place in the order of the first turns. Clockwise from the first, where only that one is told."""
    told = {"dungeon-allies": "order", "axes-and-allies": "first", "viking-axes": "starts"}[game]
    wins: dict[int, list[float]] = defaultdict(list)
    for played in matches(game, players, count, options):
        (*order,) = next(played.named(told)).arguments
        order = order if len(order) == players else [(order[0] + step) % players for step in range(players)]
        for place, seat in enumerate(order, 1):
            wins[place].append(played.wins[seat])
    return {f"place.{place}": mean(found) for place, found in wins.items()}


def turns(game: str, players: int, count: int, event: str, options: Mapping[str, Any] | None = None) -> Counted:
    """Return the number of turns of a match, each of which this event tells."""
    return mean([float(sum(1 for _ in played.named(event))) for played in matches(game, players, count, options)])


def won(game: str, count: int, options: Mapping[str, Any]) -> Counted:
    """Return the part of the matches that one player wins alone."""
    return mean([played.wins[0] for played in matches(game, 1, count, options)])


def taken(game: str, players: int, count: int, shown: str, got: str, field: str) -> dict[str, Counted]:
    """Return how often each piece is taken for each time that it is shown."""
    offered: dict[str, list[float]] = defaultdict(lambda: [0.0] * count)
    bought: dict[str, list[float]] = defaultdict(lambda: [0.0] * count)
    for number, played in enumerate(matches(game, players, count)):
        for event in played.named(shown):
            offered[getattr(event, field)][number] += 1
        for event in played.named(got):
            bought[getattr(event, field)][number] += 1
    return {piece: ratio(bought[piece], times) for piece, times in offered.items()}


def owners(game: str, players: int, count: int, event: str, field: str) -> dict[str, Counted]:
    """Return the wins of those who get a piece, in fair shares, once for each player who gets it."""
    wins: dict[str, list[float]] = defaultdict(lambda: [0.0] * count)
    had: dict[str, list[float]] = defaultdict(lambda: [0.0] * count)
    for number, played in enumerate(matches(game, players, count)):
        for seat, piece in {(each.seat, getattr(each, field)) for each in played.named(event)}:
            wins[piece][number] += played.wins[seat]
            had[piece][number] += 1
    return {piece: ratio(wins[piece], times) for piece, times in had.items()}


def chosen(game: str, players: int, count: int, actions: range) -> tuple[int, int]:
    """Return in how many decisions one of these actions was chosen, and in how many one was legal beside others."""
    found = Counter[bool]()
    for played in matches(game, players, count):
        for _seat, legal, action in played.decisions:
            if any(each in actions for each in legal) and not all(each in actions for each in legal):
                found[action in actions] += 1
    return found[True], found.total()


def rung(game: str, players: int, count: int, lower: str, upper: str) -> Counted:
    """Return the wins of a seat of ``upper`` in fair shares, where as many seats have ``lower``."""
    wins = []
    for number, played in enumerate(matches(game, players, count, levels=(lower, upper))):
        seats = [seat for seat in range(players) if (seat + number) % 2]
        wins.append(sum(played.wins[seat] for seat in seats) / len(seats))
    return mean(wins)
