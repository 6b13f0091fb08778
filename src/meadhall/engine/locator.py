"""Cache locator for Numba: one folder, no matter where the source file is.

By default Numba uses a subfolder for each path of a source file, so it would compile the same rules again for a second copy, or
for a copy that was moved. The folders of ``rule.cache_folder`` are named by a hash of all source that the code depends on, so the
path adds nothing. Only Numba imports this module, by its name, because a process that interprets rules must not load Numba.
"""

from __future__ import annotations

from numba.core.caching import UserProvidedCacheLocator


class SameForAllCopies(UserProvidedCacheLocator):
    """Locate machine code in ``CACHE_DIR`` itself."""

    @classmethod
    def get_suitable_cache_subpath(cls, _source: str) -> str:
        """Return an empty subfolder for every source path."""
        return ""
