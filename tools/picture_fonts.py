"""Make the fonts of pictures, from the hall's web fonts. Run it when those change, with fontTools.

uv run --with fonttools --with brotli tools/picture_fonts.py
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from fontTools.merge import Merger
from fontTools.ttLib import TTFont

SOURCE = Path(__file__).parents[1] / "src" / "meadhall"
FONTS = (("grenze", "Grenze", 600), ("alegreya-sans", "Alegreya Sans", 500), ("alegreya-sans", "Alegreya Sans", 700))

for name, family, weight in FONTS:
    with TemporaryDirectory() as folder:
        parts = []
        for letters in ("latin", "latin-ext"):
            font = TTFont(SOURCE / "server" / "static" / "fonts" / f"{name}-{letters}-{weight}-normal.woff2")
            font.flavor = None
            parts.append(f"{folder}/{letters}.ttf")
            font.save(parts[-1])
        merged = Merger().merge(parts)
    for record in merged["name"].names:
        if record.nameID in (1, 16):
            record.string = family
    merged["OS/2"].usWeightClass = weight
    merged.save(SOURCE / "pictures" / "fonts" / f"{name}-{weight}.ttf")
