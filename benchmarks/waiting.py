"""What slow matches cost that wait for their deadlines: the scheduler, a move and a restart, without and with many of them.

    .venv/bin/python benchmarks/waiting.py [--matches 100000] [--rounds 5]

The columns are milliseconds of CPU time of this process.
``look`` is what the scheduler does when it looks for jobs and none is due, at most once a minute. ``move`` stores an entry and
moves the deadline of its match. ``beat`` notes that the process is alive, every five seconds. ``restart`` notes a downtime,
which moves all deadlines. The rounds of both variants alternate, and the medians are shown.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from meadhall.server.store.database import Db

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from meadhall.server.hall.uptime import CLOCK_JOB
from meadhall.server.ops.time import Time
from meadhall.server.settings import Settings
from meadhall.server.store import jobs, matches, uptime
from meadhall.server.store.models import Clock, Entry
from meadhall.server.store.store import Store
from server.rows import table_of

now = Time().now

TIMES = 200
"""How often each action is repeated in a round."""


def fill(store: Store, matches: int) -> None:
    """Let so many matches wait, each for another time in the next days."""
    soon = now() + timedelta(hours=1)

    def add(db: Db) -> None:
        for first in range(0, matches, 1000):
            rows: list[dict[str, Any]] = [
                {"id": f"j{k}", "kind": CLOCK_JOB, "key": f"t{k}", "due_at": soon + timedelta(seconds=k), "payload": "{}"}
                for k in range(first, min(first + 1000, matches))
            ]
            db.insert("jobs", *rows)

    store.transact(add)


def measured(work: Callable[[int], object], times: int = TIMES) -> float:
    """Return the CPU time of one call in milliseconds."""
    began = time.process_time()
    for k in range(times):
        work(k)
    return 1000 * (time.process_time() - began) / times


class Hall:
    """A store with one match under way, and perhaps many that wait."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.table = table_of("a1", status="running", clock=Clock("slow", 3 * 86400))
        self.entries = 0

    def look(self, _: int) -> None:
        self.store.transact(partial(jobs.due, at=self.store.time.now(), kinds=(CLOCK_JOB,), limit=8, running=()))

    def move(self, _: int) -> None:
        self.entries += 1
        put = partial(jobs.put, kind=CLOCK_JOB, key=self.table.id, due_at=now() + timedelta(days=3))
        with self.store.change() as db:
            matches.append(db, self.table.id, [Entry(self.entries, "action", 0, 1)])
            put(db)

    def beat(self, _: int) -> None:
        self.store.transact(partial(uptime.beat, gap=timedelta(minutes=1)))
        self.store.transact(uptime.last_downtime)

    def restart(self, _: int) -> None:
        self.store.transact(partial(jobs.postpone_all, kind=CLOCK_JOB, after=now(), by=timedelta(seconds=1)))

    def round(self) -> dict[str, float]:
        return {
            "look": measured(self.look),
            "move": measured(self.move),
            "beat": measured(self.beat),
            "restart": measured(self.restart, 1),
        }


@asynccontextmanager
async def hall(settings: Settings, matches: int) -> AsyncIterator[Hall]:
    async with Store.open(settings) as store:
        opened = Hall(store)
        store.add_table(opened.table)
        fill(store, matches)
        yield opened


async def compare(few: Settings, many: Settings, matches: int, rounds: int) -> None:
    async with hall(few, 0) as without, hall(many, matches) as with_them:
        found: dict[int, list[dict[str, float]]] = {0: [], matches: []}
        for _ in range(rounds):
            found[0].append(without.round())
            found[matches].append(with_them.round())
    for count, results in found.items():
        medians = [statistics.median(result[column] for result in results) for column in results[0]]
        print(f"{count:8,}" + "".join(f"{median:10.3f}" for median in medians), flush=True)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print(f"{'waiting':>8}" + "".join(f"{name:>10}" for name in ("look", "move", "beat", "restart")))
    with tempfile.TemporaryDirectory() as folder:
        files = [Settings(data=Path(folder) / name) for name in ("few", "many")]
        await compare(*files, arguments.matches, arguments.rounds)


if __name__ == "__main__":
    asyncio.run(main())
