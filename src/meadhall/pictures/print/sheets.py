"""Sheets of paper with pieces side by side, their cutting lines, and their backs in mirrored columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from meadhall.pictures.print.pieces import BadPiece, Piece


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
