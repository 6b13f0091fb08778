"""Write docs/library/observations.md, the fields of every game's observations, from the games' schemas.

    .venv/bin/python tools/observations_page.py [--check]

The meaning of a field is the comment on it in the schema. ``--check`` writes nothing and fails when the page on disk differs:
names, order, types and shapes of observations must not change unnoticed.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import meadhall
from meadhall.engine.state.schema import GameState
from meadhall.envs import layout
from meadhall.envs.observation import VIEWER

PAGE = Path(__file__).parent.parent / "docs" / "library" / "observations.md"
FIELD = re.compile(r"^    (?P<name>\w+): .*?(?:  # (?P<meaning>.*))?$", re.MULTILINE)

HEAD = """# Observations by game

The fields of observations, see [Learning environments](environments.md). This page is generated from the schemas of the games
by `tools/observations_page.py`. *Cells* is a field's place in a flat observation. In Python, `meadhall.envs.layout(game).fields`
has the same.
"""


def meanings(state: type[GameState]) -> dict[str, str]:
    """Return the comments on the fields of a state."""
    own = {VIEWER: "the seat that observes; -1: a spectator"}
    for source in (GameState, state):
        for found in FIELD.finditer(inspect.getsource(source)):
            own.setdefault(found["name"], found["meaning"] or "")
    return own


def page() -> Iterator[str]:
    yield HEAD
    for game in map(meadhall.game, meadhall.game_names()):
        known, told = layout(game), meanings(game.state)
        yield f"## {game.title}\n"
        yield f"{known.size:,} cells, `{known.flat_dtype}` if flat; {game.actions:,} actions.\n"
        yield "| field | type | shape | cells | |\n| --- | --- | --- | --: | --- |"
        for field in known.fields:
            shape = " × ".join(map(str, field.shape))
            cells = (
                f"{field.cells.start}"
                if field.cells.stop - field.cells.start == 1
                else f"{field.cells.start}–{field.cells.stop - 1}"
            )
            yield f"| `{field.name}` | `{field.dtype}` | {shape} | {cells} | {told.get(field.name, '').replace('|', '/')} |"
        yield ""


if __name__ == "__main__":
    text = "\n".join(page())
    if "--check" not in sys.argv:
        PAGE.write_text(text, "utf-8")
    elif not PAGE.exists() or PAGE.read_text("utf-8") != text:
        sys.exit(f"{PAGE.name} is not what tools/observations_page.py writes: observations have changed")
