"""Plain loops over matches, which count what a balance report says: nothing here uses the laboratory.

Each returns ``Counted`` by the name of a figure. Matches are played by karl, as in a report.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Any, NamedTuple

import meadhall
from meadhall.bots import bot
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
    """A finished match: the wins of each seat in fair shares, the events, the legal actions and the action of each decision."""

    wins: list[float]
    events: list[Event]
    decisions: list[tuple[tuple[int, ...], int]]

    def named(self, name: str) -> Iterator[Event]:
        """Yield the events of a kind."""
        return (event for event in self.events if event.name == name)


def play(game: str, number: int, options: Mapping[str, Any], levels: Sequence[str]) -> Played:
    """Play a match. ``levels``: the bot of each seat."""
    subject, seed = meadhall.game(game), f"plain/{number}"
    match = subject.match(players=len(levels), seed=seed, **options)
    bots = [bot(subject, level, f"{seed}/{seat}") for seat, level in enumerate(levels)]
    events, decisions = list(match.setup), []
    while not match.over:
        seat = match.actor
        assert seat is not None
        view = match.view(seat)
        action = bots[seat].choose(view)
        decisions.append((tuple(view.legal), action))
        events += match.play(action)
    result = match.result()
    assert result is not None
    return Played([share * len(levels) for share in result.shares], events, decisions)


@cache
def matches_as_printed(game: str, players: int, count: int) -> list[Played]:
    """Play this many matches of karls with the usual options."""
    return [play(game, number, {}, ["karl"] * players) for number in range(count)]


def matches(game: str, players: int, count: int, options: Mapping[str, Any] | None = None) -> Iterable[Played]:
    """Play this many matches of karls."""
    if not options:
        return matches_as_printed(game, players, count)
    return (play(game, number, options, ["karl"] * players) for number in range(count))


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


def lengths(game: str, players: int, count: int, options: Mapping[str, Any] | None = None) -> Counted:
    """Return the number of decisions of a match."""
    return mean([float(len(played.decisions)) for played in matches(game, players, count, options)])


def turns(game: str, players: int, count: int, event: str, options: Mapping[str, Any] | None = None) -> Counted:
    """Return the number of turns of a match, each of which this event tells."""
    return mean([float(sum(1 for _ in played.named(event))) for played in matches(game, players, count, options)])


def won(game: str, count: int, options: Mapping[str, Any]) -> Counted:
    """Return the part of the matches that one player wins alone."""
    return mean([played.wins[0] for played in matches(game, 1, count, options)])


def bought(count: int) -> dict[str, Counted]:
    """Return how often each sorcerer card of Dungeon Allies is bought for each time that it is shown, with four players."""
    shown: dict[str, list[float]] = defaultdict(lambda: [0.0] * count)
    got: dict[str, list[float]] = defaultdict(lambda: [0.0] * count)
    for number, played in enumerate(matches("dungeon-allies", 4, count)):
        for name, found in (("card_shown", shown), ("buys", got)):
            for event in played.named(name):
                found[event.card][number] += 1
    return {card: ratio(got[card], times) for card, times in shown.items()}


def beaten(count: int) -> dict[str, Counted]:
    """Return in which part of the matches each monster of Dungeon Allies is defeated, with four players."""
    found: dict[str, list[float]] = defaultdict(lambda: [0.0] * count)
    for number, played in enumerate(matches("dungeon-allies", 4, count)):
        monsters = {event.square: event.monster for event in played.named("revealed")}
        for event in played.named("defeats"):
            found[monsters[event.square]][number] += 1
    return {monster: mean(times) for monster, times in found.items()}


def owners(game: str, players: int, count: int, event: str, field: str) -> dict[str, Counted]:
    """Return the wins of those who get a piece, in fair shares, once for each piece that they get."""
    wins: dict[str, list[float]] = defaultdict(lambda: [0.0] * count)
    had: dict[str, list[float]] = defaultdict(lambda: [0.0] * count)
    for number, played in enumerate(matches(game, players, count)):
        for each in played.named(event):
            wins[getattr(each, field)][number] += played.wins[each.seat]
            had[getattr(each, field)][number] += 1
    return {piece: ratio(wins[piece], times) for piece, times in had.items()}


def chosen(game: str, players: int, count: int, actions: range) -> tuple[int, int]:
    """Return in how many decisions one of these actions was chosen, and in how many one was legal beside others."""
    found = Counter[bool]()
    for played in matches(game, players, count):
        for legal, action in played.decisions:
            if any(each in actions for each in legal) and not all(each in actions for each in legal):
                found[action in actions] += 1
    return found[True], found.total()


def among(game: str, players: int, count: int, upper: str, lower: str) -> Counted:
    """Return the wins of one player of a level among players of another one, in fair shares."""
    wins = []
    for number in range(count):
        seat = number % players
        wins.append(play(game, number, {}, [lower] * seat + [upper] + [lower] * (players - 1 - seat)).wins[seat])
    return mean(wins)
