"""LRU cache whose limit is a number of bytes, so that a few large values can't fill the memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ByteCache(Generic[K, V]):
    """The values used last, as many as fit into ``limit`` bytes.

    Attributes:
        size: bytes of all values, as ``put`` was told.
    """

    def __init__(self, limit: int) -> None:
        self.size = 0
        self._limit = limit
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Return the value of a key, None if it is not in the cache."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value of about ``size`` bytes, its key included. Evict the least recently used values until all fit.

        A value larger than the limit is not kept.
        """
        self.discard(key)
        if size > self._limit:
            return
        self._values[key] = value, size
        self.size += size
        while self.size > self._limit:
            _, (_, freed) = self._values.popitem(last=False)
            self.size -= freed

    def discard(self, key: K) -> None:
        """Remove a key, if it is in the cache."""
        found = self._values.pop(key, None)
        if found is not None:
            self.size -= found[1]
