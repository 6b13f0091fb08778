"""Drawings of templates as complete SVG documents: with their signs, colours and styles, without references."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from typing import Final

from meadhall.pictures.flat_css import FlatStyles, Theme, flattened
from meadhall.pictures.flat_svg import without_uses
from meadhall.pictures.templates import STATIC, game_style_files

_CLASSES: Final = re.compile(r'class="([^"]*)"')
_SELECTED: Final = re.compile(r"\.([\w-]+)")


def standalone(drawn: str, game: str, theme: Theme) -> str:
    """Return an SVG that a game's templates have drawn, with the values of its variables and the rules that it uses."""
    styles = _styles(game, theme)
    flat = without_uses(styles.written_out(drawn))
    return flat.replace(">", f"><style>{escape(_used(styles.sheet, flat))}</style>", 1)


@cache
def _styles(game: str, theme: Theme) -> FlatStyles:
    sheets = [STATIC / "css" / "tokens.css", STATIC / "css" / "art.css", *game_style_files(game), STATIC / "css" / "board.css"]
    return flattened((path.read_text("utf-8") for path in sheets), theme)


def _used(sheet: str, drawn: str) -> str:
    """Return the rules of a style sheet whose classes occur in a picture."""
    classes = {name for names in _CLASSES.findall(drawn) for name in names.split()}
    rules = (rule for rule in sheet.splitlines() if ":" not in rule.partition("{")[0])
    return "\n".join(rule for rule in rules if classes.issuperset(_SELECTED.findall(rule.partition("{")[0])))
