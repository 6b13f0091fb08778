"""A bot for tests of a cluster: it notes the node that asks it, and its first decision lasts until its node dies."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event

from meadhall.engine.match.view import View


def choose(view: View) -> int:
    """Return the first legal action."""
    notes = Path(os.environ["MEADHALL_TEST_NOTES"])
    node = os.environ.get("MEADHALL_TEST_NODE", "here")
    first = not list(notes.iterdir())
    (notes / f"{len(list(notes.iterdir()))}-{node}").touch()
    if first:
        Event().wait()
    return int(view.legal[0])
