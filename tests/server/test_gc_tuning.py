"""Garbage is found: the young soon, the old now and then. In a process of its own, as it changes how this one collects."""

from __future__ import annotations

import subprocess
import sys

_TOLD = """
import asyncio, gc, weakref
from meadhall.server.ops import gc_tuning as garbage

class Knot:
    def __init__(self):
        self.itself = self

def knots(count):
    return [weakref.ref(Knot()) for _ in range(count)]

async def main():
    before = gc.get_threshold()
    garbage.spare_what_is_loaded()
    async with garbage.collected_gently(every=0.01):
        kept = Knot()
        old = weakref.ref(kept)
        young = knots(10 * garbage.YOUNG)
        print(sum(ref() is not None for ref in young) <= 2 * garbage.YOUNG)
        del kept
        print(old() is not None)
        while old() is not None:
            await asyncio.sleep(0.01)
        print("found")
    print(gc.get_threshold() == before, gc.get_freeze_count())

asyncio.run(main())
"""


def test_young_garbage_is_found_at_once_and_the_rest_later_until_all_is_as_before() -> None:
    told = subprocess.run([sys.executable, "-c", _TOLD], capture_output=True, text=True, check=True, timeout=60).stdout
    assert told.split() == ["True", "True", "found", "True", "0"]
