"""Write docs/reference/events.md, the kinds of events of every game with the names of their arguments.

    .venv/bin/python tools/events_page.py [--check]

``--check`` writes nothing and fails when the page on disk differs: names of events and arguments must not change unnoticed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import meadhall
from meadhall.engine.state.events import ARGUMENTS, EventKind

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "events.md"

HEAD = """# Events by game

What happens in a match is told by events. A [record](match-record.md) lists the name of an event, then its arguments. Each
argument has a name, too: `event.card` in Python, `event.to_dict()` as JSON-able data, and `events` of `GET /api/v1/games`.
`meadhall.events_of(record)` yields the events of a record with these names. A name after `*` stands for all further arguments.
Seats count from 0. This page is written by `tools/events_page.py`.
"""


def row(kind: EventKind) -> str:
    """Return the row of a kind of event."""
    names = ", ".join(f"`{name}`" for name in kind.fields)
    words = [f"*{name.lstrip('*')}*" for name in kind.fields]
    text = kind.text.format(*words, *words[-1:] * ARGUMENTS)
    return f"| `{kind.name}` | {names} | {text} | {kind.rule} |"


def page() -> Iterator[str]:
    """Yield the lines of the page."""
    yield HEAD
    for game in map(meadhall.game, meadhall.game_names()):
        yield f"## {game.title}\n\n| event | arguments | | rule |\n| --- | --- | --- | --- |"
        yield from map(row, game.events.values())
        yield ""


if __name__ == "__main__":
    written = "\n".join(page())
    if "--check" not in sys.argv:
        PAGE.write_text(written, "utf-8")
    elif not PAGE.exists() or PAGE.read_text("utf-8") != written:
        sys.exit(f"{PAGE.name} is not what tools/events_page.py writes: events have changed")
