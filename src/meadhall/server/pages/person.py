"""The model of a person's profile, with what they have achieved."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from meadhall.engine.match.view import bot_in_words
from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _, grouped, ngettext
from meadhall.server.hall.people.profiles import Profile, Streak
from meadhall.server.pages.clock import day_in_words, month_in_words
from meadhall.server.pages.front_page import card, filter_field
from meadhall.server.pages.rates import LEVELS, fair_share, rate_tables, total
from meadhall.server.store.models import Guest
from meadhall.server.store.profiles import Played, PuzzleDay, ResultGroup
from meadhall.server.web.links import link

MATCHES_SHOWN = 20
"""The number of matches on a page."""

MET_SHOWN = 50
"""The number of other people that the filter offers, the most frequent ones."""

STATISTICS_FROM = 10
"""So many matches tell something about how often a person wins."""

WEEKS = 26
_CELL = 15
"""Width and height of a day in the calendar."""


def person_page(
    profile: Profile,
    viewer: Guest,
    chosen: dict[str, str],
    played: Sequence[Played],
    count: int,
    number: int,
    met: Sequence[Guest],
    noted: Collection[str],
) -> dict[str, Any]:
    """Return a profile as the viewer sees it.

    Args:
        profile: what the person has played.
        viewer: who looks at it.
        chosen: values of the filter: ``game``, ``result``, ``with``.
        played: the matches on this page.
        count: the number of matches that the filter lets through.
        number: of this page, 1 is the first.
        met: the people that the filter offers.
        noted: the tables where the viewer has a note.
    """
    person = profile.person
    url = link(f"/people/{person.public_id}") if person.public_id else link("/people/me")
    pages = max(1, -(-count // MATCHES_SHOWN))

    def page_url(number: int) -> str:
        given = {name: value for name, value in chosen.items() if value}
        return f"{url}?{urlencode({**given, 'page': number})}#matches"

    subject = chosen.get("game", "")
    has_statistics = sum(group.matches for group in profile.groups) >= STATISTICS_FROM
    return {
        "name": person.name,
        "crest": person.crest,
        "url": url,  # "/people/<public id>"
        "public_id": person.public_id,
        "you": profile.is_own,
        "visibility": person.profile,  # "private", "opponents", "public"
        "figures": tuple(_figures(profile, subject)),
        "feats": tuple(feats(profile, subject)),
        # empty before ten matches, as are the tables
        "statistics": tuple(_statistics(profile, subject)) if has_statistics else (),
        "tables": tuple(table for table in rate_tables(profile.groups, subject) if table["rows"] and has_statistics),
        "calendar": _calendar(profile.days, profile.puzzles, profile.today) if profile.days else None,
        "matches": tuple(card(each.table, viewer, None, noted) for each in played),
        "count": count,  # of all matches that the filter lets through
        "number": number,  # of the page of matches, 1 is the first
        "pages": pages,
        "before": page_url(min(number - 1, pages)) if number > 1 else "",  # address of the page before, "" if there is none
        "after": page_url(number + 1) if number < pages else "",
        "filters": tuple(_filters(profile, chosen, met)),  # empty if there is nothing to choose
        "filtered": any(chosen.values()),
    }


def _figures(profile: Profile, subject: str) -> Iterator[tuple[str, str, str]]:
    matches = sum(group.matches for group in profile.groups if subject in ("", group.game))
    yield _("Matches"), grouped(matches), ""
    if profile.wins.longest and not subject:
        yield _("Wins in a row"), grouped(profile.wins.current), _longest(profile.wins)
    if profile.days and not subject:
        yield _("Puzzle days in a row"), grouped(profile.puzzles.current), _longest(profile.puzzles)


def _statistics(profile: Profile, subject: str) -> Iterator[tuple[str, str, str]]:
    groups = [group for group in profile.groups if subject in ("", group.game)]
    won = total(groups)
    if won is not None:
        yield (
            _("Won against others"),
            won["rate"],
            _("95 % interval {interval}; by chance alone {fair}").format(**won),
        )
    yield _("Hints used"), grouped(sum(group.hints for group in groups)), ""
    take_backs = sum(group.take_backs for group in groups)
    yield _("Take-backs"), grouped(take_backs), _("against bots, after dice fell")


def _longest(streak: Streak) -> str:
    return _("longest: {count}").format(count=grouped(streak.longest))


def _filters(profile: Profile, chosen: dict[str, str], met: Sequence[Guest]) -> Iterator[dict[str, Any]]:
    games = sorted({group.game for group in profile.groups} & set(game_names()))
    if not games and not any(chosen.values()):
        return
    titles = {name: game(name).title for name in games}
    yield filter_field("game", _("Game"), {"": _("All games"), **titles}, chosen.get("game", ""))
    results = {
        "": _("All results"),
        "won": _("Won"),
        "shared": _("Shared or drawn"),
        "lost": _("Lost"),
        "open": _("Given up"),
    }
    yield filter_field("result", _("Result"), results, chosen.get("result", ""))
    if met:
        yield filter_field(
            "with", _("With"), {"": _("Anyone"), **{guest.public_id: guest.name for guest in met}}, chosen.get("with", "")
        )


def _calendar(days: Sequence[PuzzleDay], streak: Streak, today: str) -> dict[str, Any]:
    """Return the calendar of the last half year: a column for each week, which begins on Monday."""
    last = date.fromisoformat(today)
    first = last - timedelta(days=last.weekday() + 7 * (WEEKS - 1))
    solved = {each.day: each.solved for each in days}
    cells = []
    months: list[tuple[int, str]] = []
    for offset in range((last - first).days + 1):
        day = (first + timedelta(days=offset)).isoformat()
        week, weekday = divmod(offset, 7)
        cells.append((week * _CELL, weekday * _CELL, ("solved" if solved[day] else "tried") if day in solved else ""))
        if weekday == 0 and int(day[8:]) <= 7:  # the first week that begins in this month
            months.append((week * _CELL, month_in_words(day)))
    shown = [each for each in reversed(days) if each.day >= first.isoformat()]
    count = sum(each.solved for each in shown)
    finished = ngettext("{count} puzzle finished", "{count} puzzles finished", len(shown)).format(count=len(shown))
    return {
        "summary": _("{finished} in the last half year, {solved} solved. Days in a row: {current}, longest {longest}.").format(
            finished=finished, solved=count, current=streak.current, longest=streak.longest
        ),
        "days": tuple(cells),
        "months": tuple(months),  # x and name of the first column of a month
        # (address, date, solved), newest first
        "listed": tuple((link(f"/daily/{each.day}"), day_in_words(each.day), each.solved) for each in shown),
        "width": WEEKS * _CELL,
    }


_ROW: Final = 3
"""So many in a row are a feat."""

_FULL: Final = 5
"""A match of so many players is a feat to win."""


def feats(profile: Profile, subject: str = "") -> Iterator[tuple[str, str]]:
    """Yield a person's feats, in all games or in one."""
    groups = [group for group in profile.groups if group.game in game_names() and subject in ("", group.game)]
    won = [group for group in groups if group.won]
    rivals = [group for group in won if fair_share(group) is not None]
    for name in game_names():
        yield from _bots_beaten(name, [group for group in rivals if group.game == name])
    yield from _tables(rivals)
    for name in dict.fromkeys(group.game for group in won if group.players > 1 and group not in rivals):
        yield "hands", _("Won {game} together").format(game=game(name).title)
    if not subject:
        yield from _in_a_row(profile)
        if len({group.game for group in won}) == len(game_names()) > 1:
            yield "hall", _("Won every game of this hall")


def _bots_beaten(name: str, groups: Sequence[ResultGroup]) -> Iterator[tuple[str, str]]:
    """Yield the strongest bots that were beaten in a game: without help, and with help if those were stronger."""
    alone = [LEVELS[group.bots] for group in groups if group.bots in LEVELS and group.unaided]
    any_way = [LEVELS[group.bots] for group in groups if group.bots in LEVELS]
    names = {place: bot_in_words(level) for level, place in LEVELS.items()}
    if alone:
        words = _("Beat the {bot} at {game} without a hint or taking back")
        yield "crown", words.format(bot=names[max(alone)], game=game(name).title)
    if any_way and max(any_way) > max(alone, default=0):
        yield "attack", _("Beat the {bot} at {game}").format(bot=names[max(any_way)], game=game(name).title)


def _tables(groups: Sequence[ResultGroup]) -> Iterator[tuple[str, str]]:
    """Yield the matches won against people, and the largest table where a match was won."""
    against_people = sum(group.won for group in groups if not group.bots)
    if against_people:
        words = ngettext("Won {count} match against people", "Won {count} matches against people", against_people)
        yield "person", words.format(count=against_people)
    largest = max((group.players for group in groups), default=0)
    if largest >= _FULL:
        yield "helmet", _("Won at a table of {count}").format(count=largest)


def _in_a_row(profile: Profile) -> Iterator[tuple[str, str]]:
    """Yield the longest rows of wins, which have no take-backs, and of days with a finished puzzle."""
    wins, puzzles = profile.wins.longest, profile.puzzles.longest
    if wins >= _ROW:
        yield "again", _("{count} wins in a row").format(count=wins)
    if puzzles >= _ROW:
        yield "check", _("{count} puzzles in a row").format(count=puzzles)
