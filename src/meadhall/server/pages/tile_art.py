"""The picture of a game's tile as an SVG file. Browsers keep it, so the hall's page is sent without it."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from functools import cache

from meadhall.pictures.flat import without_uses
from meadhall.pictures.templates import has_template
from meadhall.server.pages.picture import styles
from meadhall.server.pages.templates import STATIC, template
from meadhall.server.web.links import link

_SYMBOLS = re.compile(r"<symbol\b.*?</symbol>", re.DOTALL)


def tile_art(game: str) -> str:
    """Return the address of the picture of a game's tile, which contains a digest; "" for a game without one."""
    return link(f"/tiles/{game}.svg?v={_digest(game)}") if has_template(f"{game}/tile.html") else ""


@cache
def tile_svg(game: str) -> str:
    """Return the picture of a game's tile as SVG, with its styles and its font: an image loads nothing else."""
    drawn = styles(game).written_out(template("tile.html").render(game=game))
    font = b64encode((STATIC / "fonts" / "grenze-latin-600-normal.woff2").read_bytes()).decode() if "<text" in drawn else ""
    face = f'@font-face{{font-family:"Grenze";font-weight:600;src:url(data:font/woff2;base64,{font})}}' if font else ""
    return _SYMBOLS.sub("", without_uses(drawn)).replace("<style />", f"<style>{face}{styles(game).sheet}</style>", 1)


@cache
def _digest(game: str) -> str:
    return hashlib.sha256(tile_svg(game).encode()).hexdigest()[:12]
