"""Pictures of matches without a browser: the templates of pages, drawn as SVG and rendered to PNG by resvg.

The server draws its pages with the same templates, signs and colours.
"""

from pathlib import Path

from meadhall.engine.text.language import add_catalogues
from meadhall.pictures.board import WIDTH, svg
from meadhall.pictures.flat import Theme
from meadhall.pictures.png import png

add_catalogues(Path(__file__).parent / "locale")

__all__ = ["WIDTH", "Theme", "png", "svg"]
