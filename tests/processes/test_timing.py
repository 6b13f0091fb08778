"""The times and sizes that another seat sees tell nothing about hidden hands, while bots search in a process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence

import pytest
import pytest_asyncio

from meadhall.games.viking_axes.state import Phase
from meadhall.lab import warm
from meadhall.server.hall.room import Room
from meadhall.server.settings import Settings
from meadhall.server.worker.remote import WorkerProcess
from server.matches import match_of
from server.people import OpenHall, Program, open_hall, stream

pytestmark = [pytest.mark.asyncio, pytest.mark.long]


DECISIONS = 300


TABLES = 8


@pytest_asyncio.fixture
async def hall_with_worker(settings: Settings, at_once: None) -> AsyncIterator[OpenHall]:
    """Open a hall whose bots search in a process, as in operation."""
    warm(["viking-axes"], bulk=False)
    async with open_hall(settings, WorkerProcess()) as opened:
        yield opened


async def observed(hall: OpenHall, decisions: list[tuple[bool, tuple[float, ...]]]) -> None:
    """Play matches with hidden hands against bots until there are enough decisions.

    For each decision of a bot about its hand, append whether one card was legal, and what another seat saw: the seconds until
    the action, and the number and size of the messages meanwhile.
    """
    program = await hall.program()
    while len(decisions) < DECISIONS:
        table = await program.open(game="viking-axes", bots=["huscarl"] * 3, options={"variant": "strategic"})
        await played(program, await hall.room(table["id"]), decisions)


async def played(program: Program, room: Room, decisions: list[tuple[bool, tuple[float, ...]]]) -> None:
    """Play seat 0 until the match is over or there are enough decisions."""
    shown, since, messages, size = -1, 0.0, 0, 0
    async with stream(program, f"/api/v1/tables/{room.table.id}/events") as live:
        while len(decisions) < DECISIONS:
            name, data = await live.event()
            if name != "table" or data["view"] is None:
                continue
            count = data["view"]["next"] - 1
            if count == shown:
                messages, size = messages + 1, size + len(str(data))
                continue
            step = match_of(room).steps[count - 1] if count > shown >= 0 else None
            if step is not None and step.seat != 0 and step.before["phase"][0] == Phase.HAND:
                decisions.append((step.legal == 1, (time.monotonic() - since, messages, size)))
            shown, since, messages, size = count, time.monotonic(), 0, 0
            if data["view"]["actor"] is None:
                return
            if data["view"]["legal"]:
                await program.act(room.table.id, data["view"]["legal"][0]["action"], count + 1)


def accuracy(cases: Sequence[tuple[bool, tuple[float, ...]]], feature: int) -> float:
    """Return the accuracy of a threshold on a feature. Each half of the cases is judged by the best one for the other half."""
    right = 0
    for learnt, judged in ((cases[::2], cases[1::2]), (cases[1::2], cases[::2])):
        thresholds = [-1.0, *sorted({seen[feature] for _, seen in learnt})]

        def score(rule: tuple[float, bool], among: Sequence[tuple[bool, tuple[float, ...]]]) -> int:
            threshold, below = rule
            return sum(((seen[feature] <= threshold) == below) == label for label, seen in among)

        best = max(((t, below) for t in thresholds for below in (True, False)), key=lambda rule: score(rule, learnt))
        right += score(best, judged)
    return right / len(cases)


async def test_another_seat_cant_tell_from_times_and_messages_whether_a_bot_had_a_choice(hall_with_worker: OpenHall) -> None:
    decisions: list[tuple[bool, tuple[float, ...]]] = []
    await asyncio.gather(*(observed(hall_with_worker, decisions) for _ in range(TABLES)))
    forced = sum(label for label, _ in decisions) / len(decisions)
    assert 0.02 < forced < 0.98, "there must be something to tell apart"
    for feature in range(3):
        assert accuracy(decisions, feature) <= max(forced, 1 - forced) + 0.03, feature
