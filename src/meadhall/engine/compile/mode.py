"""Choose whether the rules of this process are compiled or interpreted. The choice is fixed when the first rule is imported.

Compiled rules suit runs of millions of matches. Interpreted rules start at once, without a compiler in memory, and are fast
enough for matches that people watch. Results are bit-identical. Set ``MEADHALL_INTERPRET`` to ``1`` to interpret, to ``0`` to
compile.
"""

from __future__ import annotations

import os
import sys

_setting = os.environ.get("MEADHALL_INTERPRET", "")
interpreted = _setting not in ("", "0")


checks_bounds = False
"""Whether compiled rules check every index, as in ``meadhall check``. Otherwise an index past the end is silent damage."""


def check_bounds() -> None:
    """Let compiled rules check every index. Must be called before the first rule is imported."""
    global checks_bounds  # noqa: PLW0603 - as below
    assert "meadhall.engine.compile.rule" not in sys.modules, "rules have already been imported"
    checks_bounds = True


def interpret() -> None:
    """Interpret rules, whatever ``MEADHALL_INTERPRET`` says. Must be called before the first rule is imported."""
    global interpreted  # noqa: PLW0603 - as below
    assert "meadhall.engine.compile.rule" not in sys.modules, "rules have already been imported"
    interpreted = True


def prefer_interpreted() -> None:
    """Interpret rules unless ``MEADHALL_INTERPRET`` is set. Must be called before the first rule is imported."""
    global interpreted  # noqa: PLW0603 - set once, before the first import of a rule reads it
    assert interpreted or "meadhall.engine.compile.rule" not in sys.modules, "rules have already been imported"
    interpreted = interpreted or _setting == ""
