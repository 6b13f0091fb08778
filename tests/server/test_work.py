"""The ledger of work: a move takes no more calls than ``benchmarks/work.json`` says.

After a gain write it anew: ``MEADHALL_INTERPRET=1 .venv/bin/python benchmarks/work.py --keep``. If a change needs more, its
commit says why.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

WORK = Path(__file__).parents[2] / "benchmarks" / "work.py"
TOLERATED = 1.03


@pytest.mark.slow("plays in a separate process, where no other test has filled a cache")
async def test_a_move_takes_no_more_calls_than_the_ledger_says() -> None:
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        WORK,
        env=os.environ | {"MEADHALL_INTERPRET": "1"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await running.communicate()
    assert running.returncode == 0, errors.decode()
    kept, found = json.loads(WORK.with_suffix(".json").read_text("utf-8")), json.loads(output)
    assert kept.keys() == found.keys()
    above = {
        (game, streams): (calls, kept[game][streams])
        for game, by_streams in found.items()
        for streams, calls in by_streams.items()
        if calls > TOLERATED * kept[game][streams]
    }
    assert not above, "more calls than are kept"
