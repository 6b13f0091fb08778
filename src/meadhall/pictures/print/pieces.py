"""The pieces of a game on paper, as its ``printed.html`` declares them.

The template calls ``piece`` for each of them, with a drawing of 0.1 mm a unit:

    {% call piece(_("Gold"), count=60, size=(18, 18), back=coin) %}<use href="#coin" width="180" height="180"/>{% endcall %}

It knows the ``options``, the number of ``players``, and the ``components`` that the game's page returns for these options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import ComponentsPage, Game
from meadhall.pictures.standalone import standalone
from meadhall.pictures.templates import environment, has_template


class BadPiece(MeadhallError):
    """The ``printed.html`` of a game declares a piece that can't be printed."""


@dataclass(frozen=True)
class Piece:
    """A piece, and how many of it there are.

    Attributes:
        name: in the current language.
        count: how many are printed.
        size: width and height in millimetres.
        front: a complete SVG document.
        back: another one, "" if the back stays blank.
    """

    name: str
    count: int
    size: tuple[float, float]
    front: str
    back: str = ""


def printed_pieces(game: Game, options: Mapping[str, Any], players: int) -> tuple[Piece, ...]:
    """Return the pieces of a game for a number of players, in the current language; none if the game declares none.

    Raises:
        BadPiece: a piece has no size or a negative count.
    """
    name = f"{game.name}/printed.html"
    if not has_template(name):
        return ()
    pieces: list[Piece] = []
    drawn = cache(lambda svg, size: drawing(game.name, svg, size))  # many pieces have the same back

    def piece(name: str, count: int = 1, *, size: tuple[float, float], back: str = "", caller: Callable[[], str]) -> str:
        if count < 0 or min(size) <= 0:
            raise BadPiece(f"{game.name}/printed.html: {name}: the count must not be negative, and the size must be positive")
        if count:
            pieces.append(Piece(str(name), count, size, drawn(caller(), size), back and drawn(back, size)))
        return ""

    components = game.page.components(options) if isinstance(game.page, ComponentsPage) else None
    environment().get_template(name).render(piece=piece, options=options, players=players, components=components)
    return tuple(pieces)


def drawing(game: str, drawn: str, size: tuple[float, float]) -> str:
    """Return what a template of a game has drawn, 0.1 mm a unit, as a complete SVG document in the colours of the light theme."""
    wide, high = (round(10 * length) for length in size)
    root = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">'
    return standalone(f"{root}{_signs(game)}{drawn}</svg>", game, "light")


@cache
def _signs(game: str) -> str:
    return environment().get_template("sprites.html").render(page={"game": game})
