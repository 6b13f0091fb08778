"""Whole halls: what is stored in them, and the commands that back them up and restore them."""

from __future__ import annotations

import asyncio
import io
import os
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from forked import run
from meadhall.cli import main
from meadhall.server.settings import Settings
from meadhall.server.store.files import snapshot
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store

HALL_B48E365 = Path(__file__).parent / "databases" / "hall_b48e365.db.gz"
"""A data folder's file as commit b48e365 wrote it, the last one for several processes, over HTTP and until a kill.

Two programs have finished a match of each game and play another one, with slow clocks, and one with a bot. Ada has an account
with the same password, and plays Dungeon Allies with Björn: a clock, six actions, two lines of chat, and a draw that she offers.
Björn has begun the puzzle of the day, takes a holiday, and waits for a match of three. There is a lobby.
"""


def tally(settings: Settings) -> dict[str, int]:
    """Return a digest of each table but those that every running hall changes, whatever the order of its rows is."""
    with snapshot(settings.database) as db:
        return {
            name: hash(frozenset(map(tuple, db.rows(f"SELECT * FROM {name}"))))  # noqa: S608
            for name in db.values("SELECT name FROM sqlite_master WHERE type = 'table'")
            if name not in ("counters", "health_checks", "pulse", "downtimes", "release")
        }


def command(settings: Settings, *arguments: str | Path) -> CompletedProcess[str]:
    """Run the command for the hall of these settings in another process."""
    environment = os.environ | {
        "MEADHALL_DATA": str(settings.data),
        "MEADHALL_LANG": "en",
    }
    return run(main, list(map(str, arguments)), environment=environment)


def run_command(settings: Settings, *arguments: str | Path) -> CompletedProcess[str]:
    """Run the command for the hall of these settings in this process: call it in a thread where an event loop runs."""
    environment = {"MEADHALL_DATA": str(settings.data), "MEADHALL_LANG": "en"}
    out, err = io.StringIO(), io.StringIO()
    already_chosen = patch("meadhall.cli.app.prefer_interpreted")  # whether rules are compiled, in this process
    with patch.dict(os.environ, environment), already_chosen, redirect_stdout(out), redirect_stderr(err):
        status = main([*map(str, arguments)])
    return CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def with_guests(settings: Settings, count: int) -> None:
    async def add() -> None:
        async with Store.open(settings) as store:
            for number in range(count):
                store.save_guest(Guest(f"guest{number}", "Astrid", choices={"axxa": {"players": number}}))

    asyncio.run(add())
