"""Whole halls: what is stored in them, and the commands that back them up, restore and move them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

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
                if batch.table not in ("counters", "health_checks", "processes", "pulse", "downtimes"):
                    found.add(batch)
        return found

    return run_offline(read)


def command(settings: Settings, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the real command for the hall of these settings."""
    environment = os.environ | {
        "MEADHALL_DATA": str(settings.data),
        "MEADHALL_DATABASE_URL": settings.database_url,
        "MEADHALL_LANG": "en",
    }
    run = [sys.executable, "-m", "meadhall.cli", *map(str, arguments)]
    return subprocess.run(run, env=environment, capture_output=True, text=True, timeout=120, check=False)


def with_guests(settings: Settings, count: int) -> None:
    async def add() -> None:
        async with Store.open(settings) as store:
            for number in range(count):
                await store.save_guest(Guest(f"guest{number}", "Astrid", choices={"axxa": {"players": number}}))

    asyncio.run(add())
