"""Limits on memory: caches that are bounded by bytes."""

from __future__ import annotations

from meadhall.server.ops.byte_cache import ByteCache


def test_a_byte_cache_keeps_what_was_used_last() -> None:
    cache = ByteCache[str, int](100)
    for number, name in enumerate("abcd"):
        cache.put(name, number, 30)
    assert [cache.get(name) for name in "abcd"] == [None, 1, 2, 3]
    assert cache.get("b") == 1
    cache.put("e", 4, 30)
    assert [cache.get(name) for name in "bcde"] == [1, None, 3, 4]
    cache.put("d", 5, 10)
    assert (cache.get("d"), cache.size, len(cache)) == (5, 70, 3)


def test_a_byte_cache_does_not_keep_what_is_larger_than_all_of_it() -> None:
    cache = ByteCache[str, int](100)
    cache.put("a", 1, 100)
    cache.put("b", 2, 101)
    cache.put("a", 3, 101)
    assert (cache.get("a"), cache.get("b"), cache.size) == (None, None, 0)
