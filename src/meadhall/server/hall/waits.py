"""A wait: a table of a quick match starts when all its seats are taken, or when its time is up, with bots on the empty seats.

A job of the scheduler ends the wait, so it survives a restart. Players who have left meanwhile lose their seats. If none is
here, the hall looks a few more times, and then closes the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from meadhall.engine.errors import MeadhallError
from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import WrongMoment
from meadhall.server.hall import match_changes
from meadhall.server.hall.lobby_changes import bot_seat, emptied, names_at
from meadhall.server.hall.services import TableRoom
from meadhall.server.hall.state import TableState, Wait
from meadhall.server.store import jobs
from meadhall.server.store.database import Db
from meadhall.server.store.jobs import Job
from meadhall.server.store.models import SeatRow, TableRow

JOB: Final = "wait"
"""The kind of the jobs that end waits. Their key is the id of the table."""

_WITHOUT_BOTS: Final = timedelta(minutes=10)
"""How often the hall looks whether a player is still here, at a table where bots never take the empty seats."""

_LOOKS: Final = 9
"""How often the hall looks for a player again when time is up, before it closes the table: after a restart pages come back."""

_LOOK_AGAIN: Final = timedelta(seconds=10)


def wait_at(db: Db, table: str) -> Wait | None:
    """Return the wait that is stored for a table; None without one."""
    payload = jobs.payload_of(db, JOB, table)
    if payload is None:
        return None
    until = payload["until"]
    return Wait(payload["seconds"], None if until is None else datetime.fromisoformat(until), payload["bot"])


def let_wait(draft: TableState, seconds: int | None, bot: str) -> None:
    """Let a table wait before its match. After ``seconds`` bots of a level take the empty seats; None: never."""
    draft.check_gathering()
    until = None if seconds is None else draft.at + timedelta(seconds=seconds)
    draft.wait = Wait(seconds, until, bot)
    payload = {"seconds": seconds, "until": None if until is None else until.isoformat(), "bot": bot}
    due_at = draft.at + _WITHOUT_BOTS if until is None else until
    draft.effects += (partial(jobs.put, kind=JOB, key=draft.table.id, due_at=due_at, payload=payload),)


def change_wait(draft: TableState, seconds: int | None) -> None:
    """Let the wait of a table begin anew. Raises WrongMoment."""
    if draft.wait is None:
        raise WrongMoment(_("At this table you start the match yourself."))
    let_wait(draft, seconds, draft.wait.bot)


def rearrange(draft: TableState, room: TableRoom, change: Callable[[TableRow], TableRow]) -> None:
    """Change the table before its match; ``change`` may refuse.

    A table that waits starts when all seats are taken by players who are here and bots. It closes when the last player leaves.
    """
    match_changes.rearrange(draft, change)
    if draft.wait is None or draft.table.status != "gathering":
        return
    if not any(row.kind == "human" for row in draft.table.seats):
        draft.table = replace(draft.table, status="closed", finished_at=draft.at)
    elif _is_full(draft.table):
        draft.table = _without_absent(draft.table, room.visits.is_here)
        if _is_full(draft.table):
            _start(draft, room)


def end_wait(room: TableRoom, job: Job) -> None:
    """Let bots take the empty seats of a table whose time is up, and start its match."""
    wait, table = room.state.wait, room.table
    if wait is None or table.status != "gathering":
        return
    scheduler, payload = room.services.scheduler, dict(job.payload)
    if any(row.kind == "human" and room.visits.is_here(row) for row in table.seats):
        if wait.until is None:
            scheduler.finish(job, again_at=room.time.now() + _WITHOUT_BOTS, payload=payload | {"looks": 0})
        else:
            room.change(_fill, room, job)
    elif payload.get("looks", 0) < _LOOKS:
        more: dict[str, Any] = {"looks": payload.get("looks", 0) + 1}
        scheduler.finish(job, again_at=room.time.now() + _LOOK_AGAIN, payload=payload | more)
    else:
        room.close_table()


def _fill(draft: TableState, room: TableRoom, job: Job) -> None:
    """Put bots on the empty seats, and start the match. If its options don't allow that, the host has to start it."""
    assert draft.wait is not None
    draft.ends = (job, None)
    before, level = draft.table, draft.wait.bot
    draft.table = _without_absent(before, room.visits.is_here)
    for row in draft.table.seats:
        if row.kind == "open":
            draft.table = draft.table.replace_seat(bot_seat(room.game, row.seat, level, names_at(draft.table)))
    try:
        _start(draft, room)
    except MeadhallError:
        draft.table, draft.wait = before, None


def _start(draft: TableState, room: TableRoom) -> None:
    seats = tuple(replace(row, is_ready=row.kind == "human") for row in draft.table.seats)  # every seated person has agreed
    draft.table = replace(draft.table, seats=seats)
    match_changes.start(draft, room)


def _is_full(table: TableRow) -> bool:
    return all(row.kind != "open" for row in table.seats)


def _without_absent(table: TableRow, is_here: Callable[[SeatRow], bool]) -> TableRow:
    """Return the table without the players who are away."""
    for row in table.seats:
        if row.kind == "human" and not is_here(row):
            table = emptied(row.seat)(table)
    return table
