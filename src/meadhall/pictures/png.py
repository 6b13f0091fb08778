"""Render SVG to PNG, with fonts of our own, and those of the system for other letters. The rendering doesn't hold the GIL."""

from __future__ import annotations

import logging
import re
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Final

import resvg_py

log = logging.getLogger(__name__)

_FONTS: Final = [str(path) for path in sorted((Path(__file__).parent / "fonts").glob("*.ttf"))]
OTHER_LETTERS: Final = re.compile(
    "[^\t\n\r -~\u00a0-\u00ac\u00ae-\u0148\u014a-\u017e"
    "\u2013\u2014\u2018-\u201a\u201c-\u201e\u2022\u2026\u2032\u2033\u20ac\u2122\u2212]"
)
"""Letters that one of our fonts may lack. Looking for them in the fonts of the system takes longer."""

_PACKAGES: Final = "fonts-dejavu-core fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji"
"""The packages of Debian with fonts for every script of Unicode, and for emoji."""

_LETTER: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><text y="24" font-family="Alegreya Sans">{}</text></svg>'
)


def png(svg: str, styles: str = "", width: int | None = None) -> bytes:
    """Return a picture as PNG. In place of letters that no font has it shows "?".

    Args:
        svg: the picture, without ``<use>`` and without variables in its styles.
        styles: a style sheet for it.
        width: the width in pixels; by default that of the picture.
    """
    return resvg_py.svg_to_bytes(
        svg_string=drawable(svg),
        style_sheet=styles,
        font_files=_FONTS,
        skip_system_fonts=OTHER_LETTERS.search(svg) is None,
        width=width,
    )


def drawable(text: str) -> str:
    """Return a text with "?" in place of the letters that no font has. They would be boxes, or keep those after them away.

    Letters of a kind are logged once.
    """
    lacking = [letter for letter in set(OTHER_LETTERS.findall(text)) if not has_font(letter)]
    for letter in lacking:
        _warn(unicodedata.name(letter, "unnamed").partition(" ")[0])
    return text.translate(dict.fromkeys(map(ord, lacking), "?"))


@lru_cache(maxsize=4096)
def has_font(letter: str) -> bool:
    """Return whether a font of ours, or of the system, has a letter. Marks belong to the letter before them."""
    return unicodedata.category(letter)[0] in "CMZ" or _drawn(letter) != _drawn("")


@lru_cache(maxsize=256)
def _warn(kind: str) -> None:
    log.warning("no font of this machine has the letters called %s; on Debian: apt-get install %s", kind, _PACKAGES)


def _drawn(letter: str) -> bytes:
    return resvg_py.svg_to_bytes(svg_string=_LETTER.format(letter), font_files=_FONTS)
