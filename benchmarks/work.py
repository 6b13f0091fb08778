"""The work of a move: Python calls that the hall makes for it, with five open pages or five streams of the API.

    MEADHALL_INTERPRET=1 .venv/bin/python benchmarks/work.py [--keep] [--profile 40] [GAME [STREAMS]]

Each game is played at two tables of four players and a spectator: browsers with a page at the first, programs at the second.
Requests go through the whole server, from the bytes of a connection to the bytes of the answer and of all streams, but without
sockets. Every run plays the same matches, so it makes the same calls, but for a few that depend on the order of sets.
``tests/server/test_work.py`` compares them with those in ``work.json``, which ``--keep`` writes anew.

Calls of functions in ``src`` and in installed packages count, also each time that a coroutine or a generator goes on. Those of
the standard library and comprehensions don't, because they depend on the version of Python. ``--profile`` prints the functions
that are called most.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import secrets
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import hall_load
import uvicorn
from uvicorn.server import ServerState

from meadhall.engine.registry import installed_games
from meadhall.engine.state import chance as chance_module
from meadhall.server.hall import hall as hall_module
from meadhall.server.settings import Settings
from meadhall.server.web.connections import Connection, Connections

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from server.manual_time import ManualTime, settled
from server.people import OpenHall, open_hall
from server.ready import ReadyAtOnce

KEPT = Path(__file__).with_suffix(".json")
PLAYERS = 4
WARM_UP, MOVES = 4, 8
"""Moves before the counted ones, and the counted ones. The count is that of one move on average."""

_COMPREHENSIONS = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>"})


class _Calls:
    """Counts calls while it is entered."""

    def __init__(self) -> None:
        self.counts: Counter[CodeType] = Counter()

    def __enter__(self) -> None:
        counts = self.counts

        def count(frame: FrameType, event: str, _: object) -> None:
            if event == "call":
                counts[frame.f_code] += 1

        sys.setprofile(count)

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def by_function(self) -> Counter[str]:
        """Return the calls that count by file and function."""
        found: Counter[str] = Counter()
        for code, number in self.counts.items():
            file = code.co_filename.replace("\\", "/")
            place = next((part for mark in ("/src/meadhall/", "/site-packages/") for part in file.split(mark)[1:]), "")
            if place and code.co_name not in _COMPREHENSIONS:
                found[f"{place}:{code.co_name}"] += number
        return found


class _Wire(asyncio.Transport):
    """A connection without a socket: its client reads what the hall writes."""

    def __init__(self) -> None:
        super().__init__({"peername": (hall_load.HOST, 5000), "sockname": (hall_load.HOST, 8000)})
        self.reader = asyncio.StreamReader(limit=1 << 20)

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        self.reader.feed_data(bytes(data))

    def is_closing(self) -> bool:
        return False

    def close(self) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class _Sender:
    """Writes the bytes of a client to a connection of the hall."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def write(self, data: bytes) -> None:
        asyncio.get_running_loop().call_soon(self._connection.data_received, data)

    def close(self) -> None:
        asyncio.get_running_loop().call_soon(self._connection.connection_lost, None)


def serve(hall: OpenHall, settings: Settings) -> None:
    """Let the clients of ``hall_load`` connect to a hall in this process."""
    connections = Connections(settings.connections_per_client, 1000, settings.proxies)
    app: Any = hall.app
    config = uvicorn.Config(app, log_config=None, access_log=False, server_header=False, proxy_headers=False)
    config.load()
    accept = partial(connections.accept, config=config, server_state=ServerState(), app_state={})

    async def open_connection(*_: object, **__: object) -> tuple[asyncio.StreamReader, _Sender]:
        connection, wire = accept(), _Wire()
        connection.connection_made(wire)
        return wire.reader, _Sender(connection)

    vars(hall_load.asyncio).update(open_connection=open_connection)


async def counted(game: str, streams: str, calls: _Calls) -> int:
    """Return the calls of a move at a table of this game with such streams."""
    people = [hall_load.PEOPLE[streams](8000, "zstd") for _ in range(PLAYERS + 1)]
    for person in people:
        await person.arrive()
    table, chance = hall_load.Table(game, people), random.Random(game)
    await table.begin()
    for number in range(WARM_UP + MOVES):
        if number == WARM_UP:
            calls.counts.clear()
        await settled()
        with calls:
            await table.move(chance)
            await settled()
    assert table.matches == 1, "a match has ended, and the counted moves would be those of another one"
    await table.close()
    return round(calls.by_function().total() / MOVES)


async def main(given: argparse.Namespace) -> None:
    vars(hall_module).update(Readiness=ReadyAtOnce)
    vars(secrets).update(token_bytes=random.Random(46).randbytes)  # of ids and keys
    vars(chance_module).update(new_seed=lambda: bytes(chance_module.SEED_BYTES))  # also if there are more ids than before
    calls, found = _Calls(), dict[str, dict[str, int]]()
    with tempfile.TemporaryDirectory() as data:
        settings = Settings(data=Path(data), browser=False, requests_per_minute=10**6)
        async with open_hall(settings, time=ManualTime()) as hall:
            gc.disable()
            serve(hall, settings)
            for game in [given.game] if given.game else installed_games():
                for streams in [given.streams] if given.streams else hall_load.PEOPLE:
                    found.setdefault(game, {})[streams] = await counted(game, streams, calls)
                    for name, number in calls.by_function().most_common(given.profile):
                        print(f"{number / MOVES:8.1f} {name}", file=sys.stderr)
    text = json.dumps(found, indent=2) + "\n"
    print(text, end="")
    if given.keep:
        KEPT.write_text(text, "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", help="count for this game only")
    parser.add_argument("streams", nargs="?", choices=hall_load.PEOPLE, help="count for these streams only")
    parser.add_argument("--keep", action="store_true", help=f"write {KEPT.name}")
    parser.add_argument("--profile", type=int, default=0, help="number of functions to print")
    asyncio.run(main(parser.parse_args()))
