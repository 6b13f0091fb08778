"""Render SVG to PNG, with a font of our own for each weight. The rendering doesn't hold the GIL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import resvg_py


def png(svg: str, styles: str, fonts: Sequence[Path], *, system_fonts: bool = False) -> bytes:
    """Return a picture as PNG.

    Args:
        svg: the picture.
        styles: a style sheet for it.
        fonts: files of the fonts that it uses.
        system_fonts: whether to look for letters that these lack in the fonts of the system, which takes longer.
    """
    files = [str(path) for path in fonts]
    return resvg_py.svg_to_bytes(svg_string=svg, style_sheet=styles, font_files=files, skip_system_fonts=not system_fonts)
