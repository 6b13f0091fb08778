"""Garbage is found: the young soon, the old now and then. In a process of its own, as it changes how this one collects."""

from __future__ import annotations

import subprocess
import sys

_TOLD = """
import asyncio, gc, weakref
from meadhall.server import garbage

class Knot:
    def __init__(self):
        self.itself = self

def knots(count):
    return [weakref.ref(Knot()) for _ in range(count)]

async def main():
    garbage.spare_what_is_loaded()
    kept = Knot()
    old = weakref.ref(kept)
    young = knots(10 * garbage.YOUNG)
    print(sum(ref() is not None for ref in young) <= 2 * garbage.YOUNG)
    del kept
    print(old() is not None)
    tidying = asyncio.create_task(garbage.collect_now_and_then(0.01))
    while old() is not None:
        await asyncio.sleep(0.01)
    tidying.cancel()
    print("found")

asyncio.run(main())
"""


def test_young_garbage_is_found_at_once_and_the_rest_later() -> None:
    told = subprocess.run([sys.executable, "-c", _TOLD], capture_output=True, text=True, check=True, timeout=60).stdout
    assert told.split() == ["True", "True", "found"]
