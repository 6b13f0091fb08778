"""Whole halls: what is stored in them, and the commands that back them up, restore and move them."""

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
from meadhall.server.store.maintenance import run_offline, snapshot
from meadhall.server.store.models import Guest
from meadhall.server.store.store import Store
from meadhall.server.store.transfer import DatabaseSource, Tally


def tally(settings: Settings) -> Tally:
    """Return the digests of all tables but those that every running hall changes."""

    def read() -> Tally:
        found = Tally()
        with snapshot(settings.url) as connection:
            for batch in DatabaseSource.open(connection).batches():
                if batch.table not in ("counters", "health_checks", "processes", "pulse", "downtimes", "release"):
                    found.add(batch)
        return found

    return run_offline(read)


def command(settings: Settings, *arguments: str | Path) -> CompletedProcess[str]:
    """Run the command for the hall of these settings in another process."""
    environment = os.environ | {
        "MEADHALL_DATA": str(settings.data),
        "MEADHALL_DATABASE_URL": settings.database_url,
        "MEADHALL_LANG": "en",
    }
    return run(main, list(map(str, arguments)), environment=environment)


def run_command(settings: Settings, *arguments: str | Path) -> CompletedProcess[str]:
    """Run the command for the hall of these settings in this process: call it in a thread where an event loop runs."""
    environment = {"MEADHALL_DATA": str(settings.data), "MEADHALL_DATABASE_URL": settings.database_url, "MEADHALL_LANG": "en"}
    out, err = io.StringIO(), io.StringIO()
    already_chosen = patch("meadhall.cli.app.prefer_interpreted")  # whether rules are compiled, in this process
    with patch.dict(os.environ, environment), already_chosen, redirect_stdout(out), redirect_stderr(err):
        status = main([*map(str, arguments)])
    return CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def with_guests(settings: Settings, count: int) -> None:
    async def add() -> None:
        async with Store.open(settings) as store:
            for number in range(count):
                await store.save_guest(Guest(f"guest{number}", "Astrid", choices={"axxa": {"players": number}}))

    asyncio.run(add())
