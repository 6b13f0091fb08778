"""The pieces of a game on paper, and the sheets with pieces side by side, their cutting lines, and their backs in mirrored
columns.

The game's ``printed.html`` calls ``piece`` for each piece, with a drawing of 0.1 mm a unit:

    {% call piece(_("Gold"), count=60, size=(18, 18), back=coin) %}<use href="#coin" width="180" height="180"/>{% endcall %}

It knows the ``options``, the number of ``players``, and the ``components`` that the game's page returns for these options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any, Final, NamedTuple

from meadhall.engine.errors import MeadhallError
from meadhall.engine.game import ComponentsPage, Game
from meadhall.pictures.board import standalone
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


class Paper(NamedTuple):
    """A size of paper in millimetres, and the name that Typst has for it."""

    width: float
    height: float
    typst: str


PAPERS: Final = {"a4": Paper(210, 297, "a4"), "letter": Paper(215.9, 279.4, "us-letter")}

_MARGIN: Final = 6
"""The margin of sheets with pieces. Most printers leave it blank; only cutting lines end there."""


class Placed(NamedTuple):
    """A piece on a sheet, by its upper left corner in millimetres."""

    piece: Piece
    x: float
    y: float


@dataclass(frozen=True)
class Sheet:
    """A sheet of pieces of one size.

    Attributes:
        columns: the positions of the vertical cutting lines, in millimetres from the left.
        rows: the positions of the horizontal ones, from the top.
        front: the pieces on it.
        back: the same pieces where their backs lie when the sheet is turned around its long edge; none if all backs are blank.
    """

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    front: tuple[Placed, ...]
    back: tuple[Placed, ...]


def sheets(pieces: Iterable[Piece], paper: Paper) -> Iterator[Sheet]:
    """Yield sheets with all pieces. Neighbours of one size share sheets.

    Raises:
        BadPiece: a piece is larger than the paper.
    """
    for size, group in groupby(pieces, lambda piece: piece.size):
        each = [piece for piece in group for _copy in range(piece.count)]
        wide, high = size
        across, down = int((paper.width - 2 * _MARGIN) // wide), int((paper.height - 2 * _MARGIN) // high)
        if not across or not down:
            raise BadPiece(f"{each[0].name}: {wide:g} x {high:g} mm don't fit on {paper.typst}")
        for first in range(0, len(each), across * down):
            yield _sheet(each[first : first + across * down], across, paper)


def _sheet(pieces: Sequence[Piece], across: int, paper: Paper) -> Sheet:
    wide, high = pieces[0].size
    across = min(across, len(pieces))
    down = -(-len(pieces) // across)
    left, top = (paper.width - across * wide) / 2, (paper.height - down * high) / 2
    columns = tuple(left + wide * k for k in range(across + 1))
    rows = tuple(top + high * k for k in range(down + 1))
    front = tuple(Placed(piece, columns[k % across], rows[k // across]) for k, piece in enumerate(pieces))
    back = tuple(Placed(piece, paper.width - x - wide, y) for piece, x, y in front if piece.back)
    return Sheet(columns, rows, front, back)
