"""Render SVG to PNG, with a font of our own for each weight. The rendering doesn't hold the GIL."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import resvg_py

_FONTS: Final = [str(path) for path in sorted((Path(__file__).parent / "fonts").glob("*.ttf"))]
OTHER_LETTERS: Final = re.compile("[^\x00-ɏʰ-˿Ḁ-ỿ -⃏℀-⅏←-⇿]")
"""Letters that our fonts lack. Looking for them in the fonts of the system takes longer."""


def png(svg: str, styles: str = "", width: int | None = None) -> bytes:
    """Return a picture as PNG.

    Args:
        svg: the picture, without ``<use>`` and without variables in its styles.
        styles: a style sheet for it.
        width: the width in pixels; by default that of the picture.
    """
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        style_sheet=styles,
        font_files=_FONTS,
        skip_system_fonts=OTHER_LETTERS.search(svg) is None,
        width=width,
    )
