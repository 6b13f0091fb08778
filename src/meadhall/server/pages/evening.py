"""The pages of an evening: its form, what a person, the leader and the big screen see, and the picture of its winners."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from babel.dates import format_date
from babel.numbers import format_decimal
from markupsafe import Markup

from meadhall.engine.registry import game, game_names
from meadhall.engine.text.language import gettext as _, listed, ngettext
from meadhall.pictures.templates import as_markup
from meadhall.server.hall.evening.evenings import MOST_ROUNDS
from meadhall.server.hall.evening.progress import Placed, Progress
from meadhall.server.pages.clock import clock_in_words, clock_value, locale, usual_clocks
from meadhall.server.pages.front_page import USUAL_CLOCK, result_in_words
from meadhall.server.pages.lobby import shared_link
from meadhall.server.pages.models import Option, Refusal
from meadhall.server.pages.picture import dyed, fitting, styles
from meadhall.server.pages.templates import template
from meadhall.server.store.evenings import Evening
from meadhall.server.store.models import Crest, Guest, TableRow
from meadhall.server.web.links import Outside, link

USUAL_ROUNDS: Final = 3
USUAL_SEATS: Final = 4
ON_PICTURE: Final = 7
"""People whom the picture of the winners names at most."""


def form_fields() -> dict[str, Any]:
    """Return what the form for a new evening offers."""
    games = [game(name) for name in game_names() if game(name).max_players > 1]
    seats = range(2, max(each.max_players for each in games) + 1)
    return {
        "games": [Option(each.name, each.title, each is games[0]) for each in games],
        "rounds": [Option(str(count), str(count), count == USUAL_ROUNDS) for count in range(1, MOST_ROUNDS + 1)],
        "seats": [Option(str(count), str(count), count == USUAL_SEATS) for count in seats],
        "clocks": [
            Option(clock_value(each), clock_in_words(each), clock_value(each) == USUAL_CLOCK)
            for each in usual_clocks()
            if each is None or each.is_live
        ],
    }


def points_in_words(points: Fraction) -> str:
    """Return points with at most two decimals in the current language: "1.5", "1,33"."""
    return str(format_decimal(round(float(points), 2), "0.##", locale=locale()))


def frame(
    progress: Progress,
    guest: Guest,
    outside: Outside,
    version: int,
    rounds: Mapping[str, tuple[int, bool]],
    missing: Mapping[str, bool],
    is_screen: bool = False,
    notice: Refusal | None = None,
) -> Markup:
    """Return the part of a page that changes: of the big screen, or of the page of a guest.

    Args:
        progress: how far the evening is.
        guest: the guest who looks at it.
        outside: how others reach the hall.
        version: rises with time.
        rounds: the version of each table of the round, and whether its match has begun.
        missing: who is away from a table, and whether a bot plays for them.
        is_screen: whether it is the big screen.
        notice: the refusal of the guest's last request.
    """
    evening, url = progress.evening, link(f"/evenings/{progress.evening.id}")
    own = progress.table_of(guest)
    is_own_open = own is not None and own.status == "running"
    more = {
        "progress": progress,
        "evening": evening,
        "url": url,
        "version": version,
        "guest": guest,
        "leads": evening.is_led_by(guest),
        "joined": guest.id in progress.here,
        "you": _place_of(guest, progress),
        "own": own,
        "is_own_open": is_own_open,
        "is_turn": is_own_open and guest.id in missing,
        "tables": [_table(each, *rounds.get(each.id, (0, False))) for each in progress.tables.values()],
        "missing": [(each, missing[each.id]) for each in progress.standings if each.id in missing.keys() - {guest.id}],
        "invite": shared_link(outside, f"/evenings/{evening.id}"),
        "about": about(evening),
        "next": progress.game(progress.round + 1).title,
        "share_text": share_text(progress) if progress.is_over else "",
        "words": points_in_words,
        "notice": notice,
    }
    name = "evening/_screen.html" if is_screen else "evening/_frame.html"
    return as_markup(template(name).render(page=more, **more).strip())


def _place_of(guest: Guest, progress: Progress) -> Placed | None:
    """Return the place of a guest in the standings, None without one."""
    return next((each for each in progress.standings if each.id == guest.id), None)


def about(evening: Evening) -> str:
    """Say what is played: the games, the rounds, the clock."""
    titles = listed([game(name).title for name in evening.games])
    rounds = ngettext("{count} round", "{count} rounds", evening.rounds).format(count=evening.rounds)
    return " · ".join([titles, rounds, clock_in_words(evening.clock)])


def _table(table: TableRow, version: int, has_begun: bool) -> dict[str, Any]:
    """Return a table of the round: the names and crests of its seats (a bot has none), and how the match ended."""
    return {
        "id": table.id,
        "url": link(f"/tables/{table.id}"),
        "people": [(row.name, row.crest) for row in table.seats],
        "note": "" if table.status in ("gathering", "running") else result_in_words(table),
        "has_begun": has_begun,
        "version": version,
    }


def headline(progress: Progress) -> str:
    """Say who has won: "Astrid wins", "Astrid and Björn win"."""
    names = [each.name for each in progress.winners]
    if not names:
        return _("No round was played.")
    return ngettext("{names} wins the evening", "{names} win the evening", len(names)).format(names=listed(names))


def share_text(progress: Progress) -> str:
    """Return the result as a text to send to others: the first places, one line each."""
    lines = [f"{each.place}. {each.name} ({points_in_words(each.points)})" for each in progress.standings[:ON_PICTURE]]
    return "\n".join([f"{progress.evening.name}: {headline(progress)}", *lines])


def drawing(progress: Progress) -> tuple[str, str]:
    """Return the picture of the winners as SVG, and the game whose colours it has."""
    size, lines = fitting(headline(progress))
    shown = progress.standings[:ON_PICTURE]
    marks = [each.guest.crest for each in shown] + [Crest(0, 0)] * (ON_PICTURE - len(shown))
    more = {
        "evening": progress.evening,
        "size": size,
        "lines": lines,
        "shown": shown,
        "marks": marks,
        "date": str(format_date(progress.evening.created_at, "long", locale=locale())),
        "words": points_in_words,
    }
    name = progress.evening.games[0]
    drawn = template("evening/picture.html").render(**more)
    return styles(name).written_out(dyed(drawn, marks)), name


def bar(progress: Progress, table: str, guest: Guest) -> Markup:
    """Return the way from the page of a table back to its evening, with the round and the guest's place.

    Where the guest has another table by now, it leads there.
    """
    own = progress.table_of(guest)
    more = {
        "evening": progress.evening,
        "progress": progress,
        "you": _place_of(guest, progress),
        "table": table,
        "next_table": link(f"/tables/{own.id}") if own is not None and own.id != table and own.status == "running" else "",
    }
    return as_markup(template("evening/_bar.html").render(**more))
