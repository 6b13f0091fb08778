"""The benchmark of a hall under load: its people read the pages and the streams of every game."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from meadhall.engine.registry import installed_games

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "hall.py"


@pytest.mark.slow("starts two halls")
async def test_people_and_programs_of_the_benchmark_play_every_game() -> None:
    short = ("--bots", "0", "--tables", "2", "--rates", "40", "--seconds", "1")
    games = installed_games()
    given = ("--game", ",".join(games), "--streams", "pages,api", *short)
    running = await asyncio.create_subprocess_exec(sys.executable, BENCHMARK, *given, stdout=asyncio.subprocess.PIPE)
    rows = [line.split() for line in (await running.communicate())[0].decode().splitlines()]
    assert running.returncode == 0
    measured = {(row[0], row[1]) for row in rows if row[0] in games}
    assert measured == {(game, streams) for game in games for streams in ("pages", "api")}
