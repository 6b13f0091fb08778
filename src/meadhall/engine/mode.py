"""Whether the rules of this process are compiled or interpreted, which is settled when the first rule is read.

Compiled rules play a million matches; interpreted ones start at once, without a compiler in memory, and play one match after the
other as fast as people look at them. Both give the same, bit by bit. ``MEADHALL_INTERPRET`` chooses: ``1`` or ``0``.
"""

from __future__ import annotations

import os
import sys

_asked_for = os.environ.get("MEADHALL_INTERPRET", "")
interpreted = _asked_for not in ("", "0")


def prefer_interpreted() -> None:
    """Interpret rules, unless the environment says what to do. Called before any rule is read."""
    global interpreted  # noqa: PLW0603 - settled once, before anybody asks
    assert "meadhall.engine.rule" not in sys.modules, "rules have been read already"
    interpreted = interpreted or _asked_for == ""
