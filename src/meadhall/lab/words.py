"""Words that several reports share: seeds, rates, and the lengths of matches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from meadhall.engine.game import Game
from meadhall.engine.statistics import Mean, Rate, Spread
from meadhall.engine.text.language import decimal, gettext as _, grouped, ngettext, percent_with_interval

NONE = "-"


def seed_in_json(seed: str | bytes) -> Any:
    """Return a seed as JSON-able data: a text, or ``{"hex": …}`` for bytes."""
    return seed if isinstance(seed, str) else {"hex": seed.hex()}


def unknown_order(subject: Game) -> str:
    """Return a warning if the game doesn't declare the order of the first turns; else ""."""
    if subject.elements.first_order is not None:
        return ""
    said = _("{game} doesn't tell who has the first turn, so the places are a guess: clockwise from the first decision.")
    return said.format(game=subject.title)


def lengths_in_words(games: int, stopped: int, limit: int, length: Spread) -> Iterator[str]:
    """Yield sentences: the spread of the decisions of the games that ended, and how many were stopped."""
    yield _("{games} games of {mean} decisions (sd {sd}, median {median}, from {min} to {max})").format(
        games=grouped(games - stopped),
        mean=decimal(length.mean, 1),
        sd=decimal(length.sd, 1),
        median=decimal(length.median, 1, exactly=False),
        min=grouped(length.min),
        max=grouped(length.max),
    )
    if stopped:
        yield stopped_in_words(stopped, limit)


def stopped_in_words(stopped: int, limit: int) -> str:
    """Return how many matches were stopped as a sentence."""
    return ngettext(
        "{count} match was stopped after {limit} decisions. It has no result, so no figure counts it.",
        "{count} matches were stopped after {limit} decisions. They have no result, so no figure counts them.",
        stopped,
    ).format(count=grouped(stopped), limit=grouped(limit))


def rate_in_words(rate: Rate) -> str:
    """Return a rate as text like ``28.3 % (27.9-28.7)``."""
    return percent_with_interval(rate.rate, rate.low, rate.high) if rate.games else NONE


def mean_in_words(payoff: Mean) -> str:
    """Return a mean payoff as text like ``1.25 (1.10 to 1.40)``."""
    mean, low, high = (decimal(value, 2) for value in (payoff.mean, payoff.low, payoff.high))
    return _("{mean} ({low} to {high})").format(mean=mean, low=low, high=high)
