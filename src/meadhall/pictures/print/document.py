"""The PDF of a game: instructions and a list of the pieces, the rulebook of its options, and the sheets of its pieces.

Each sheet is a page with its back behind it, and every part begins on a front, so that the file can be printed on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import typst

from meadhall.engine.game import Game
from meadhall.engine.rulebook import rulebook_text
from meadhall.engine.text.language import current_language, gettext as _, ngettext
from meadhall.pictures.png import OTHER_LETTERS, drawable
from meadhall.pictures.print.sheets import Paper, Piece, Placed, Sheet, drawing, sheets
from meadhall.pictures.print.typst_text import markdown, quoted, words

_FONTS: Final = Path(__file__).parent.parent / "fonts"
_MARGIN: Final = 16
_GUTTER: Final = 8
"""The margins of the pages with text, and the space between their columns, in millimetres."""

_BEYOND: Final = 4
"""How far cutting lines go beyond the pieces, in millimetres."""

_STYLE: Final = """
#set document(title: {title})
#set text(font: "Alegreya Sans", size: 10pt, weight: 500, lang: {language}, hyphenate: true, fill: rgb("#2a1d13"))
#set par(justify: false, leading: 0.55em, spacing: 0.8em)
#set list(body-indent: 1.5mm, spacing: 0.8em, marker: ([•], [–]))
#set table(stroke: (x, y) => if y > 0 {{ (top: 0.2mm + rgb("#cfbd9d")) }}, inset: (x: 2mm, y: 1.2mm))
#show heading: set text(font: "Grenze", weight: 600, fill: rgb("#a8371a"))
#show heading: set block(above: 1.2em, below: 0.7em)
#show heading.where(level: 1): set text(size: 26pt)
#show heading.where(level: 2): set text(size: 15pt)
#show emph: set text(fill: rgb("#1f5c80"))
#show emph: it => it.body
#show figure.caption: it => text(size: 8.5pt, fill: rgb("#5e4b39"), it.body)
#show figure: set block(above: 1.2em, below: 1.2em)
#set page(paper: {paper}, margin: {margin}mm, footer: context align(center, text(size: 8pt, counter(page).display())))
"""


def game_pdf(game: Game, options: Mapping[str, Any], players: int, paper: Paper, pieces: Sequence[Piece]) -> bytes:
    """Return a game as a PDF, in the current language: its rulebook for these checked options, and these pieces.

    The fonts are embedded, and all drawings are vectors. Letters that no font has are "?".

    Raises:
        BadPiece: a piece doesn't fit on the paper.
    """
    source = drawable("".join(_document(game, options, players, paper, pieces)))
    others = OTHER_LETTERS.search(source) is not None
    fonts = typst.Fonts(include_system_fonts=others, include_embedded_fonts=False, font_paths=[_FONTS])
    return typst.compile(source.encode(), font_paths=fonts)


def _document(game: Game, options: Mapping[str, Any], players: int, paper: Paper, pieces: Sequence[Piece]) -> Iterator[str]:
    pages = list(sheets(pieces, paper))
    drawn = (svg for piece in pieces for svg in (piece.front, piece.back) if svg)
    names = {svg: f"drawing-{number}" for number, svg in enumerate(dict.fromkeys(drawn))}
    yield _STYLE.format(title=quoted(game.title), language=quoted(current_language()), paper=quoted(paper.typst), margin=_MARGIN)
    yield from (f"#let {name} = bytes({quoted(svg)})\n" for svg, name in names.items())
    yield from _first_page(game, players, pieces)
    column = (paper.width - 2 * _MARGIN - _GUTTER) / 2
    rules = markdown(rulebook_text(game, options), game.name, lambda svg, size: _figure(game, svg, size, column))
    yield f"#pagebreak()\n#columns(2, gutter: {_GUTTER}mm)[{rules}]\n"
    for number, sheet in enumerate(pages, 1):
        if number == 1:
            yield '#pagebreak(to: "odd")\n#set page(margin: 0mm, footer: none)\n'
        title = _("{game}: sheet {number} of {all}").format(game=game.title, number=number, all=len(pages))
        yield _page(sheet.front, names, lines=_cutting_lines(sheet) + _note(title, paper))
        yield _page(sheet.back, names, backs=True)


def _first_page(game: Game, players: int, pieces: Sequence[Piece]) -> Iterator[str]:
    """Yield how to print the game, and the list of its pieces."""
    tagline = _(game.tagline) if game.tagline else ""
    yield f"#heading(level: 1)[{words(game.title)}]\n{words(tagline)}\n\n"
    if not pieces:
        yield words(_("This game declares no pieces to print. This is its rulebook."))
        return
    steps = (
        _("Print at 100 %, not fitted to the page. The line below is 100 mm long."),
        _("Print on both sides, turning the paper around its long edge. The sheets with the pieces come after the rulebook."),
        _("Use thick paper for the pieces, or glue the sheets on card."),
        _("Cut along the lines."),
    )
    heading = _("How to print it")
    yield f"#heading(level: 2)[{words(heading)}]\n#list({', '.join(f'[{words(step)}]' for step in steps)})\n"
    yield "#v(2mm)#line(length: 100mm, stroke: 0.4mm)\n"
    heading = ngettext("Pieces for {players} player", "Pieces for {players} players", players).format(players=players)
    yield f"#heading(level: 2)[{words(heading)}]\n#columns(2)[#table(columns: 3, align: (right, left, left), "
    for (name, size), alike in groupby(pieces, lambda piece: (piece.name, piece.size)):
        yield "[{} ×], [{}], text(size: 8pt)[{:g} × {:g} mm], ".format(sum(piece.count for piece in alike), words(name), *size)
    yield ")]\n"


def _figure(game: Game, svg: str, size: tuple[float, float], most: float) -> str:
    """Return a drawing in the rulebook, at most as wide as a column."""
    return f"#box(width: {min(size[0], most):g}mm, image(bytes({quoted(drawing(game.name, svg, size))}), width: 100%))"


def _page(placed: Iterable[Placed], names: Mapping[str, str], *, backs: bool = False, lines: str = "") -> str:
    """Return a page with the fronts or the backs of pieces."""
    drawn = ((each, each.piece.back if backs else each.piece.front) for each in placed)
    return f"#page[{''.join(_image(each, names[svg]) for each, svg in drawn)}{lines}]\n"


def _image(placed: Placed, name: str) -> str:
    wide, high = placed.piece.size
    image = f'image({name}, format: "svg", width: {wide:g}mm, height: {high:g}mm, alt: {quoted(placed.piece.name)})'
    return f"#place(dx: {placed.x:g}mm, dy: {placed.y:g}mm, {image})\n"


def _cutting_lines(sheet: Sheet) -> str:
    left, right, top, bottom = sheet.columns[0], sheet.columns[-1], sheet.rows[0], sheet.rows[-1]
    lines = [
        *((x, top - _BEYOND, x, bottom + _BEYOND) for x in sheet.columns),
        *((left - _BEYOND, y, right + _BEYOND, y) for y in sheet.rows),
    ]
    form = "#place(line(start: ({:g}mm, {:g}mm), end: ({:g}mm, {:g}mm), stroke: 0.1mm + gray))\n"
    return "".join(form.format(*line) for line in lines)


def _note(text: str, paper: Paper) -> str:
    return f"#place(dx: 10mm, dy: {paper.height - 5:g}mm, text(size: 7pt)[{words(text)}])\n"
