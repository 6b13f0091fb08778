"""The CPU time of drawing a move for the pages of its players and of a spectator, in one process without sockets.

    .venv/bin/python benchmarks/drawing.py [CHECKOUT [CHECKOUT]] [--games axes-and-allies …] [--moves 100] [--rounds 5]

Plays random actions with interpreted rules, as a hall does. ``move`` is the time to check, apply and store an action, ``draw``
the time of all its frames and patches, ``api`` that of the events for programs in the same seats, for each move the fastest of
the rounds. ``texts`` is a digest of all frames: it stays the same as long as pages look the same. Two checkouts take turns, so
that both meet the same neighbours on a busy machine. Every checkout plays the same matches, half of them in German. With
``--profile`` each prints the functions that take most of the time to draw.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import hashlib
import json
import os
import pstats
import random
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from inspect import isawaitable
from itertools import count
from pathlib import Path
from typing import Any

HERE = Path(__file__)
PLAYERS = {"axes-and-allies": 4, "axxa": 2, "dungeon-allies": 4, "viking-axes": 4}
OPTIONS = {"axxa": {"mode": "versus"}, "viking-axes": {"variant": "strategic"}}
BASE = "http://hall.test"
PROFILE = "--profile"
IDS = random.Random()
"""What ids are drawn from, so that every run draws the same pages."""


# ------------------------------------------------------------------------------------------------------ in a process per checkout


async def measure() -> None:
    """Answer each line of the standard input, a game and a number of moves, by the times of the moves and the digest."""
    vars(secrets).update(token_bytes=IDS.randbytes, choice=IDS.choice)  # before the checkout imports them
    from meadhall.server.hall import hall as hall_module  # noqa: PLC0415 - of the checkout
    from meadhall.server.settings import Settings  # noqa: PLC0415
    from server.manual_time import ManualTime  # noqa: PLC0415
    from server.people import open_hall  # noqa: PLC0415
    from server.ready import ReadyAtOnce  # noqa: PLC0415

    vars(hall_module).update(Readiness=ReadyAtOnce)
    for line in sys.stdin:
        name, moves = line.split()
        profile = cProfile.Profile() if PROFILE in sys.argv else None
        with tempfile.TemporaryDirectory() as data:  # a new hall, in which no id has been used
            settings = Settings(data=Path(data), browser=False, bot_pause=0.0, requests_per_minute=0)
            async with open_hall(settings, time=ManualTime()) as hall:
                print(json.dumps(await played(hall, name, int(moves), profile)), flush=True)
        if profile:
            pstats.Stats(profile, stream=sys.stderr).sort_stats("cumulative").print_stats(60)


async def started(hall: Any, name: str, seed: bytes) -> tuple[Any, list[Any]]:
    """Start a match with this seed. Return the room, its players and a spectator."""
    from meadhall.engine.state import chance  # noqa: PLC0415
    from meadhall.server.store.models import Guest  # noqa: PLC0415

    vars(chance).update(new_seed=lambda: seed)
    IDS.seed(seed + name.encode())  # crests follow from the ids of guests
    people = [hall.person(f"10.0.3.{seat}") for seat in range(PLAYERS[name])]
    for person, called in zip(people, ("Astrid", "Björn", "Dagny", "Eirik"), strict=False):
        await person.ask("/settings", {"name": called})
    table = await people[0].open(name, players=len(people))
    await people[0].ask(f"/tables/{table}/options", OPTIONS.get(name, {}))
    for friend in people[1:]:
        await friend.ask(f"/tables/{table}/seats", {"set": "sit"})
    assert (await people[0].ask(f"/tables/{table}/start")).status_code == 200
    room = await hall.room(table)
    return room, [*(Guest(next(iter(row.guests)), row.name) for row in room.table.seats), Guest("x", "Spectator")]


async def act(room: Any, guest: Any, action: int) -> None:
    """Play an action, also with a checkout in which that was a method of the room, or asynchronous."""
    if hasattr(room, "act"):
        await room.act(guest, action)
    else:
        from meadhall.server.hall import move  # noqa: PLC0415

        acted = move.act(room, guest, action)
        if isawaitable(acted):
            await acted


def told_page() -> Callable[[Any], bytes]:
    """Return a function that returns the message with the next frame of a page, also with a checkout that sends patches."""
    try:
        from meadhall.server.pages.regions import message  # noqa: PLC0415
    except ImportError:
        from meadhall.server.pages.patches import SentFrame  # noqa: PLC0415

        sent = SentFrame()
        return lambda frame: bytes(sent.patch_to(frame.sections))
    shown = [None]

    def news(frame: Any) -> bytes:
        before, shown[0] = shown[0], frame
        return b"" if frame is before else bytes(message(before, frame))

    return news


async def played(hall: Any, name: str, moves: int, profile: cProfile.Profile | None = None) -> dict[str, Any]:
    """Play some moves. Return the seconds of each to apply, draw and tell it, the bytes of a page, the digest of all texts."""
    from meadhall.engine.text.language import speaking  # noqa: PLC0415
    from meadhall.server.pages import frames as module  # noqa: PLC0415
    from meadhall.server.web import links  # noqa: PLC0415

    try:
        from meadhall.server.routes.api_tables import TableEvents  # noqa: PLC0415
    except ImportError:  # of an older commit, whose programs are not measured
        TableEvents = None  # noqa: N806

    def told_to(guest: Any) -> list[Any]:
        return [] if TableEvents is None else [TableEvents(room, guest, outside, 0)]

    drawing = module.Frames()
    outside = links.Outside(BASE) if hasattr(links, "Outside") else BASE  # of an older commit
    draw, digest, clock, size = random.Random(name), hashlib.sha256(), time.thread_time, 0
    move, drawn, told = list[float](), list[float](), list[float]()
    for number in count():
        room, guests = await started(hall, name, bytes([number]) * 32)
        sent, programs = [told_page() for _ in guests], [each for guest in guests for each in told_to(guest)]
        with speaking(("en", "de")[number % 2]):
            for page, guest in zip(sent, guests, strict=True):  # a page that was loaded before the move
                page(drawing.frame(room, guest, outside))
            while len(move) < moves and not room.match.over:
                action = draw.choice(room.match.legal()).action
                begin = clock()
                await act(room, guests[room.match.actor], action)
                acted = clock()
                if profile:
                    profile.enable()
                frames = [drawing.frame(room, guest, outside) for guest in guests]
                patches = [page(frame) for page, frame in zip(sent, frames, strict=True)]
                if profile:
                    profile.disable()
                painted = clock()
                for program in programs:
                    list(program.news())
                move.append(acted - begin)
                drawn.append(painted - acted)
                told.append(clock() - painted)
                size += sum(map(len, patches))
                for frame in frames:
                    digest.update(frame.html.replace(room.table.id, "TABLE").encode())
        if len(move) == moves:
            return {
                "move": move,
                "draw": drawn,
                "api": told,
                "bytes": size / moves / len(guests),
                "texts": digest.hexdigest()[:8],
            }
    raise AssertionError


# --------------------------------------------------------------------------------------------------------------------- the turns


def process(checkout: Path) -> subprocess.Popen[str]:
    """Start a process that draws with the code of a checkout."""
    path = os.pathsep.join(map(str, (checkout / "src", checkout / "tests")))
    environment = os.environ | {"PYTHONPATH": path, "MEADHALL_INTERPRET": "1"}
    command = [sys.executable, str(HERE), "--answer", *([PROFILE] if PROFILE in sys.argv else [])]
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def asked(one: subprocess.Popen[str], name: str, moves: int) -> dict[str, Any]:
    """Let a process play and draw."""
    assert one.stdin
    assert one.stdout
    one.stdin.write(f"{name} {moves}\n")
    one.stdin.flush()
    answer: dict[str, Any] = json.loads(one.stdout.readline())
    return answer


def best(rounds: Sequence[dict[str, Any]], what: str) -> float:
    """Return the milliseconds of a move: the mean of the fastest times of each move."""
    fastest = list(map(min, zip(*(each[what] for each in rounds), strict=True)))
    return 1000 * sum(fastest) / len(fastest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", type=Path, default=[HERE.resolve().parents[1]])
    parser.add_argument("--games", nargs="+", choices=PLAYERS, default=list(PLAYERS))
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(PROFILE, action="store_true")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.answer:
        asyncio.run(measure())
        return
    processes = [process(checkout) for checkout in given.checkouts]
    for name in given.games:
        rounds = [[asked(each, name, given.moves) for each in processes] for _ in range(given.rounds + 1)][1:]  # one warms up
        for checkout, found in zip(given.checkouts, zip(*rounds, strict=True), strict=True):
            spent = "  ".join(f"{what} {best(found, what):6.2f} ms" for what in ("move", "draw", "api"))
            print(f"{name:16} {spent}  bytes a page {found[0]['bytes']:6.0f}  texts {found[0]['texts']}  {checkout}", flush=True)
    for each in processes:
        each.terminate()


if __name__ == "__main__":
    main()
