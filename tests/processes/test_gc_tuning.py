"""Tuning of the garbage collector, in a separate process because it changes the collector of its process."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import asyncio, gc, weakref
from meadhall.server.ops import machine

class Cycle:
    def __init__(self):
        self.itself = self

def cycles(count):
    return [weakref.ref(Cycle()) for _ in range(count)]

async def main():
    before = gc.get_threshold()
    machine.freeze_loaded_objects()
    async with machine.tuned_gc(full_interval=0.01):
        kept = Cycle()
        old = weakref.ref(kept)
        young = cycles(10 * machine.YOUNG_THRESHOLD)
        print(sum(ref() is not None for ref in young) <= 2 * machine.YOUNG_THRESHOLD)
        del kept
        print(old() is not None)
        while old() is not None:
            await asyncio.sleep(0.01)
        print("collected")
    print(gc.get_threshold() == before, gc.get_freeze_count())

asyncio.run(main())
"""


def test_young_objects_are_collected_at_once_and_old_ones_later_and_the_settings_are_restored() -> None:
    output = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True, timeout=60).stdout
    assert output.split() == ["True", "True", "collected", "True", "0"]
