"""The readable forms of reports: the tables that a terminal or a notebook shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from meadhall.engine.game import Game
from meadhall.engine.registry import game
from meadhall.engine.statistics import Mean, Rate, Spread
from meadhall.engine.text.display import Table
from meadhall.engine.text.language import decimal, grouped, marked, ngettext, percent, percent_with_interval
from meadhall.engine.text.language import gettext as _
from meadhall.lab.control_variate import MIN_MATCHES

if TYPE_CHECKING:
    from meadhall.lab.report import Report
    from meadhall.lab.standings import Standing, Tournament

NONE = "-"

ENDINGS = {
    "interrupted": marked(
        "Interrupted after {games} of {planned} games: the bots have not met each other, or sat on each seat, equally often."
    ),
    "sure": marked("The order was significant after {games} of {planned} games."),
}
"""Notes on a tournament that ended early."""


def seed_in_json(seed: str | bytes) -> Any:
    """Return a seed as JSON-able data: a text, or ``{"hex": …}`` for bytes."""
    return seed if isinstance(seed, str) else {"hex": seed.hex()}


def seed_in_words(seed: str | bytes) -> str:
    """Return a seed as text; bytes in hex."""
    return seed if isinstance(seed, str) else seed.hex()


def unknown_order(subject: Game) -> str:
    """Return a warning if the game doesn't declare the order of the first turns; else ""."""
    if subject.elements.first_order is not None:
        return ""
    said = _("{game} doesn't tell who has the first turn, so the places are a guess: clockwise from the first decision.")
    return said.format(game=subject.title)


def lengths_in_words(report: Report | Tournament) -> Iterator[str]:
    """Yield sentences: the spread of the decisions of the games that ended, and how many were stopped."""
    yield length_in_words(report.games - report.stopped, report.length)
    if report.stopped:
        yield stopped_in_words(report.stopped, report.limit)


def stopped_in_words(stopped: int, limit: int) -> str:
    """Return how many matches were stopped as a sentence."""
    return ngettext(
        "{count} match was stopped after {limit} decisions. It has no result, so no figure counts it.",
        "{count} matches were stopped after {limit} decisions. They have no result, so no figure counts them.",
        stopped,
    ).format(count=grouped(stopped), limit=grouped(limit))


def length_in_words(games: int, length: Spread) -> str:
    """Return the number of games and the spread of their decisions as a sentence."""
    return _("{games} games of {mean} decisions (sd {sd}, median {median}, from {min} to {max})").format(
        games=grouped(games),
        mean=decimal(length.mean, 1),
        sd=decimal(length.sd, 1),
        median=decimal(length.median, 1, exactly=False),
        min=grouped(length.min),
        max=grouped(length.max),
    )


def report_parts(report: Report) -> Iterator[str | Table]:
    """Yield the parts of a simulation's report: a table with a row for each seat and a column for each bot, and figures."""
    yield _("{game}: win rates with 95 % intervals").format(game=game(report.game).title)
    rows = [
        (str(seat + 1), *(rate_in_words(rates[seat]) for rates in report.by_bot_and_seat.values()), rate_in_words(rate))
        for seat, rate in enumerate(report.by_seat)
    ]
    every = (_("all"), *(rate_in_words(rate) for rate in report.by_bot.values()), "")
    yield Table((_("seat"), *report.by_bot, _("any bot")), (*rows, every), sums=1, numbers=True)
    if len(set(report.by_place)) > 1:
        yield from filter(None, [unknown_order(game(report.game))])
        rows = [(str(place), rate_in_words(rate)) for place, rate in enumerate(report.by_place, 1)]
        yield Table((_("place in the first order"), _("any bot")), tuple(rows), numbers=True)
    if report.payoffs is not None:
        rows = [(name, mean_in_words(payoff)) for name, payoff in report.payoffs.items()]
        yield Table((_("bot"), _("points per game")), tuple(rows), numbers=True)
    yield from lengths_in_words(report)
    yield _("{speed} decisions/s; seed {seed}").format(
        speed=decimal(report.decisions_per_second, 0), seed=seed_in_words(report.seed)
    )
    counted = tuple(game(report.game).statistics.rows(report.statistics)) if report.statistics else ()
    if counted:
        yield Table((), counted)


def rate_in_words(rate: Rate) -> str:
    """Return a rate as text like ``28.3 % (27.9-28.7)``."""
    return percent_with_interval(rate.rate, rate.low, rate.high) if rate.games else NONE


def mean_in_words(payoff: Mean) -> str:
    """Return a mean payoff as text like ``1.25 (1.10 to 1.40)``."""
    mean, low, high = (decimal(value, 2) for value in (payoff.mean, payoff.low, payoff.high))
    return _("{mean} ({low} to {high})").format(mean=mean, low=low, high=high)


def tournament_parts(report: Tournament) -> Iterator[str | Table]:
    """Yield the parts of a tournament's report: the result of each bot, and how often each finished ahead of each other."""
    heading = _("{game} for {players}: win rates with 95 % intervals")
    yield heading.format(game=game(report.game).title, players=report.players)
    yield _table(standing_rows(report))
    if report.luck:
        yield _table(adjusted_rows(report), _("Corrected for luck (needs at least {least} games)").format(least=MIN_MATCHES))
    if len(report.bots) > 1:
        yield _table(matrix_rows(report), _("How often the row finishes ahead of the column; a draw counts as half"))
    if report.ended in ENDINGS:
        yield _(ENDINGS[report.ended]).format(games=grouped(report.games), planned=grouped(report.planned))
    yield from lengths_in_words(report)
    yield _("{seconds} s; seed {seed}").format(seconds=decimal(report.seconds, 0), seed=seed_in_words(report.seed))


def _table(rows: Iterable[tuple[str, ...]], title: str = "") -> Table:
    """Build a table; the first row holds its headings, the first column its names."""
    heads, *others = rows
    return Table(heads, tuple(others), title, numbers=True)


def standing_rows(report: Tournament) -> Iterable[tuple[str, ...]]:
    """Yield a row for each bot, without fair rate and rating in a cooperative game."""
    rivals = any(standing.fair is not None for standing in report.standings.values())
    counted = any(standing.payoff is not None for standing in report.standings.values())
    points = (_("points per game"),) if counted else ()
    yield (_("bot"), _("games"), _("win rate"), *((_("fair"), _("rating")) if rivals else ()), *points)
    for name, standing in report.standings.items():
        share = percent_with_interval(standing.share, standing.low, standing.high)
        payoff = (mean_in_words(standing.payoff),) if standing.payoff is not None else ()
        yield (name, grouped(standing.games), share, *_against_others(standing), *payoff)


def adjusted_rows(report: Tournament) -> Iterable[tuple[str, ...]]:
    """Yield a row for each bot: its win rate corrected for luck, and the variance that luck explains."""
    yield (_("bot"), _("win rate"), _("explained by luck"))
    for name, standing in report.standings.items():
        found = standing.adjusted
        if found is None:
            yield (name, NONE, NONE)
        else:
            yield (name, percent_with_interval(found.share, found.low, found.high), percent(found.explained, 0))


def _against_others(standing: Standing) -> Sequence[str]:
    if standing.fair is None or standing.rating is None:
        return ()
    rating = standing.rating
    return percent(standing.fair), f"{decimal(rating.mu, 1)} ({decimal(rating.low, 1)}-{decimal(rating.high, 1)})"


def matrix_rows(report: Tournament) -> Iterable[tuple[str, ...]]:
    """Yield a row for each bot, with a column for each bot."""
    yield ("", *report.bots)
    for name, rates in report.ahead.items():
        met = {other: rate_in_words(rate) for other, rate in rates.items()}
        yield (name, *(met.get(other, NONE) for other in report.bots))
