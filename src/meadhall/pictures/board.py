"""The picture of a match as one viewer may know it: the board, the players, and what is to be decided.

The board is the game's ``picture.html``, drawn from the same values and with the same signs as its page. A game without one is
drawn as the text sketch of the terminal. A drawing becomes a complete SVG document with its signs, colours and styles, without
references.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from textwrap import wrap
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
from jinja2 import Template
from markupsafe import Markup

from meadhall.engine.compiled import loops
from meadhall.engine.match.step import Result
from meadhall.engine.match.telling import headline as headline_for
from meadhall.engine.match.view import View, bot_in_words
from meadhall.pictures.flat import FlatStyles, Theme, flattened, without_uses
from meadhall.pictures.templates import STATIC, environment, game_static_files, has_template

_CLASSES: Final = re.compile(r'class="([^"]*)"')
_SELECTED: Final = re.compile(r"\.([\w-]+)")


def standalone(drawn: str, game: str, theme: Theme) -> str:
    """Return an SVG that a game's templates have drawn, with the values of its variables and the rules that it uses."""
    styles = _styles(game, theme)
    flat = without_uses(styles.written_out(drawn))
    return flat.replace(">", f"><style>{escape(_used(styles.sheet, flat))}</style>", 1)


@cache
def _styles(game: str, theme: Theme) -> FlatStyles:
    sheets = [
        STATIC / "css" / "tokens.css",
        STATIC / "css" / "art.css",
        *game_static_files(game, ".css"),
        STATIC / "css" / "board.css",
    ]
    return flattened((path.read_text("utf-8") for path in sheets), theme)


def _used(sheet: str, drawn: str) -> str:
    """Return the rules of a style sheet whose classes occur in a picture."""
    classes = {name for names in _CLASSES.findall(drawn) for name in names.split()}
    rules = (rule for rule in sheet.splitlines() if ":" not in rule.partition("{")[0])
    return "\n".join(rule for rule in rules if classes.issuperset(_SELECTED.findall(rule.partition("{")[0])))


WIDTH: Final = 1200
"""The width of every picture in its own units."""

_MARGIN: Final = 24
_TOP: Final = 76
"""Where the board begins, below the title and the prompt."""

_SQUARE: Final = 700
"""The height of a board with the players beside it."""

_WIDE: Final = 1.2
"""A board that is wider than this times its height takes the whole width, and shows the players itself."""

_VIEW_BOX: Final = re.compile(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"')
_PROMPT_LETTERS, _ABOUT_LETTERS, _SKETCH_LINES = 92, 46, 36


def svg(view: View, theme: Theme = "light") -> str:
    """Return the picture of a match, in the current language, as a complete SVG document.

    It shows what the viewer may know: a seat sees its own hand, a spectator none. Its size depends only on the game, its options
    and the number of players. It asks for the fonts Grenze and Alegreya Sans, and looks similar in others.
    """
    board = _board(view)
    name = f"{board.game}/picture.html"
    scene = _rendered(name if has_template(name) else "sketch.html", board)
    width, height = (float(length) for length in _found(_VIEW_BOX.search(scene)).groups())
    wide = width > _WIDE * height
    tall = (WIDTH - 2 * _MARGIN) * height / width if wide else _SQUARE
    drawn = _template("board.html").render(
        page=board,
        prompt=wrap(board.prompt, _PROMPT_LETTERS, max_lines=1, placeholder=" …"),
        scene=scene,
        beside=_rendered(f"{board.game}/beside.html", board) if has_template(f"{board.game}/beside.html") else "",
        wide=wide,
        left=_MARGIN,
        top=_TOP,
        board=(WIDTH - 2 * _MARGIN if wide else _SQUARE, round(tall)),
        size=(WIDTH, round(_TOP + tall + _MARGIN)),
    )
    return standalone(drawn, board.game, theme)


def _board(view: View) -> SimpleNamespace:
    """Return the values of a picture: those of a page that the templates of games use, and the picture's own texts."""
    game = view.game
    page = game.page if has_template(f"{game.name}/picture.html") else None
    result = _ending(view) if view.actor is None else None
    winners = result.winners if result else ()
    board = SimpleNamespace(
        game=game.name,
        title=game.title,
        seats=tuple(
            SimpleNamespace(
                seat=seat, name=who.name, bot=bot_in_words(who.bot), winner=seat in winners, active=seat == view.actor, about=()
            )
            for seat, who in enumerate(view.seats)
        ),
        viewer=None if view.viewer < 0 else view.viewer,
        n=view.next_number,
        picture=None if page is None else page.picture(view),
        own=None if page is None or view.viewer < 0 else page.own(view),
        result=result,
        prompt=f"{result.headline}: {result.how}" if result else view.prompt(),
        sketch=() if page else tuple(view.sketch().splitlines()[:_SKETCH_LINES]),
    )
    if page is not None:
        macros: Any = _template(f"{game.name}/page.html").module
        for player in board.seats:
            told = Markup(macros.about(board, player.seat)).striptags()  # noqa: S704 - the tags go
            player.about = wrap(told, _ABOUT_LETTERS)[:2]  # their standing, in lines
    return board


def _rendered(name: str, board: SimpleNamespace) -> Markup:
    return Markup(_template(name).render(page=board))  # noqa: S704 - a template escapes what it shows


def _ending(view: View) -> SimpleNamespace:
    """Return how a match ended."""
    payoffs = np.zeros(len(view.seats), np.float64)
    loops(view.game).score_one(view.states, payoffs)
    best, worst = payoffs.max(), payoffs.min()
    winners = tuple(np.flatnonzero(payoffs == best).tolist()) if best > max(worst, 0) or worst == best == 1 else ()
    headline = headline_for(view.names, Result(winners, tuple(payoffs.tolist()), reason=""))
    return SimpleNamespace(headline=headline, how=view.game.words.ending(view.state)[1], winners=winners)


def _template(name: str) -> Template:
    return environment().get_template(name)


def _found(match: re.Match[str] | None) -> re.Match[str]:
    if match is None:
        raise ValueError("the picture of a game must be an <svg> with a viewBox of four numbers")
    return match
