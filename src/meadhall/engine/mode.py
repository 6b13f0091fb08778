"""Choose whether the rules of this process are compiled or interpreted. The choice is fixed when the first rule is imported.

Compiled rules are for millions of matches. Interpreted rules start at once, without a compiler in memory, and are fast enough for
matches that people watch. Results are bit-identical. ``MEADHALL_INTERPRET`` chooses: ``1`` or ``0``.
"""

from __future__ import annotations

import os
import sys

_asked_for = os.environ.get("MEADHALL_INTERPRET", "")
interpreted = _asked_for not in ("", "0")


def prefer_interpreted() -> None:
    """Interpret rules unless ``MEADHALL_INTERPRET`` is set. Must be called before the first rule is imported."""
    global interpreted  # noqa: PLW0603 - set once, before the first import of a rule reads it
    assert "meadhall.engine.rule" not in sys.modules, "rules have been imported already"
    interpreted = interpreted or _asked_for == ""
