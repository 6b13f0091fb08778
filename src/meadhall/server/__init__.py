"""The hall: pages, live push, tables and store."""

from pathlib import Path

from meadhall.engine.language import add_catalogues

add_catalogues(Path(__file__).parent / "locale")
