"""Trials of a game's pages: render what the hall shows of a game. ``meadhall check`` does so at the positions of random matches.

A mistake in ``page.py`` or a template is an error page for the people at a table. Nothing here needs a hall that runs.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from meadhall.engine.game import Game, beats_of
from meadhall.engine.laws.knowledge import demand
from meadhall.engine.match.match import Match
from meadhall.engine.match.telling import crowned
from meadhall.engine.match.view import EVERYTHING, SPECTATOR, View
from meadhall.engine.text.language import LANGUAGES, speaking
from meadhall.pictures import board
from meadhall.pictures.print.sheets import PAPERS, printed_pieces, sheets
from meadhall.pictures.regions import Drawing
from meadhall.server.hall.house import House
from meadhall.server.pages import picture
from meadhall.server.pages.frames import controls_part, own_regions, public_part
from meadhall.server.pages.match import match_page, result_view
from meadhall.server.pages.models import MatchPage, SeatView, SharedLink, Viewer
from meadhall.server.pages.replay import lesson_page
from meadhall.server.pages.rulebook import rulebook_of_match, rulebook_page
from meadhall.server.pages.templates import render
from meadhall.server.store.models import SeatRow, TableRow

_ID: Final = "check"
_URL: Final = f"/tables/{_ID}"
_EVERY: Final = 8
"""The number of actions between two positions that are also tried as a replay, as pictures and as whole pages; the same number of
positions of a finished match is tried with everything revealed."""

_CONTROL: Final = re.compile(
    r'<(?:button|input)\b[^>]*\bname="action"[^>]*>|<select\b[^>]*\bname="action".*?</select>', re.DOTALL
)
_FIRST: Final = re.compile(r'<button\b[^>]*\bname="first" value="(\d+)"')
_PLUS: Final = re.compile(r'<input\b(?=[^>]*\bname="plus")(?![^>]*\bdisabled)[^>]*\bvalue="(\d+)"')
_VALUE: Final = re.compile(r'\bvalue="(\d+)"')


def try_pages(game: Game) -> None:
    """Render the rulebook, with the picture in the hall, the guided first game, and the printed pieces, in all languages.

    Raises:
        BadPiece: a piece can't be printed.
    """
    for language in LANGUAGES:
        with speaking(language):
            options = {option.name: option.default for option in game.options}
            list(sheets(printed_pieces(game, options, game.max_players), PAPERS["a4"]))
            _whole("rulebook.html", rulebook_page(game.name, language), f"/rules/{game.name}")
            for step, lesson in enumerate(game.lessons.lessons if game.lessons else (), 1):
                answers = (None, *range(min(game.actions, 2)), lesson.action)
                for answer in dict.fromkeys(answers):
                    _whole("lesson.html", lesson_page(game, step, answer), f"/learn/{game.name}")


def try_position(match: Match) -> None:
    """Render the page of a match for a spectator and for every seat, in one of the languages.

    At some positions, and at the end, it renders whole pages, the rulebook of the table, replays and pictures, too.

    Raises:
        Broken: a legal action has no control.
    """
    number = len(match.steps)
    with speaking([*LANGUAGES][number % len(LANGUAGES)]):
        pages = [_page(match, viewer) for viewer in range(SPECTATOR, match.players)]
        beats_of(match.view())
        board_shown = public_part(pages[0])
        for page in pages:
            own_regions(page, Drawing())
            if page.your_turn and page.viewer is not None:
                _every_action_has_a_control(match, page.viewer, f"{board_shown}{controls_part(page)}")
        for viewer in match.deciders:
            own_regions(_page(match, viewer, abandoned=True), Drawing())
        if number % _EVERY == 0 or match.over:
            _try_rarely(match, pages)
        if match.over:
            _try_end(match)


def _try_rarely(match: Match, pages: list[MatchPage]) -> None:
    for page in (pages[0], pages[match.deciders[0] + 1 if match.deciders else -1]):
        _whole(
            "table.html",
            page,
            _URL,
            kind="match",
            frame="",
            now=0,
            mark="",
            turns=0,
            has_note=False,
            calls=False,
            chats=False,
            back=None,
            evening=None,
            public_link=SharedLink(_URL, "", ""),
            public_words="",
        )
    _whole("rulebook.html", rulebook_of_match(match.game, match.options, "en"), f"{_URL}/rules")
    for viewer in range(SPECTATOR, match.players):
        board.svg(match.view(viewer))
    for viewer in range(match.players):
        _try_replay(match, match.view(viewer))


def _try_replay(match: Match, view: View) -> None:
    """Render the board from a view that isn't a spectator's."""
    public_part(match_page(match, view, id="replay", url=_URL, seats=_seats(match)))


def _try_end(match: Match) -> None:
    """Render the replay with everything revealed, and the picture to share."""
    last = len(match.steps)
    for position in range(0, last + 1, max(1, last // _EVERY)):
        _try_replay(match, match.view_at(position, EVERYTHING))
    opened = datetime(2000, 1, 1, tzinfo=UTC)
    seats = tuple(SeatRow(k, seat.kind, seat.name, seat.bot, frozenset(), "") for k, seat in enumerate(match.seats))
    table = TableRow(_ID, match.game.name, match.game.version, match.options, "over", "", True, b"", opened, seats)
    picture.svg(picture.picture_of(match, table))


def _page(match: Match, viewer: int, *, abandoned: bool = False) -> MatchPage:
    """Return the page of a live match. Only that of a spectator has the board."""
    return match_page(
        match,
        match.view(viewer),
        id=_ID,
        url=_URL,
        seats=_seats(match),
        abandoned=abandoned,
        public=viewer == SPECTATOR,
        reader=None if viewer == SPECTATOR else viewer,
        result=None if abandoned else result_view(match, None if viewer == SPECTATOR else viewer),
    )


def _seats(match: Match) -> tuple[SeatView, ...]:
    result = match.outcome()
    winners = crowned(len(match.seats), result) if result else ()
    return tuple(
        SeatView(
            seat,
            name,
            "human",
            active=seat in match.deciders,
            winner=seat in winners,
        )
        for seat, name in enumerate(match.names)
    )


def _every_action_has_a_control(match: Match, seat: int, html: str) -> None:
    values = {int(value) for control in _CONTROL.findall(html) for value in _VALUE.findall(control)}
    values |= {int(first) + int(plus) for first in _FIRST.findall(html) for plus in _PLUS.findall(html)}
    missing = [action for action in match.view(seat).legal if action not in values]
    demand(not missing, f"the page of seat {seat} has no control for the legal action {missing[0] if missing else ''}")


def _whole(template: str, page: object, path: str, **more: object) -> None:
    render(template, Viewer("Astrid", "en", "auto"), page, path, "", house=House(Path()), told=(), **more)
