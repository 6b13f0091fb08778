"""Choose whether the rules of this process are compiled or interpreted. The choice is fixed when the first rule is imported.

Compiled rules suit runs of millions of matches. Interpreted rules start at once, without a compiler in memory, and are fast
enough for matches that people watch. Results are bit-identical. Set ``MEADHALL_INTERPRET`` to ``1`` to interpret, to ``0`` to
compile.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from platformdirs import user_cache_path

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


def cache_root() -> Path:
    """Return the folder for machine code: ``MEADHALL_CACHE``, or the user's cache folder.

    A user without a home, such as the user of a service, has none. Then it is a folder in ``MEADHALL_DATA``, if that is set.
    """
    chosen, data, own = os.environ.get("MEADHALL_CACHE"), os.environ.get("MEADHALL_DATA"), user_cache_path("meadhall")
    if chosen:
        return Path(chosen)
    has_home = own.is_absolute() and (own.exists() or is_writable(own))
    return Path(data) / "cache" if data and not has_home else own


def is_writable(folder: Path) -> bool:
    """Return whether this user may write to a folder, or make it."""
    existing = next((each for each in (folder, *folder.parents) if each.exists()), None)
    return existing is not None and existing.is_dir() and os.access(existing, os.W_OK)
