"""The page of a game that has none of its own: its text sketch, or else the fields of its state, and a button for each action.

Its templates are in ``templates/any_game/``, its styles in ``static/css/any_game.css``. Whatever a game supplies itself, such as
``tile.html``, takes the place of these.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from meadhall.engine.game import Game, GamePage
from meadhall.engine.interface import own_words
from meadhall.engine.match.view import View
from meadhall.engine.registry import game, game_names
from meadhall.engine.state.schema import Field, fields_of

_TEMPLATES = Path(__file__).parent / "templates" / "any_game"
_NARROWEST, _WIDEST, _STEP = 20, 120, 10
_FEW_ACTIONS = 12
"""The largest number of actions of which a page also shows those that are not legal, with the reasons of the game's words."""


@dataclass(frozen=True)
class Picture:
    """What one viewer sees of the board.

    Attributes:
        sketch: the game's sketch; "" if the game has none.
        columns: the width of the sketch in letters, rounded up to the next class of the styles.
        fields: without a sketch, the fields of the concealed state.
    """

    sketch: str
    columns: int
    fields: tuple[Field, ...]


def picture(view: View) -> Picture:
    """Return the board as the viewer may know it."""
    if not hasattr(own_words(view.game.words), "sketch"):
        return Picture("", _NARROWEST, fields_of(view.states, len(view.seats), view.game.max_players))
    sketch = view.sketch()
    widest = max(map(len, sketch.splitlines()), default=0)
    return Picture(sketch, min(max(_NARROWEST, -(-widest // _STEP) * _STEP), _WIDEST), ())


def offered(view: View) -> Iterable[int]:
    """Return all actions of a small game whose words explain refusals; the legal ones of other games."""
    explains = hasattr(own_words(view.game.words), "refusal")
    return range(view.game.actions) if explains and view.game.actions <= _FEW_ACTIONS else view.legal


class AnyGamePage:
    """The functions of this page, as a game's page module has them."""

    picture = staticmethod(picture)
    own = staticmethod(picture)  # the board as the seat may know it covers the board that all viewers see
    offered = staticmethod(offered)


ANY_GAME_PAGE: GamePage = AnyGamePage()


@cache
def page_of(subject: Game) -> GamePage:
    """Return the functions behind a game's page: its own if it has a template for them, otherwise those of this page."""
    path = subject.file("page.html")
    return subject.page if subject.page is not None and path is not None and path.is_file() else ANY_GAME_PAGE


def any_game_template(name: str) -> tuple[str, str, None] | None:
    """Load the template that stands in for ``GAME/page.html`` or another file that a game lacks; None if nothing does."""
    owner, slash, rest = name.partition("/")
    path = _TEMPLATES / rest if slash and owner in game_names() else None
    return (path.read_text("utf-8"), str(path), None) if path is not None and path.is_file() else None


def uses_any_game_page(name: str) -> bool:
    """Return whether a game is shown by this page."""
    return page_of(game(name)) is ANY_GAME_PAGE
