"""Cache locator for Numba: one folder, no matter where the source file is.

By default Numba uses a subfolder for each path of a source file, so it would compile the same rules again for a second copy, or
for a copy that was moved. The folders of ``rule.cache_folder`` are named by a hash of all source that the code depends on, so the
path adds nothing. Only Numba imports this module, by its name, because a process that interprets rules must not load Numba.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numba.core.caching import UserProvidedCacheLocator

from meadhall.engine.compile.rule import check_cache


class SameForAllCopies(UserProvidedCacheLocator):
    """Locate machine code in ``CACHE_DIR`` itself."""

    @classmethod
    def from_function(cls, function: Any, source: str) -> SameForAllCopies | None:
        """Return a locator, also of a folder that can't be written: the code that is there can be read."""
        return cls(function, source) if Path(source).exists() else None

    def ensure_cache_path(self) -> None:
        """Check that code that was just compiled can be stored. Raises NoCache: else every start would compile for minutes."""
        check_cache(Path(self.get_cache_path()))  # type: ignore[no-untyped-call]

    @classmethod
    def get_suitable_cache_subpath(cls, _source: str) -> str:
        """Return an empty subfolder for every source path."""
        return ""
