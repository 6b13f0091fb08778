"""Where Numba looks for machine code: in the folder that it is told, wherever the source lies.

By itself Numba has a folder for each path of a source file, so a second copy of the same rules, or one that was moved, would be
compiled anew. Our folders are named by a hash of all source that the code depends on (``rule.cache_folder``): that is enough.
Read by Numba alone, by its name, as it is not to be imported where rules are interpreted.
"""

from __future__ import annotations

from numba.core.caching import UserProvidedCacheLocator


class SameForAllCopies(UserProvidedCacheLocator):
    """The folder ``CACHE_DIR`` itself."""

    @classmethod
    def get_suitable_cache_subpath(cls, _source: str) -> str:
        """Nothing that depends on where the source lies."""
        return ""
